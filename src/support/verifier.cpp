#include "support/verifier.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "support/plural.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// The kernel's BPF_LOG_STATS: it logs refusals and statistics, but no instructions.
constexpr unsigned statistics = 4;
constexpr std::size_t log_bytes = 1U << 16;
// Kernels round the stack of a function up to a unit; this is the largest one.
constexpr std::uint32_t stack_unit = 32;

bool is_statistic(std::string_view line) {
  return line.starts_with("verification time ") || line.starts_with("stack depth ") || line.starts_with("subprog ") ||
         line.starts_with("processed ");
}

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) visit(take_until(text, '\n'));
}

std::uint32_t part_of(std::uint32_t depth) { return (std::max(depth, 1U) + stack_unit - 1) / stack_unit * stack_unit; }

// The instruction that a call, or a pointer to a function, leads to.
std::optional<std::size_t> target_of(std::span<const bpf_insn> program, std::size_t at) {
  const bpf_insn& insn = program[at];
  const auto leads = [&](int distance) { return static_cast<std::size_t>(static_cast<long>(at) + distance + 1); };
  // In a compiled program, the kernel keeps the distance of a call in `off`.
  if (insn.code == (BPF_JMP | BPF_CALL) && insn.src_reg == BPF_PSEUDO_CALL) return leads(insn.off);
  if (insn.code == (BPF_LD | BPF_IMM | BPF_DW) && insn.src_reg == BPF_PSEUDO_FUNC) return leads(insn.imm);
  return std::nullopt;
}

// The program as the kernel has it now, without instructions that are never reached.
LoadedProgram loaded(const bpf_program& program) {
  bpf_prog_info info{};
  __u32 size = sizeof info;
  if (bpf_obj_get_info_by_fd(bpf_program__fd(&program), &info, &size) != 0) return {};
  LoadedProgram result;
  result.instructions.resize(info.xlated_prog_len / sizeof(bpf_insn));
  std::vector<bpf_func_info> functions(info.nr_func_info);
  info = {};
  info.xlated_prog_insns = reinterpret_cast<std::uintptr_t>(result.instructions.data());
  info.xlated_prog_len = static_cast<__u32>(result.instructions.size() * sizeof(bpf_insn));
  info.func_info = reinterpret_cast<std::uintptr_t>(functions.data());
  info.nr_func_info = static_cast<__u32>(functions.size());
  info.func_info_rec_size = sizeof(bpf_func_info);
  size = sizeof info;
  if (bpf_obj_get_info_by_fd(bpf_program__fd(&program), &info, &size) != 0) return {};
  for (const bpf_func_info& function : functions) result.functions.push_back(function.insn_off);
  return result;
}

}  // namespace

std::string_view refusal_in(std::string_view log) {
  std::string_view last;
  for_each_line(log, [&](std::string_view line) {
    if (!line.empty() && !is_statistic(line)) last = line;
  });
  return last;
}

std::uint64_t verified_instructions_in(std::string_view log) {
  constexpr std::string_view head = "processed ";
  std::uint64_t instructions = 0;
  for_each_line(log, [&](std::string_view line) {
    Scan scan(line);
    if (scan.skip(head)) scan.number(instructions);
  });
  return instructions;
}

std::vector<std::uint32_t> stack_depths_in(std::string_view log) {
  constexpr std::string_view head = "stack depth ";
  constexpr std::string_view part = " stack ";  // since Linux 7: one line for each function
  std::vector<std::uint32_t> depths;
  for_each_line(log, [&](std::string_view line) {
    if (const auto found = line.rfind(part); line.starts_with("subprog ") && found != std::string_view::npos) {
      line.remove_prefix(found + part.size());
      if (const auto depth = take_number<std::uint32_t>(line)) depths.push_back(*depth);
      return;
    }
    if (!line.starts_with(head)) return;
    depths.clear();
    line.remove_prefix(head.size());
    while (const auto depth = take_number<std::uint32_t>(line)) {
      depths.push_back(*depth);
      line.remove_prefix(std::min<std::size_t>(line.size(), 1));  // the sign between two depths
    }
  });
  return depths;
}

std::uint32_t stack_over_calls(const LoadedProgram& program, std::span<const std::uint32_t> depths) {
  std::vector<std::size_t> begins = program.functions;
  if (begins.size() != depths.size() || !std::is_sorted(begins.begin(), begins.end()) ||
      (!begins.empty() && begins.back() > program.instructions.size())) {
    return std::accumulate(depths.begin(), depths.end(), 0U,
                           [](std::uint32_t sum, std::uint32_t depth) { return sum + part_of(depth); });
  }
  begins.push_back(program.instructions.size());

  // The verifier accepts no recursion, so this ends.
  const std::function<std::uint32_t(std::size_t, std::size_t)> from = [&](std::size_t function, std::size_t callers) {
    std::uint32_t below = 0;
    for (std::size_t at = begins[function]; at < begins[function + 1] && callers < depths.size(); ++at) {
      const auto target = target_of(program.instructions, at);
      if (!target) continue;
      const auto called = std::upper_bound(begins.begin(), begins.end() - 1, *target) - begins.begin() - 1;
      below = std::max(below, from(static_cast<std::size_t>(called), callers + 1));
    }
    return part_of(depths[function]) + below;
  };
  return depths.empty() ? 0 : from(0, 0);
}

VerifierLogs::VerifierLogs(bpf_object& object) {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, &object) {
    if (!bpf_program__autoload(program)) continue;
    Log log{.program = program, .text = std::make_unique<char[]>(log_bytes)};
    if (bpf_program__set_log_buf(program, log.text.get(), log_bytes) != 0) continue;
    if (bpf_program__set_log_level(program, statistics) == 0) logs_.push_back(std::move(log));
  }
}

// Programs are loaded in this order, so the last log is that of the refused program.
std::optional<VerifierLogs::Refusal> VerifierLogs::refusal() const {
  const auto last = std::find_if(logs_.rbegin(), logs_.rend(), [](const Log& log) { return log.text[0] != '\0'; });
  if (last == logs_.rend()) return std::nullopt;
  const std::string_view reason = refusal_in(last->text.get());
  if (reason.empty()) return std::nullopt;
  return Refusal{.program = bpf_program__name(last->program), .reason = std::string(reason)};
}

std::vector<std::string> VerifierLogs::costs() const {
  std::vector<std::string> lines;
  for (const Log& log : logs_) {
    const std::string_view text = log.text.get();
    const std::uint32_t stack = stack_over_calls(loaded(*log.program), stack_depths_in(text));
    lines.push_back(std::string("verifier: ") + bpf_program__name(log.program) + ": " +
                    number_of(verified_instructions_in(text), "instruction") + ", " + number_of(stack, "byte") +
                    " of stack");
  }
  return lines;
}

}  // namespace profile
