// Reads folded lines, "thread;root;...;leaf value", the format that flame graph tools exchange. This profiler writes
// them, and so do many small scripts, which agree on little more than this form.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "input/byte_source.h"
#include "input/frame_text.h"
#include "input/profile_reader.h"
#include "input/scaled_values.h"
#include "input/stack_parts.h"
#include "model/stack_end.h"
#include "support/error.h"
#include "support/text_parts.h"

namespace profile {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// The error for a line that is not a folded line at all. It is only counted; a folded line with a wrong value ends the
// reading with an Error.
struct Alien : Error {
  using Error::Error;
};

struct Value {
  std::uint64_t whole = 0;
  std::optional<double> fraction;  // instead of `whole`
};

// Removes the value and the blanks before it from the end of `line`.
Value take_value_off(std::string_view& line) {
  const std::size_t space = line.find_last_of(" \t");
  if (space == line.npos) throw Alien("no value behind a space");
  const std::string_view digits = line.substr(space + 1);
  line = line.substr(0, space);
  line = line.substr(0, line.find_last_not_of(blanks) + 1);
  if (line.empty()) throw Alien("there is nothing in front of the value");
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  Value value;
  const auto read = std::from_chars(begin, end, value.whole);
  if (read.ec == std::errc{} && read.ptr == end) return value;
  if (read.ec == std::errc::result_out_of_range) throw Error("its value is larger than 2^64 - 1");
  // Some tools print 12.0 or 1.5e3, and some count seconds.
  value.fraction = parse_number<double>(digits);
  if (!value.fraction || !std::isfinite(*value.fraction)) throw Alien("it does not end in a value");
  if (*value.fraction < 0) throw Error("its value is negative, as in a difference of two profiles, which is none");
  return value;
}

// Of a line with two counts, as difffolded.pl writes them: removes the first from the end of `stack`.
std::optional<std::uint64_t> take_count_off(std::string_view& stack) {
  const std::size_t space = stack.find_last_of(" \t");
  if (space == stack.npos) return std::nullopt;
  const auto count = parse_number<std::uint64_t>(stack.substr(space + 1));
  const std::string_view rest = stack.substr(0, stack.find_last_not_of(blanks, space) + 1);
  if (!count || rest.empty()) return std::nullopt;
  stack = rest;
  return count;
}

// A line that begins with "#" is a comment, unless it has the form that this profiler writes for a thread with such a
// name: no blank behind the "#", a stack or a single word, and a whole number.
bool is_comment(std::string_view line) {
  if (!line.starts_with('#')) return false;
  const std::size_t space = line.find_last_of(" \t");
  if (space == line.npos || !parse_number<std::uint64_t>(line.substr(space + 1))) return true;
  const std::string_view stack = line.substr(0, space);
  const bool is_word = stack.find_first_of(" \t") == stack.npos;
  return line[1] == ' ' || line[1] == '\t' || !(is_word || stack.find(';') != stack.npos);
}

enum class Suffix : std::uint8_t { none, kernel, inlined, jit, script };

Suffix take_suffix_off(std::string_view& text) {
  Suffix suffix = Suffix::none;
  if (text.ends_with("_[k]")) suffix = Suffix::kernel;
  if (text.ends_with("_[i]")) suffix = Suffix::inlined;
  if (text.ends_with("_[j]")) suffix = Suffix::jit;
  if (text.ends_with("_[s]")) suffix = Suffix::script;
  if (suffix != Suffix::none) text.remove_suffix(4);
  return suffix;
}

// The profile that lines make.
class FoldedProfile {
 public:
  FoldedProfile() : processes_(profile_), values_(profile_) {}

  void add(std::string_view line, const Value& value) {
    Row row;
    row.value = row.samples = value.fraction ? values_.value_of(*value.fraction) : values_.value_of(value.whole);
    const std::string_view thread = line.substr(0, line.find(';'));
    const bool has_frames = thread.size() < line.size();
    has_frames_ |= has_frames;
    split(line.substr(std::min(thread.size() + 1, line.size())), has_frames);
    row.process = processes_.process(0, thread == unknown_name ? std::string_view() : thread);
    row.thread_name = profile_.process(row.process).name;
    read_stacks(row);
    profile_.add(row);
  }

  // Whether any line had a frame.
  [[nodiscard]] bool has_frames() const { return has_frames_; }

  Profile take() {
    values_.end();
    return std::move(profile_);
  }

 private:
  // Fills texts_, root first. A line that ends in a semicolon ends in a frame without a name.
  void split(std::string_view stack, bool has_frames) {
    texts_.clear();
    while (has_frames) {
      has_frames = stack.find(';') != stack.npos;
      texts_.push_back(take_until(stack, ';'));
    }
  }

  void read_stacks(Row& row) {
    std::span<const std::string_view> root_first(texts_);
    if (!root_first.empty() && root_first.back() == off_cpu_tag) {
      row.tag = profile_.strings.intern(off_cpu_tag);
      root_first = root_first.first(root_first.size() - 1);
    }
    if (!root_first.empty() && root_first.back() == missed_kernel_stack) {
      row.kernel = StackId::missed;
      root_first = root_first.first(root_first.size() - 1);
    }
    if (!root_first.empty() && root_first.front() == missed_user_stack) {
      row.user = StackId::missed;
      if (row.kernel == StackId::none) row.kernel = stack(root_first.subspan(1), FrameKind::kernel, row.process);
      if (row.kernel != StackId::missed || root_first.size() == 1) return;
      row.user = user_stack(root_first, row.process);  // we never write such a line
      return;
    }
    if (row.kernel == StackId::missed) {
      row.user = user_stack(root_first, row.process);
      return;
    }
    const auto delimiter = std::find_if(root_first.begin(), root_first.end(),
                                        [](std::string_view text) { return text == "-" || text == "--"; });
    const auto is_kernel = [](std::string_view text) { return text.ends_with("_[k]") || text.ends_with(" [kernel]"); };
    const bool is_delimited =
        delimiter != root_first.end() && delimiter != root_first.begin() && delimiter + 1 != root_first.end();
    const auto split_at = is_delimited ? delimiter : std::find_if(root_first.begin(), root_first.end(), is_kernel);
    const auto user_frames = static_cast<std::size_t>(split_at - root_first.begin());
    row.user = user_stack(root_first.first(user_frames), row.process);
    // Without a delimiter, only marked frames are kernel frames. A frame without a mark is a user frame, also among
    // marked ones.
    row.kernel = stack(root_first.subspan(user_frames + (is_delimited ? 1 : 0)),
                       is_delimited ? FrameKind::kernel : FrameKind::user, row.process);
  }

  // If the outermost frame stands for missing frames, it becomes the end of the stack, unless it is the only frame.
  StackId user_stack(std::span<const std::string_view> root_first, ProcessId process) {
    const auto end = root_first.size() > 1 ? end_of_frame(root_first.front()) : std::nullopt;
    return stack(root_first.subspan(end ? 1 : 0), FrameKind::user, process, end.value_or(StackEnd::unknown));
  }

  // `kind` is the kind of frames without a mark.
  StackId stack(std::span<const std::string_view> root_first, FrameKind kind, ProcessId process,
                StackEnd end = StackEnd::unknown) {
    frames_.clear();
    for (std::size_t i = 0; i < root_first.size();) {
      std::string_view text = root_first[i++];
      const Suffix suffix = take_suffix_off(text);
      // Here an inlined frame has no frame that holds it, so the mark is part of the name.
      if (suffix == Suffix::inlined) text = root_first[i - 1];
      FrameText read = frame_text(text);
      if (suffix == Suffix::jit) read.module = jit_module;
      const bool is_kernel = suffix == Suffix::kernel || read.module == "kernel";
      const FrameKind unmarked = suffix == Suffix::script ? FrameKind::script : kind;
      Frame frame = described_frame(profile_, read, is_kernel ? FrameKind::kernel : unmarked, process);
      const std::size_t next = end_of_inlined(root_first, i);
      if (suffix != Suffix::inlined && next != i) {
        inline_into(frame, root_first.subspan(i, next - i), read);
        i = next;
      }
      frames_.push_back(profile_.frame(frame));
    }
    std::reverse(frames_.begin(), frames_.end());
    return profile_.stack(frames_, end);
  }

  static std::size_t end_of_inlined(std::span<const std::string_view> root_first, std::size_t i) {
    while (i < root_first.size() && root_first[i].ends_with("_[i]")) ++i;
    return i;
  }

  void inline_into(Frame& frame, std::span<const std::string_view> outermost_first, const FrameText& holder) {
    inlined_.clear();
    for (std::size_t i = outermost_first.size(); i-- > 0;) {
      std::string_view text = outermost_first[i];
      take_suffix_off(text);
      FrameText read = frame_text(text);
      // An inlined function is in the module of its holder. Any other module is part of the name.
      if (read.module != holder.module) {
        read = FrameText{};
        read.symbol = text == unknown_name ? std::string_view() : text;
      }
      if (read.symbol == unknown_name) read.symbol = {};
      inlined_.push_back({.symbol = profile_.strings.intern(read.symbol),
                          .at = {.file = profile_.strings.intern(read.file), .line = read.line}});
    }
    frame.source = profile_.source({.at = profile_.source(frame.source).at, .inlined = inlined_});
  }

  Profile profile_ = unknown_profile();
  NamedProcesses processes_;
  ScaledValues values_;
  bool has_frames_ = false;
  std::vector<std::string_view> texts_;   // of the current line
  std::vector<FrameId> frames_;           // of the current line
  std::vector<InlinedFunction> inlined_;  // of the current line
};

class Reader {
  struct Compared {
    FoldedProfile before;
    FoldedProfile after;
  };

 public:
  Reader(ByteSource& bytes, const std::string& name, AlienLines& aliens)
      : bytes_(bytes), name_(name), aliens_(aliens), profile_(std::make_unique<FoldedProfile>()) {}

  // `before` gets the profile of the first counts, if the file is a comparison.
  Profile read(std::optional<Profile>& before) {
    if (bytes_.ahead(byte_order_mark.size()).starts_with(byte_order_mark)) bytes_.pass(byte_order_mark.size());
    std::string_view line;
    for (std::size_t number = 1; bytes_.next_line(line); ++number, bytes_.release()) {
      line = line.substr(0, line.find_last_not_of(blanks) + 1);
      if (line.empty() || is_comment(line)) continue;
      try {
        read_line(line);
      } catch (const Alien& error) {
        if (aliens_.count++ == 0) aliens_.first = place_of(number, error);
      } catch (const Error& error) {
        throw Error(place_of(number, error));
      }
    }
    // In text of any other kind, a line may end in a number by chance.
    if (aliens_.count > lines_ && !profile_->has_frames()) throw Error(aliens_.first);
    // A single line with a number at the end of its stack is a name like "worker 3".
    if (compared_ == nullptr || lines_ == 1 || !compared_->after.has_frames()) return profile_->take();
    before = compared_->before.take();
    return compared_->after.take();
  }

 private:
  [[nodiscard]] std::string place_of(std::size_t number, const Error& error) const {
    return name_ + ":" + std::to_string(number) + ": no folded line (thread;frame;... value): " + error.what();
  }

  void read_line(std::string_view line) {
    if (line.find('\0') != line.npos) throw Error("it holds bytes that are no text");
    const Value value = take_value_off(line);
    if (lines_ == 0) compared_ = std::make_unique<Compared>();
    if (compared_ != nullptr) {
      std::string_view stack = line;
      if (const auto count = take_count_off(stack)) {
        compared_->before.add(stack, {.whole = *count, .fraction = {}});
        compared_->after.add(stack, value);
      } else {
        compared_.reset();
      }
    }
    profile_->add(line, value);
    ++lines_;
  }

  ByteSource& bytes_;
  const std::string& name_;
  AlienLines& aliens_;
  std::unique_ptr<FoldedProfile> profile_;
  std::unique_ptr<Compared> compared_;  // as long as all lines have two counts
  std::uint64_t lines_ = 0;             // that are folded lines
};

}  // namespace

Profile read_folded(ByteSource bytes, const std::string& name, AlienLines* aliens, std::optional<Profile>* before) {
  AlienLines ignored;
  std::optional<Profile> first;
  Profile profile = Reader(bytes, name, aliens != nullptr ? *aliens : ignored).read(first);
  if (before != nullptr) *before = std::move(first);
  return profile;
}

}  // namespace profile
