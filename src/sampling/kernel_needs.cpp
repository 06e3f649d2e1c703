#include "sampling/kernel_needs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "sampling/record_maps.h"
#include "sampling/tracefs.h"
#include "support/error.h"
#include "support/fd.h"
#include "support/privilege.h"
#include "support/text_file.h"

namespace profile {
namespace {

bool has_ring_buffer() { return libbpf_probe_bpf_map_type(BPF_MAP_TYPE_RINGBUF, nullptr) != 0; }

// Only EINVAL means "no": a refusal for lack of privilege says nothing about the kernel.
bool has_fetching_atomics() {
  constexpr bpf_insn program[] = {
      {.code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = 0, .off = -8, .imm = 0},
      {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .src_reg = 0, .off = 0, .imm = 1},
      {.code = BPF_STX | BPF_ATOMIC | BPF_DW,
       .dst_reg = BPF_REG_10,
       .src_reg = BPF_REG_1,
       .off = -8,
       .imm = BPF_ADD | BPF_FETCH},
      {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .src_reg = 0, .off = 0, .imm = 0},
      {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
  };
  const Fd loaded(bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "atomics", "GPL", program, std::size(program), nullptr));
  return loaded || errno != EINVAL;
}

// libbpf cannot probe for programs that trace functions. The kernel gives these helpers to raw tracepoints too, so it
// probes for those.
template <bpf_func_id helper, bpf_prog_type type = BPF_PROG_TYPE_RAW_TRACEPOINT>
bool has_helper() {
  return libbpf_probe_bpf_helper(type, helper, nullptr) != 0;
}

bool has_uprobes() { return ::access("/sys/bus/event_source/devices/uprobe/type", R_OK) == 0; }

constexpr KernelNeed needs[] = {
    {.piece = "BPF ring buffer", .since = {5, 8}, .needed_by = every_event, .is_there = has_ring_buffer},
    {.piece = "BTF",
     .needed_by = "off-cpu --waker, syscalls, futex, block-io, malloc, a command, --mntnsmap, a pid namespace, "
                  "--command-lines",
     .lack = "this kernel has no BTF, the description of its types (CONFIG_DEBUG_INFO_BTF)",
     .is_there = kernel_tells_types},
    {.piece = "reading the kernel's memory",
     .needed_by = "uprobe, off-cpu, wall, off-cpu without BTF, wall without BTF, futex, block-io, syscalls, malloc, "
                  "a command, --mntnsmap, a pid namespace",
     .lack = locked_down,
     .is_there = [] { return !missing_by_lockdown(); }},
    {.piece = "uprobes",
     .needed_by = "uprobe, malloc",
     .lack = "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)",
     .is_there = has_uprobes},
    {.piece = "atomic operations that return a value",
     .since = {5, 12},
     .needed_by = "off-cpu, wall, off-cpu without BTF, wall without BTF, futex, block-io, malloc --live, "
                  "syscalls --latency -f, uprobe -c",
     .is_there = has_fetching_atomics},
    {.piece = "bpf_for_each_map_elem",
     .since = {5, 13},
     .needed_by = "off-cpu, wall, off-cpu without BTF, wall without BTF, futex, block-io, malloc --live, "
                  "syscalls --latency -f",
     .is_there = has_helper<BPF_FUNC_for_each_map_elem>},
    {.piece = "PERF_COUNT_SW_CGROUP_SWITCHES", .since = {5, 13}, .needed_by = "cgroup-switches"},
    {.piece = "bpf_task_pt_regs",
     .since = {5, 15},
     .needed_by = "off-cpu, wall",
     .is_there = has_helper<BPF_FUNC_task_pt_regs>},
    {.piece = "bpf_get_attach_cookie",
     .since = {5, 15},
     .needed_by = "malloc",
     .is_there = has_helper<BPF_FUNC_get_attach_cookie, BPF_PROG_TYPE_KPROBE>},
};

template <class Visit>
void for_each_use(const KernelNeed& need, Visit visit) {
  constexpr std::string_view between = ", ";
  std::string_view rest = need.needed_by;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(between), rest.size());
    visit(rest.substr(0, end));
    rest.remove_prefix(std::min(end + between.size(), rest.size()));
  }
}

bool is_lacking(const KernelNeed& need) {
  static const KernelVersion running = running_kernel();
  if (need.since.major != 0 && running >= need.since) return false;
  return need.is_there == nullptr || !need.is_there();
}

std::string words_of(const KernelNeed& need) {
  if (need.since.major == 0) return std::string(need.lack);
  return "needs Linux " + std::to_string(need.since.major) + "." + std::to_string(need.since.minor) + " (" +
         std::string(need.piece) + ")";
}

// The event's name in the table: "uprobe" for uprobe:FILE:SYMBOL. Without BTF, off-cpu and wall use other BPF programs,
// which have names of their own there.
std::string use_of_event(std::string_view name) {
  std::string use(name.substr(0, name.find(':')));
  if ((use == "off-cpu" || use == "wall") && !kernel_tells_types()) use += " without BTF";
  return use;
}

}  // namespace

KernelVersion running_kernel() {
  utsname name{};
  return ::uname(&name) == 0 ? kernel_version_of(name.release) : KernelVersion{};
}

KernelVersion kernel_version_of(std::string_view release) {
  KernelVersion version;
  const char* const end = release.data() + release.size();
  const auto [dot, wrong] = std::from_chars(release.data(), end, version.major);
  if (wrong != std::errc() || dot == end || *dot != '.') return {};
  if (std::from_chars(dot + 1, end, version.minor).ec != std::errc()) return {};
  return version;
}

std::span<const KernelNeed> kernel_needs() { return needs; }

bool counts_on_trace_events() {
  constexpr KernelVersion preempts_programs{.major = 7, .minor = 0};
  if (running_kernel() < preempts_programs) return false;
  try {
    return !Tracefs().systems().empty();
  } catch (const Error&) {
    return false;
  }
}

bool is_needed_by(const KernelNeed& need, std::string_view use) {
  bool is_needed = need.needed_by == every_event;
  for_each_use(need, [&](std::string_view other) {
    is_needed |= use == other || (use.starts_with(other) && use.substr(other.size()).starts_with(" -"));
  });
  return is_needed;
}

std::optional<std::string> missing_in_kernel(std::string_view use) {
  const KernelNeed* missing = nullptr;
  for (const KernelNeed& need : needs) {
    if (!is_needed_by(need, use) || !is_lacking(need)) continue;
    if (need.since.major == 0) return words_of(need);
    if (missing == nullptr || missing->since < need.since) missing = &need;
  }
  if (missing == nullptr) return std::nullopt;
  return words_of(*missing);
}

std::optional<std::string> missing_for_event(std::string_view name) { return missing_in_kernel(use_of_event(name)); }

std::vector<MissingOptions> missing_with_options(std::string_view name) {
  const std::string event = use_of_event(name);
  std::vector<MissingOptions> found;
  for (const KernelNeed& need : needs) {
    for_each_use(need, [&](std::string_view use) {
      if (!use.starts_with(event + " -")) return;
      const std::string options(use.substr(event.size() + 1));
      if (std::ranges::find(found, options, &MissingOptions::options) != found.end()) return;
      if (auto reason = missing_in_kernel(use)) found.push_back({options, std::move(*reason)});
    });
  }
  return found;
}

bool kernel_tells_types() { return ::access("/sys/kernel/btf/vmlinux", R_OK) == 0; }

std::optional<std::uint64_t> most_kernel_frames() {
  const auto allowed = read_number("/proc/sys/kernel/perf_event_max_stack");
  if (!allowed || *allowed < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*allowed);
}

void require_kernel(std::string_view use, const SamplingOptions& options) {
  const std::size_t option = use.find(" -");
  const std::string event = "-e " + options.event;
  for (const std::string_view part : {use.substr(0, option), use}) {
    const auto missing = missing_in_kernel(part);
    if (!missing) continue;
    throw Error(event + (part == use && option != use.npos ? " with" + std::string(use.substr(option)) : "") + ": " +
                *missing);
  }
  if (!needs_kernel_types(options)) return;
  if (const auto missing = missing_in_kernel("a command")) {
    throw Error(event + ": " + *missing + ", which a command, --mntnsmap and containers need");
  }
}

}  // namespace profile
