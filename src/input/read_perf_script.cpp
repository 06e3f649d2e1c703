// Reads the output of `perf script`, ours and perf's own, also with extra fields that the user asked perf for:
//   COMM  PID/TID [CPU] TIME:  PERIOD EVENT:  and then the frames, leaf first, a line each, up to an empty line.
// PID, CPU and PERIOD may be missing. A sample without a call chain has its one frame on the line of the event.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "input/profile_reader.h"
#include "input/sample_choice.h"
#include "input/stack_parts.h"
#include "input/text_stacks.h"
#include "model/perf_script_words.h"
#include "support/ascii.h"
#include "support/error.h"

namespace profile {
namespace {

constexpr std::string_view blanks = " \t";
constexpr std::string_view digits = "0123456789";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

struct EventLine {
  std::string_view comm;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::optional<std::uint32_t> cpu;
  std::uint64_t time_ns = 0;
  std::optional<std::uint64_t> period;
  std::string_view event;
  std::string_view behind;
};

// Reads "12.345:". A fraction of any length; what is below a nanosecond is cut off.
bool read_time(Scan& scan, std::uint64_t& time_ns) {
  constexpr std::size_t most_digits = 9;
  std::uint64_t seconds = 0;
  if (!scan.number(seconds) || !scan.skip(".")) return false;
  const std::string_view before = scan.rest();
  if (!scan.skip_any(digits)) return false;
  std::string fraction(before.substr(0, std::min(before.size() - scan.rest().size(), most_digits)));
  fraction.resize(most_digits, '0');
  std::uint64_t ns = 0;
  Scan(fraction).number(ns);
  constexpr std::uint64_t ns_a_second = 1'000'000'000;
  time_ns = seconds > UINT64_MAX / ns_a_second - 1 ? UINT64_MAX : seconds * ns_a_second + ns;
  return scan.skip(":");
}

// Reads "185/187 [001] 12.345:" and the rest of the line.
bool read_numbers(std::string_view text, EventLine& event) {
  Scan scan(text);
  if (!scan.number(event.pid)) return false;
  event.tid = event.pid;
  if (scan.skip("/") && !scan.number(event.tid)) return false;
  if (!scan.skip_any(blanks)) return false;
  event.cpu.reset();
  if (scan.skip("[")) {
    std::uint32_t cpu = 0;
    if (!scan.number(cpu) || !scan.skip("]") || !scan.skip_any(blanks)) return false;
    event.cpu = cpu;
  }
  if (!read_time(scan, event.time_ns)) return false;
  scan.skip_any(blanks);
  const std::string_view before_period = scan.rest();
  std::uint64_t period = 0;
  if (scan.number(period) && scan.skip_any(blanks)) {
    event.period = period;
  } else {
    scan = Scan(before_period);
    event.period.reset();
  }
  const std::string_view rest = scan.rest();
  event.event = rest.substr(0, rest.find_first_of(blanks));
  event.behind = rest.substr(event.event.size());
  if (event.event.ends_with(':')) event.event.remove_suffix(1);
  return !event.event.empty();
}

// The name of the thread may hold blanks and digits. It ends at the first place where the rest reads as the numbers of
// an event line.
std::optional<EventLine> event_of(std::string_view line) {
  if (line.empty() || line.front() == '\t') return std::nullopt;
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  EventLine event;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (!is_digit(line[at]) || !is_blank(line[at - 1]) || !read_numbers(line.substr(at), event)) continue;
    event.comm = line.substr(0, line.find_last_not_of(blanks, at - 1) + 1);
    if (!event.comm.empty()) return event;
  }
  return std::nullopt;
}

bool is_of_kernel(std::string_view file) {
  if (file.starts_with("[kernel") || file.starts_with("[guest.kernel")) return true;
  if (file.ends_with("/vmlinux") || file.ends_with(".ko") || file.find(".ko.") != file.npos) return true;
  const bool is_bracketed = file.size() > 2 && file.front() == '[' && file.back() == ']';
  constexpr std::string_view of_users[] = {"[unknown]", "[vdso]", "[vdso32]",   "[heap]",
                                           "[stack]",   "[anon]", "[vsyscall]", "[uprobes]"};
  return is_bracketed && !file.starts_with("[JIT]") && std::ranges::count(of_users, file) == 0;
}

// The short name for Frame::module.
std::string_view module_of(std::string_view file, FrameKind kind) {
  if (file == unknown_name) return {};
  if (file.starts_with("[kernel") || file.ends_with("/vmlinux")) return kernel_module;
  if (file == perf_vdso) return vdso_module;
  if (kind == FrameKind::kernel && file.front() == '[') return file.substr(1, file.size() - 2);
  const std::string_view last_name = file.substr(file.rfind('/') + 1);
  if (last_name.starts_with("perf-") && last_name.ends_with(".map")) return jit_module;
  if (file.starts_with("[JIT]")) return jit_module;
  return kind == FrameKind::kernel ? last_name.substr(0, last_name.find(".ko")) : last_name;
}

// Reads "    7f0000000e0d read+0xd (/lib/libc.so.6)".
bool read_frame(std::string_view line, TextFrame& frame, std::string_view& file) {
  Scan scan(line);
  scan.skip_any(blanks);
  if (!scan.number(frame.address, 16) || !scan.skip_any(blanks)) return false;
  std::string_view text = scan.rest();
  text = text.substr(0, text.find_last_not_of(blanks) + 1);
  const std::size_t open = text.rfind(" (");
  if (open == text.npos || open == 0 || text.back() != ')') return false;
  file = text.substr(open + 2, text.size() - open - 3);
  text = text.substr(0, open);
  if (text.starts_with(perf_global) && text.substr(perf_global.size()).starts_with('(')) {
    text.remove_prefix(perf_global.size());
  }
  frame.kind = is_of_kernel(file) ? FrameKind::kernel : FrameKind::user;
  frame.text = frame_text(text);
  take_offset_off(frame);
  // A frame without a name gets no module: its address is one of the process, not an offset in the file.
  if (!frame.text.symbol.empty() && frame.text.module.empty() && !file.empty()) {
    frame.text.module = module_of(file, frame.kind);
  }
  return true;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name, AlienLines& aliens, const ReadRequest& request)
      : lines_(text), name_(name), aliens_(aliens), choice_(request, name), processes_(profile_), stacks_(profile_) {}

  Profile read() {
    for (std::string_view line; lines_.next(line);) {
      if (line.starts_with('#') && !event_of(line)) {  // the name of a thread may begin with "#"
        read_comment(line);
      } else if (line.find_first_not_of(blanks) == line.npos) {
        end_event();
      } else if (const auto event = event_of(line)) {
        end_event();
        begin_event(*event);
      } else {
        add_frame(line);
      }
    }
    end_event();
    if (!any_event_ && aliens_.count != 0) throw Error(aliens_.first);
    drop_tids_of_processes(profile_);
    // Our writer puts the unit in the place of an unknown event.
    if (is_ours_ && profile_.run.event == profile_.run.unit.word()) profile_.run.event.clear();
    return std::move(profile_);
  }

 private:
  [[nodiscard]] std::string place() const { return name_ + ":" + std::to_string(lines_.number()) + ": "; }

  // Our files have a comment for facts that perf has no field for:
  // "# profile : unit = samples, counted = samples, frequency = 49, period = 0"
  void read_comment(std::string_view line) {
    if (!line.starts_with(perf_own_words)) return;
    is_ours_ = true;
    line.remove_prefix(perf_own_words.size());
    while (!line.empty()) {
      const std::string_view item = line.substr(0, line.find(", "));
      line.remove_prefix(std::min(item.size() + 2, line.size()));
      const std::size_t equals = item.find(" = ");
      if (equals == item.npos) continue;
      const std::string_view key = item.substr(0, equals);
      const std::string_view value = item.substr(equals + 3);
      std::uint64_t number = 0;
      Scan(value).number(number);
      if (key == "unit") profile_.run.unit = value;
      if (key == "counted") profile_.run.counted = value;
      if (key == "frequency") profile_.run.frequency_hz = number;
      if (key == "period") profile_.run.period_events = number;
    }
  }

  void begin_event(const EventLine& event) {
    any_event_ = true;
    // A file with several events holds several profiles. Only one is read: the first, as other readers do it, unless
    // another is asked for.
    const bool is_wanted = choice_.takes({.time_ns = event.time_ns,
                                          .tgid = event.pid,
                                          .tid = event.tid,
                                          .cpu = event.cpu,
                                          .name = event.comm == unknown_name ? std::string_view() : event.comm});
    if (!choice_.event().empty() && event.event != choice_.event()) return;
    if (profile_.run.event.empty()) {
      profile_.run.event = event.event;
    } else if (profile_.run.event != event.event) {
      pass("of another event than " + profile_.run.event);
      return;
    }
    if (!is_wanted) return;
    is_open_ = true;
    row_ = Row{.tid = event.tid, .value = is_ours_ ? event.period.value_or(1) : 1, .samples = 1};
    const std::string_view comm = event.comm == unknown_name ? std::string_view() : event.comm;
    row_.process = processes_.process_of_thread(event.pid, comm);
    row_.thread_name = profile_.strings.intern(comm);
    if (!event.behind.empty()) add(event.behind);
  }

  void add_frame(std::string_view line) {
    if (is_open_ ? add(line) || line.front() == '\t' || line.front() == ' ' : is_blank(line.front())) return;
    pass("no event (COMM PID/TID [CPU] TIME: EVENT:) and no frame (ADDRESS SYMBOL (FILE))");
  }

  bool add(std::string_view line) {
    TextFrame frame;
    std::string_view file;
    if (!read_frame(line, frame, file)) return false;
    if (file == perf_tag) {
      row_.tag = profile_.strings.intern(frame.text.symbol);
    } else {
      frames_.push_back(frame);
    }
    return true;
  }

  void pass(const std::string& why) {
    if (aliens_.count++ == 0) aliens_.first = place() + why;
  }

  void end_event() {
    if (!is_open_) return;
    is_open_ = false;
    if (!total_.add(row_.value)) throw Error(place() + "the values add up to more than 2^64 - 1");
    stacks_.fill(row_, frames_);
    frames_.clear();
    profile_.add(row_);
  }

  TextLines lines_;
  const std::string& name_;
  AlienLines& aliens_;
  SampleChoice choice_;
  Profile profile_ = unknown_profile();
  NamedProcesses processes_;
  TextStacks stacks_;
  CheckedSum total_;
  bool is_ours_ = false;
  bool any_event_ = false;
  bool is_open_ = false;           // an event has begun and not ended
  Row row_;                        // of this event
  std::vector<TextFrame> frames_;  // of this event
};

}  // namespace

bool is_perf_script(std::string_view text) {
  if (text.starts_with(perf_header_line)) return true;
  TextLines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (line.empty() || line.front() == '#') continue;
    return event_of(line).has_value();
  }
  return false;
}

Profile read_perf_script(std::string_view text, const std::string& name, AlienLines* aliens,
                         const ReadRequest& request) {
  AlienLines ignored;
  return Reader(text, name, aliens != nullptr ? *aliens : ignored, request).read();
}

}  // namespace profile
