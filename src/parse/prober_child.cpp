#include "parse/prober_child.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "children/channel.h"
#include "children/wire.h"
#include "parse/opener_calls.h"
#include "support/probe_link.h"
#include "support/text_file.h"

namespace profile {
namespace {

constexpr const char* event_source = "/sys/bus/event_source/devices/uprobe/";

// The file says "config:0", for example.
std::optional<unsigned> bit_of_return() {
  const auto line = read_first_line(std::string(event_source) + "format/retprobe");
  constexpr std::string_view field = "config:";
  unsigned bit = 0;
  if (!line || !line->starts_with(field)) return std::nullopt;
  const auto [end, error] = std::from_chars(line->data() + field.size(), line->data() + line->size(), bit);
  if (error != std::errc{} || bit > 63) return std::nullopt;
  return bit;
}

// Linux reads the instruction when it attaches a probe. It is read here before, so that a hang over the file happens
// here and is not confused with a wait for locks that others hold.
bool read_instruction(int file, FileOffset offset) {
  char instruction[16];
  return ::pread(file, instruction, sizeof instruction, static_cast<off_t>(offset.value)) >= 0;
}

Fd open_event(int file, const UserProbe& probe) {
  const auto type = read_number(std::string(event_source) + "type");
  const auto bit = bit_of_return();
  if (!type || !bit) {
    errno = ENODEV;
    return {};
  }
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = static_cast<std::uint32_t>(*type);
  if (probe.on_return) attr.config |= std::uint64_t{1} << *bit;
  attr.uprobe_path = reinterpret_cast<std::uint64_t>(path.c_str());
  attr.probe_offset = probe.offset.value;
  const int tgid = probe.tgid ? static_cast<int>(*probe.tgid) : -1;
  const int cpu = tgid < 0 ? 0 : -1;  // an event for all processes is opened on one CPU, and counts hits on all
  return Fd(static_cast<int>(::syscall(SYS_perf_event_open, &attr, tgid, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

Fd open_link(int file, const ProbeGroup& group, int program) {
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  std::vector<std::uint64_t> offsets, cookies;
  for (const ProbeGroup::Place& place : group.places) {
    offsets.push_back(place.offset.value);
    cookies.push_back(place.cookie);
  }
  return open_probe_link({.program = program,
                          .path = path.c_str(),
                          .offsets = offsets,
                          .cookies = cookies,
                          .on_return = group.on_return,
                          .tgid = group.tgid.value_or(0)});
}

}  // namespace

void run_prober(Fd questions, Fd files) {
  const WaitingChannel main_process(std::move(questions));
  const WaitingChannel opener(std::move(files));
  while (const auto message = main_process.receive()) {
    WireReader in(message->bytes);
    const auto task = in.one_of(ProberTask::count);
    const Fd file = take_over(opener, value_of(in.get<FileNumber>()));
    if (!file) break;
    UserProbe probe;
    ProbeGroup group;
    if (task == ProberTask::event) {
      in.read(probe);
      group.places.push_back({.offset = probe.offset});
    } else {
      in.read(group);
    }
    if (!in.is_whole() || message->fds.size() != (task == ProberTask::link ? 1 : 0)) break;
    const bool are_readable = std::ranges::all_of(
        group.places, [&](const ProbeGroup::Place& place) { return read_instruction(file.get(), place.offset); });
    int error = are_readable ? 0 : errno;
    main_process.send(message_of(ProberWord::has_read));
    Fd made;
    if (are_readable) {
      made = task == ProberTask::event ? open_event(file.get(), probe)
                                       : open_link(file.get(), group, message->fds[0].get());
      if (!made) error = errno;
    }
    const int fd = made.get();
    main_process.send(message_of(ProberWord::done, error), made ? std::span(&fd, 1) : std::span<const int>());
  }
  ::_exit(0);
}

}  // namespace profile
