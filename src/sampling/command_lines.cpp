#include "sampling/command_lines.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "abi/command_line.h"
#include "command_line.skel.h"
#include "parse/stack_reader.h"
#include "sampling/kernel_needs.h"
#include "sampling/record_maps.h"
#include "support/bpf.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/plural.h"
#include "support/text_file.h"
#include "support/text_parts.h"

namespace profile {
namespace {

struct Place {
  RuntimeAddress begin;
  std::size_t bytes = 0;
};

// Where the arguments of a process are in its memory; nothing for threads of the kernel.
std::optional<Place> arguments_of(std::uint32_t tgid) {
  constexpr std::size_t arg_start = 48;  // fields of /proc/PID/stat, from 1
  constexpr std::size_t arg_end = 49;
  const std::string stat = read_text_file("/proc/" + std::to_string(tgid) + "/stat").value_or("");
  const std::size_t behind_name = stat.rfind(") ");  // the name may hold any character
  if (behind_name == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(stat).substr(behind_name + 2);
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  for (std::size_t field = 3; field <= arg_end && !rest.empty(); ++field) {
    const auto number = parse_number<std::uint64_t>(take_until(rest, ' '));
    if (field == arg_start) begin = number.value_or(0);
    if (field == arg_end) end = number.value_or(0);
  }
  if (end <= begin) return std::nullopt;
  return Place{.begin = {begin}, .bytes = std::min<std::uint64_t>(end - begin, PROFILE_COMMAND_LINE_BYTES)};
}

std::vector<std::uint32_t> all_processes() {
  std::vector<std::uint32_t> tgids;
  std::error_code error;
  for (auto at = std::filesystem::directory_iterator("/proc", error); !error && at != decltype(at)();
       at.increment(error)) {
    if (const auto tgid = parse_number<std::uint32_t>(at->path().filename().native())) tgids.push_back(*tgid);
  }
  return tgids;
}

}  // namespace

std::string command_line_of(std::string_view arguments, bool is_cut) {
  while (!arguments.empty() && arguments.back() == '\0') arguments.remove_suffix(1);
  if (arguments.empty()) return {};
  std::string line(arguments);
  // Some programs write what they do in the place of their arguments: "sshd: user@pts/0".
  if (line.front() == '/' || line.front() == '.') {
    const std::size_t slash = std::string_view(line).substr(0, line.find('\0')).rfind('/');
    if (slash != std::string::npos) line.erase(0, slash + 1);
  }
  std::ranges::replace(line, '\0', ' ');
  if (is_cut) line += " ...";
  return line;
}

struct CommandLines::State {
  static int on_record(void* context, void* data, std::size_t size) noexcept {
    auto& self = *static_cast<State*>(context);
    constexpr std::size_t head = offsetof(exec_line, text);
    if (size < head) return 0;
    exec_line record{};
    std::memcpy(&record, data, std::min(size, sizeof record));
    const std::string_view text(record.text, std::min(size, sizeof record) - head);
    try {
      self.on_line(record.tgid, record.time_ns,
                   command_line_of(text, text.size() == PROFILE_COMMAND_LINE_BYTES && text.back() != '\0'));
    } catch (const std::bad_alloc&) {
      ++self.unkept;
    }
    return 0;
  }

  OnLine on_line;
  BpfObject object;
  BpfLink link;
  RingBuffer ring;
  std::optional<SharedValues<command_line_state>> values;
  std::uint64_t unkept = 0;
  std::uint64_t unread = 0;  // of processes that ran before
};

CommandLines::CommandLines(OnLine on_line) : state_(std::make_unique<State>()) {
  if (const auto missing = missing_in_kernel("--command-lines")) throw Error("--command-lines: " + *missing);
  state_->on_line = std::move(on_line);
  std::size_t size = 0;
  const void* const elf = command_line__elf_bytes(&size);
  state_->object = open_bpf_object(elf, size, "command_line");
  bpf_object& object = *state_->object;
  auto* const config = static_cast<command_line_config*>(
      bpf_section_memory(object, ".rodata.command_line", sizeof(command_line_config)));
  config->pid_namespace = inner_pid_namespace();
  load_bpf_object(object);
  state_->values.emplace(bpf_map_fd(object, ".data.command_line"));
  state_->ring = RingBuffer(ring_buffer__new(bpf_map_fd(object, "lines"), State::on_record, state_.get(), nullptr));
  if (!state_->ring) throw system_error("cannot open the BPF ring buffer", errno);
  state_->link = BpfLink(bpf_program__attach(&bpf_program_named(object, "on_exec")));
  if (!state_->link) throw system_error("cannot trace the beginning of programs", errno);
}

CommandLines::~CommandLines() = default;

void CommandLines::read() { ring_buffer__consume(state_->ring.get()); }

void CommandLines::read_running(StackReader& stacks, std::span<const std::uint32_t> tgids) {
  const std::vector<std::uint32_t> chosen =
      tgids.empty() ? all_processes() : std::vector<std::uint32_t>(tgids.begin(), tgids.end());
  const std::uint64_t now_ns = monotonic_ns();
  std::vector<StackQuestion> questions;
  std::vector<std::size_t> sizes;
  for (const std::uint32_t tgid : chosen) {
    const auto place = arguments_of(tgid);
    if (!place) continue;
    questions.push_back({.tgid = tgid, .stack_pointer = place->begin});
    sizes.push_back(place->bytes);
  }
  const std::vector<std::string> memory = stacks.stacks(questions, PROFILE_COMMAND_LINE_BYTES);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::string_view text = std::string_view(memory[i]).substr(0, sizes[i]);
    std::string line = command_line_of(text, text.size() == PROFILE_COMMAND_LINE_BYTES && text.back() != '\0');
    line.empty() ? static_cast<void>(++state_->unread) : state_->on_line(questions[i].tgid, now_ns, std::move(line));
  }
}

std::vector<std::string> CommandLines::notes() const {
  const std::uint64_t lost = std::atomic_ref((*state_->values)->lost).load(std::memory_order_relaxed);
  const std::uint64_t all = lost + state_->unkept + state_->unread;
  if (all == 0) return {};
  return {number_of(all, "process has", "processes have") + " only a name: the arguments could not be read"};
}

}  // namespace profile
