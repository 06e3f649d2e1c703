// Reads the counted format. Each stack is a block: its frames leaf first, then its owner, then its value. A line that
// begins at the left margin is a header or table for the user, so it is skipped together with all lines up to the next
// empty line.
#include <deque>
#include <string>
#include <vector>

#include "input/header_line.h"
#include "input/profile_reader.h"
#include "input/stack_parts.h"
#include "input/text_stacks.h"
#include "support/error.h"

namespace profile {
namespace {

constexpr std::string_view margin = "    ";
constexpr std::string_view owner_mark = "    -                ";
constexpr std::string_view value_margin = "        ";

class Reader {
 public:
  explicit Reader(ByteSource& bytes) : lines_(bytes), processes_(profile_), stacks_(profile_) {}

  Profile read(const std::string& name) {
    try {
      bool is_first = true;
      for (std::string_view line; lines_.next(line);) {
        if (line.find_first_not_of(' ') == line.npos) continue;
        if (line.starts_with(margin)) {
          read_block(line);
        } else {
          if (is_first) {
            profile_.run.headline = line;
            read_header_line(line, profile_.run);
          }
          pass_paragraph();
        }
        is_first = false;
        lines_.release();
      }
      return std::move(profile_);
    } catch (const ReadError&) {
      throw;
    } catch (const Error& error) {
      throw Error(name + ":" + std::to_string(lines_.number()) + ": no block of a counted report: " + error.what());
    }
  }

 private:
  void pass_paragraph() {
    for (std::string_view line; lines_.next(line) && !line.empty();) lines_.release();
  }

  void read_block(std::string_view line) {
    frames_.clear();
    unmarked_.clear();
    bool is_delimited = false;
    while (!line.starts_with(owner_mark)) {
      if (!line.starts_with(margin)) throw Error("it ends before it is said whose it is");
      line.remove_prefix(margin.size());
      if (line == "--" && !is_delimited) {
        for (TextFrame& frame : frames_) frame.kind = FrameKind::kernel;
        is_delimited = true;
      } else {
        frames_.push_back(frame(line));
      }
      if (!lines_.next(line)) throw Error("it is cut off");
    }
    std::string_view owner = line.substr(owner_mark.size());
    const std::uint32_t pid = take_number_off(owner).value_or(0);  // none: all processes of the name
    if (!lines_.next(line) || !line.starts_with(value_margin)) throw Error("it has no value");
    const auto value = parse_number<std::uint64_t>(line.substr(value_margin.size()));
    if (!value) throw Error("its value is no number");
    if (!total_.add(*value)) throw Error("the values add up to more than 2^64 - 1");
    if (owner == unknown_name) owner = {};
    const ProcessId process = processes_.process_of_thread(pid, owner);
    // The largest value comes last, so the process gets the name of its hottest thread.
    if (pid != 0) profile_.process(process).name = profile_.strings.intern(owner);
    Row row{.process = process, .value = *value, .samples = samples_of(profile_.run, *value)};
    row.thread_name = profile_.strings.intern(owner);
    stacks_.fill(row, frames_);
    profile_.add(row);
  }

  // Parses "0x00007f0000000e0d read+0xd [libc.so.6] file.c:7" or "deep(int) (inlined) [app] deep.h:7".
  TextFrame frame(std::string_view text) {
    constexpr std::size_t address_size = 2 + 16;
    TextFrame frame;
    if (text.starts_with("0x") && text.size() > address_size && text[address_size] == ' ') {
      if (const auto address = parse_number<std::uint64_t>(text.substr(2, address_size - 2), 16)) {
        frame.address = *address;
        text.remove_prefix(address_size + 1);
      }
    }
    frame.is_inlined = is_marked(text);
    frame.text = frame_text(frame.is_inlined ? without_mark(text) : text);
    if (!frame.is_inlined) take_offset_off(frame);
    if (frame.text.module == "kernel") frame.kind = FrameKind::kernel;
    return frame;
  }

  // It stands between the function and the module and line.
  static constexpr std::string_view inlined_mark = " (inlined)";
  static bool is_marked(std::string_view text) {
    const std::size_t at = text.find(inlined_mark);
    return at != text.npos && (at + inlined_mark.size() == text.size() || text[at + inlined_mark.size()] == ' ');
  }
  // Removes the mark, and also the module: it is the module of the function that the frame is inlined in.
  std::string_view without_mark(std::string_view text) {
    const std::size_t at = text.find(inlined_mark);
    std::string_view rest = text.substr(at + inlined_mark.size());
    if (const std::size_t end = rest.find(']'); rest.starts_with(" [") && end != rest.npos) rest.remove_prefix(end + 1);
    return unmarked_.emplace_back(text.substr(0, at)).append(rest);
  }

  TextLines lines_;
  Profile profile_ = unknown_profile();
  NamedProcesses processes_;
  TextStacks stacks_;
  CheckedSum total_;
  std::vector<TextFrame> frames_;
  std::deque<std::string> unmarked_;  // texts that the frames refer to
};

// Whether the text begins with our header line and an empty line after it.
bool begins_with_header(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  RunInfo ignored;
  return text.substr(line.size()).starts_with("\n\n") && read_header_line(line, ignored);
}

}  // namespace

// A text without any block may still be a report that has only tables.
bool is_counted(std::string_view start) {
  ByteSource bytes(start);
  TextLines lines(bytes);
  bool has_owner = false;
  for (std::string_view line; lines.next(line);) {
    if (has_owner && line.starts_with(value_margin) && parse_number<std::uint64_t>(line.substr(value_margin.size())))
      return true;
    has_owner = line.starts_with(owner_mark);
  }
  return begins_with_header(start);
}

Profile read_counted(ByteSource bytes, const std::string& name) { return Reader(bytes).read(name); }

}  // namespace profile
