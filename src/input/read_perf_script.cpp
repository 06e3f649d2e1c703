// Reads the output of `perf script`, ours and perf's own, also with other fields that the user asked perf for (-F):
//   COMM  PID/TID [CPU] TIME:  PERIOD EVENT:  and then the frames, leaf first, a line each, up to an empty line.
// Any field may be missing. Without a time, a line is that of a sample only if a frame follows it. A sample without a
// call chain has its one frame on the line of the event.
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
#include "support/text_parts.h"

namespace profile {
namespace {

// A file that tells the facts of more events is no file of ours, and may have millions of such lines.
constexpr std::size_t most_events = 1000;

constexpr std::string_view blanks = " \t";
constexpr std::string_view digits = "0123456789";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

struct EventLine {
  std::string_view comm;
  std::optional<std::uint32_t> pid;
  std::optional<std::uint32_t> tid;
  std::optional<std::uint32_t> cpu;
  std::optional<std::uint64_t> time_ns;
  std::optional<std::uint64_t> period;
  std::string_view event;
  std::string_view behind;
};

// Which fields a line must have to be that of a sample.
enum class Fields : std::uint8_t { with_time, any };

// Reads "12.345:". A fraction of any length; what is below a nanosecond is cut off.
bool read_time(Scan& scan, std::optional<std::uint64_t>& time_ns) {
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
  if (!scan.skip(":")) return false;
  time_ns = seconds > UINT64_MAX / ns_a_second - 1 ? UINT64_MAX : seconds * ns_a_second + ns;
  return true;
}

// Reads "185/187 ".
bool read_ids(Scan& scan, EventLine& event) {
  std::uint32_t pid = 0;
  if (!scan.number(pid)) return false;
  std::uint32_t tid = pid;
  if (scan.skip("/") && !scan.number(tid)) return false;
  if (!scan.skip_any(blanks) && !scan.rest().empty()) return false;
  // A higher one stands for a process without a number.
  event.pid = pid > highest_pid ? 0 : pid;
  event.tid = tid > highest_pid ? 0 : tid;
  return true;
}

// Reads "[001] ".
bool read_cpu(Scan& scan, EventLine& event) {
  std::uint32_t cpu = 0;
  if (!scan.skip("[") || !scan.number(cpu) || !scan.skip("]")) return false;
  if (!scan.skip_any(blanks) && !scan.rest().empty()) return false;
  event.cpu = cpu;
  return true;
}

// Runs `read`, and takes `scan` back if it reads nothing.
template <class Read>
bool is_read(Scan& scan, const Read& read) {
  const Scan before = scan;
  if (read()) return true;
  scan = before;
  return false;
}

// Reads "185/187 [001] 12.345:" and the rest of the line.
bool read_numbers(std::string_view text, Fields fields, EventLine& event) {
  event = EventLine{};
  Scan scan(text);
  const bool has_ids = is_read(scan, [&] { return read_ids(scan, event); });
  if (fields == Fields::with_time && !has_ids) return false;
  const bool has_cpu = is_read(scan, [&] { return read_cpu(scan, event); });
  if (fields == Fields::with_time && !has_cpu && scan.rest().starts_with('[')) return false;
  const bool has_time = is_read(scan, [&] { return read_time(scan, event.time_ns); });
  if (fields == Fields::with_time ? !has_time : !has_ids && !has_cpu && !has_time) return false;
  scan.skip_any(blanks);
  is_read(scan, [&] {
    std::uint64_t period = 0;
    if (!scan.number(period) || !scan.skip_any(blanks)) return false;
    event.period = period;
    return true;
  });
  const std::string_view rest = scan.rest();
  event.event = rest.substr(0, rest.find_first_of(blanks));
  event.behind = rest.substr(event.event.size());
  const bool has_colon = event.event.ends_with(':');
  if (has_colon) event.event.remove_suffix(1);
  return fields == Fields::with_time ? !event.event.empty() : has_colon || rest.empty();
}

// The name of the thread may hold blanks and digits. It ends at the first place where the rest reads as the numbers of
// an event line, and is empty if that is the beginning of the line.
std::optional<EventLine> event_of(std::string_view line, Fields fields = Fields::with_time) {
  if (line.empty() || line.front() == '\t') return std::nullopt;
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  line = line.substr(0, line.find_last_not_of(blanks) + 1);
  EventLine event;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool is_number = is_digit(line[at]) || (fields == Fields::any && line[at] == '[');
    if (!is_number || (at != 0 && !is_blank(line[at - 1])) || !read_numbers(line.substr(at), fields, event)) continue;
    event.comm = line.substr(0, at == 0 ? 0 : line.find_last_not_of(blanks, at - 1) + 1);
    return event;
  }
  if (fields == Fields::with_time || line.empty()) return std::nullopt;
  // "COMM EVENT:", or a name alone
  event = EventLine{};
  event.comm = line;
  const std::size_t blank = line.find_last_of(blanks);
  if (!line.ends_with(':')) return event;
  event.event = line.substr(blank == line.npos ? 0 : blank + 1);
  event.comm = line.substr(0, line.size() - event.event.size());
  event.comm = event.comm.substr(0, event.comm.find_last_not_of(blanks) + 1);
  event.event.remove_suffix(1);
  return event;
}

// perf script --show-mmap-events and the like put such lines among the samples.
constexpr std::string_view record_words = "PERF_RECORD_";

bool is_record(std::string_view event) { return event.starts_with(record_words); }

// Of a line that is not read as a sample.
bool has_record(std::string_view line) {
  const std::size_t at = line.find(record_words);
  return at != line.npos && (at == 0 || is_blank(line[at - 1]));
}

bool is_kernel_address(std::uint64_t address) { return address >> 63 != 0; }

bool is_of_kernel(std::string_view file, std::uint64_t address) {
  if (file.starts_with("[kernel") || file.starts_with("[guest.kernel")) return true;
  if (file.ends_with("/vmlinux") || file.ends_with(".ko") || file.find(".ko.") != file.npos) return true;
  const bool is_bracketed = file.size() > 2 && file.front() == '[' && file.back() == ']';
  constexpr std::string_view of_users[] = {"[unknown]", "[vdso]", "[vdso32]",   "[heap]",
                                           "[stack]",   "[anon]", "[vsyscall]", "[uprobes]"};
  // A kernel module. Android names user memory in brackets, too, and our files have no address in some frames.
  if (!is_bracketed || file.starts_with("[JIT") || file.starts_with("[anon:")) return false;
  return std::ranges::count(of_users, file) == 0 && (address == 0 || is_kernel_address(address));
}

// The short name for Frame::module.
std::string_view module_of(std::string_view file, FrameKind kind) {
  if (file == unknown_name) return {};
  if (file.starts_with("[kernel") || file.ends_with("/vmlinux")) return kernel_module;
  if (file == perf_vdso) return vdso_module;
  if (file.starts_with("[JIT]")) return jit_module;
  if (file.size() > 2 && file.front() == '[' && file.back() == ']') return file.substr(1, file.size() - 2);
  const std::string_view last_name = file.substr(file.rfind('/') + 1);
  if (last_name.starts_with("perf-") && last_name.ends_with(".map")) return jit_module;
  return kind == FrameKind::kernel ? last_name.substr(0, last_name.find(".ko")) : last_name;
}

// Where the " (FILE)" at the end of a frame begins; npos: it has none. A file's name may have parentheses and blanks in
// it, and so may a function's: "f(void (*)(int))".
std::size_t begin_of_file(std::string_view text) {
  if (!text.ends_with(')')) return text.npos;
  std::size_t depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0) {
      if (at > 1 && text[at - 1] == ' ') return at - 1;
      break;
    }
  }
  // A name with a parenthesis that has no other.
  const std::size_t open = std::min(text.rfind(" (/"), text.rfind(" (["));
  return open == 0 ? text.npos : open;
}

struct PerfFrame {
  TextFrame frame;
  std::string_view file;
};

// Reads "    7f0000000e0d read+0xd (/lib/libc.so.6)". Without the file, any text behind a number is the name.
std::optional<PerfFrame> frame_of(std::string_view line, bool needs_file) {
  PerfFrame read;
  TextFrame& frame = read.frame;
  Scan scan(line);
  scan.skip_any(blanks);
  if (!scan.number(frame.address, 16) || !scan.skip_any(blanks)) return std::nullopt;
  std::string_view text = scan.rest();
  text = text.substr(0, text.find_last_not_of(blanks) + 1);
  const std::size_t open = begin_of_file(text);
  if (text.empty() || (needs_file && open == text.npos)) return std::nullopt;
  std::string_view& file = read.file;
  if (open != text.npos) {
    file = without_deleted(text.substr(open + 2, text.size() - open - 3));
    text = text.substr(0, open);
  }
  if (text.starts_with(perf_global) && text.substr(perf_global.size()).starts_with('(')) {
    text.remove_prefix(perf_global.size());
  }
  frame.text = frame_text(text);
  take_offset_off(frame);
  const bool is_named = !frame.text.symbol.empty();
  const bool is_kernel = open != text.npos && is_of_kernel(file, frame.address);
  const bool is_kernel_by_address = file.empty() && is_named && is_kernel_address(frame.address);
  frame.kind = is_kernel || is_kernel_by_address ? FrameKind::kernel : FrameKind::user;
  frame.is_inlined = file == perf_inlined;
  // A frame without a name gets no module: its address is one of the process, not an offset in the file.
  if (is_named && frame.text.module.empty() && !file.empty() && !frame.is_inlined) {
    frame.text.module = module_of(file, frame.kind);
  }
  return read;
}

// Whether the text can only be a frame. Words of other lines may be hexadecimal numbers: "  add x (y)".
bool is_surely_frame(std::string_view text) {
  const std::optional<PerfFrame> read = frame_of(text, true);
  return read && (read->file.starts_with('/') || read->file.starts_with('[') || read->file == perf_inlined);
}

bool is_frame(std::string_view line) { return !line.empty() && is_blank(line.front()) && is_surely_frame(line); }

class Reader {
 public:
  Reader(ByteSource& bytes, Fields fields, const std::string& name, AlienLines& aliens, const ReadRequest& request)
      : lines_(bytes),
        fields_(fields),
        name_(name),
        aliens_(aliens),
        choice_(request, name),
        processes_(profile_),
        stacks_(profile_) {}

  Profile read() {
    for (std::string_view line; next_line(line);) read_line(line);
    end_event();
    if (!any_event_ && aliens_.count != 0) throw Error(aliens_.first);
    drop_tids_of_processes(profile_);
    // Our writer puts the unit in the place of an unknown event.
    if (is_ours_ && profile_.run.event == profile_.run.unit.word()) profile_.run.event.clear();
    return std::move(profile_);
  }

 private:
  [[nodiscard]] std::string place() const { return name_ + ":" + std::to_string(lines_.number()) + ": "; }

  bool next_line(std::string_view& line) {
    if (!holds_lines_) lines_.release();
    return lines_.next(line);
  }

  void read_line(std::string_view line) {
    if (line.find_first_not_of(blanks) == line.npos) {
      end_event();
      return;
    }
    const std::optional<EventLine> event = sample_of(line);
    if (event) {
      end_event();
      if (!is_record(event->event)) begin_event(*event);
    } else if (line.starts_with('#')) {  // the name of a thread may begin with "#"
      read_comment(line);
    } else if (!is_open_ && fields_ == Fields::any && is_frame(line)) {
      begin_event({});  // no field was asked for
      add(line, true);
    } else if (!is_open_ || !add(line, false)) {
      pass_line(line);
    }
  }

  [[nodiscard]] std::optional<EventLine> sample_of(std::string_view line) {
    if (fields_ == Fields::with_time) return event_of(line);
    const std::optional<EventLine> event = event_of(line, fields_);
    if (!event) return std::nullopt;
    const bool has_one_frame = is_surely_frame(event->behind);
    return has_one_frame || (!is_frame(line) && is_frame(lines_.peek())) ? event : std::nullopt;
  }

  // Our files have a comment for facts that perf has no field for, one for each event:
  // "# profile : unit = samples, counted = samples, frequency = 49, period = 0, event = cpu-clock"
  void read_comment(std::string_view line) {
    if (!line.starts_with(perf_own_words)) return;
    is_ours_ = true;
    line.remove_prefix(perf_own_words.size());
    RunInfo told = profile_.run;
    std::string event;  // older files do not name it
    while (!line.empty()) {
      const std::string_view item = line.substr(0, line.find(", "));
      line.remove_prefix(std::min(item.size() + 2, line.size()));
      const std::size_t equals = item.find(" = ");
      if (equals == item.npos) continue;
      const std::string_view key = item.substr(0, equals);
      const std::string_view value = item.substr(equals + 3);
      std::uint64_t number = 0;
      Scan(value).number(number);
      if (key == "unit") told.unit = value;
      if (key == "counted") told.counted = value;
      if (key == "frequency") told.frequency_hz = number;
      if (key == "period") told.period_events = number;
      if (key == "event") event = value;
    }
    // The first one is that of a file without samples.
    if (event.empty() || told_.empty()) profile_.run = told;
    told.event = event;
    if (told_.size() < most_events) told_.push_back(std::move(told));
  }

  void begin_event(const EventLine& event) {
    any_event_ = is_passing_ = true;
    // A file with several events holds several profiles. Only one is read: the first, as other readers do it, unless
    // another is asked for.
    const std::string_view comm = event.comm == unknown_name ? std::string_view() : event.comm;
    const bool is_wanted =
        choice_.takes({.time_ns = event.time_ns, .tgid = event.pid, .tid = event.tid, .cpu = event.cpu, .name = comm});
    if (!choice_.event().empty() && event.event.empty()) {
      throw Error(name_ + " does not say of which event its samples are");
    }
    if (!choice_.event().empty() && event.event != choice_.event()) return;
    if (profile_.run.event.empty()) {
      if (const auto told = std::ranges::find(told_, event.event, &RunInfo::event); told != told_.end()) {
        profile_.run = *told;
      }
      profile_.run.event = event.event;
    } else if (profile_.run.event != event.event) {
      pass("of another event than " + profile_.run.event);
      return;
    }
    if (!is_wanted) return;
    is_open_ = true;
    row_ = Row{.tid = event.tid.value_or(0), .value = is_ours_ ? event.period.value_or(1) : 1, .samples = 1};
    row_.process = event.pid ? processes_.process_of_thread(*event.pid, comm) : processes_.process(0, comm);
    row_.thread_name = profile_.strings.intern(comm);
    behind_ = event.behind;
    if (!behind_.empty()) add(behind_, true);
    holds_lines_ = false;
  }

  void pass_line(std::string_view line) {
    if (has_record(line)) {
      end_event();
    } else if (!is_blank(line.front()) || !(is_open_ || is_passing_)) {
      pass("no event (COMM PID/TID [CPU] TIME: EVENT:) and no frame (ADDRESS SYMBOL (FILE))");
    }
  }

  bool add(std::string_view line, bool needs_file) {
    const std::optional<PerfFrame> read = frame_of(line, needs_file || !is_blank(line.front()));
    if (!read) return false;
    if (read->file == perf_tag) {
      row_.tag = profile_.strings.intern(read->frame.text.symbol);
    } else {
      frames_.push_back(read->frame);
      holds_lines_ = true;
    }
    return true;
  }

  void pass(const std::string& why) {
    if (aliens_.count++ == 0) aliens_.first = place() + why;
  }

  void end_event() {
    is_passing_ = false;
    if (!is_open_) return;
    is_open_ = false;
    if (!total_.add(row_.value)) throw Error(place() + "the values add up to more than 2^64 - 1");
    stacks_.fill(row_, frames_);
    frames_.clear();
    holds_lines_ = false;
    profile_.add(row_);
  }

  TextLines lines_;
  Fields fields_;
  const std::string& name_;
  AlienLines& aliens_;
  SampleChoice choice_;
  Profile profile_ = unknown_profile();
  std::vector<RunInfo> told_;  // of the events, by comments
  NamedProcesses processes_;
  TextStacks stacks_;
  CheckedSum total_;
  bool is_ours_ = false;
  bool any_event_ = false;
  bool is_open_ = false;           // an event has begun and not ended
  bool is_passing_ = false;        // or one that is not wanted
  Row row_;                        // of this event
  std::vector<TextFrame> frames_;  // of this event
  bool holds_lines_ = false;       // there are frames whose names are in lines
  std::string behind_;             // the frame on its line, if there is one
};

// Warnings may stand before the first sample. nullopt: it is no such text.
std::optional<Fields> fields_of(std::string_view start) {
  if (start.starts_with(perf_header_line)) return Fields::with_time;
  ByteSource bytes(start);
  TextLines lines(bytes);
  bool is_first = true;
  std::string_view next;
  for (bool has_next = lines.next(next); has_next;) {
    const std::string_view line = next;
    has_next = lines.next(next);
    if (line.find_first_not_of(blanks) == line.npos) continue;
    const bool is_comment = line.front() == '#';
    const bool has_frame = has_next && is_frame(next);
    const std::optional<EventLine> event = event_of(line);
    const bool has_one_frame = event && is_surely_frame(event->behind);
    if (event && (has_frame || has_one_frame || (is_first && !is_comment))) return Fields::with_time;
    if (is_comment) continue;
    if ((has_frame && !is_frame(line)) || (is_first && is_frame(line))) return Fields::any;
    if (const auto other = event_of(line, Fields::any); other && is_surely_frame(other->behind)) return Fields::any;
    is_first = is_first && has_record(line);
    // A folded line.
    const std::size_t blank = line.find_last_of(blanks);
    if (line.find(';') < blank && parse_number<double>(line.substr(blank + 1))) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

bool is_perf_script(std::string_view start) { return fields_of(start).has_value(); }

Profile read_perf_script(ByteSource bytes, const std::string& name, AlienLines* aliens, const ReadRequest& request) {
  AlienLines ignored;
  const Fields fields = fields_of(bytes.ahead(look_ahead_bytes)).value_or(Fields::with_time);
  return Reader(bytes, fields, name, aliens != nullptr ? *aliens : ignored, request).read();
}

}  // namespace profile
