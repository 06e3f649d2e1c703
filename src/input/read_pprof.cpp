// Reads pprof profiles: our own, Go's and those of other tools. A sample becomes a row and its locations become frames.
// The mapping and the address of a location tell whether it is a kernel frame.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "input/frame_text.h"
#include "input/pprof_file.h"
#include "input/pprof_values.h"
#include "input/profile_reader.h"
#include "input/stack_parts.h"
#include "model/pprof_format.h"
#include "model/stack_end.h"
#include "model/stack_roots.h"
#include "support/error.h"
#include "support/text_parts.h"

namespace profile {
namespace {

std::string_view last_name(std::string_view path) { return without_deleted(path.substr(path.rfind('/') + 1)); }

// The labels of a sample that this reader knows.
struct Labels {
  std::string_view process;
  std::string_view thread;
  std::string_view waker;
  std::string_view waker_stack;
  std::uint32_t tgid = 0;
  std::uint32_t tid = 0;
  std::uint32_t cpu = any_cpu;
  bool has_name = false;  // there is a label for the process or thread name; the name may be empty
  bool has_thread_name = false;
  StackEnd user_end = StackEnd::unknown;
};

// `user_end` is the stack end of samples without a label for it.
Labels labels_of(const PprofFile::Sample& sample, StackEnd user_end) {
  Labels labels;
  labels.user_end = user_end;
  const auto set = [](std::uint32_t& number, const PprofFile::Label& label) {
    if (label.number >= 0 && label.number < any_cpu) number = static_cast<std::uint32_t>(label.number);
  };
  for (const PprofFile::Label& label : sample.labels) {
    const std::string_view text = label.text == unknown_name ? std::string_view() : label.text;
    if (label.key == "process" || label.key == "comm") labels.process = text;
    if (label.key == "thread") labels.thread = text;
    labels.has_thread_name |= label.key == "thread";
    labels.has_name |= label.key == "process" || label.key == "comm" || label.key == "thread";
    if (label.key == "pid") set(labels.tgid, label);
    if (label.key == "tid") set(labels.tid, label);
    if (label.key == "cpu") set(labels.cpu, label);
    if (label.key == pprof::waker_label) labels.waker = text;
    if (label.key == pprof::waker_stack_label) labels.waker_stack = text;
    if (label.key == pprof::stack_end_label) labels.user_end = end_of_key(label.text).value_or(StackEnd::unknown);
  }
  if (!labels.has_thread_name) labels.thread = labels.process;
  return labels;
}

class Reader {
 public:
  explicit Reader(std::string_view message)
      : message_size_(message.size()),
        file_(message),
        values_(file_),
        processes_(profile_),
        places_(file_.locations.size()) {}

  Profile read(const std::string& name) {
    values_.describe(profile_.run);
    read_own_names(file_, profile_.run);
    if (file_.time_ns > 0) profile_.began_unix_ns = static_cast<std::uint64_t>(file_.time_ns);
    if (file_.duration_ns > 0) profile_.duration_ns = static_cast<std::uint64_t>(file_.duration_ns);
    if (!file_.main_file.starts_with('[')) program_ = last_name(file_.main_file);
    is_own_ = read_own_comments(file_, profile_.run, profile_.account);
    moved_ = read_moved(file_);
    if (has_read_ends(file_)) unlabelled_end_ = StackEnd::root;
    profile_.account.is_known = is_own_;
    RunInfo& run = profile_.run;
    if (!is_own_ && run.headline.empty() && run.frequency_hz == 0 && run.period_events == 0) {
      // Nothing was sampled at a rate, and the header must not say so.
      run.is_request_known = false;
      if (run.event != run.unit.word())
        run.headline = run.event + " in " + run.unit.word() + " of " + name + " by user + kernel stack";
    }
    profile_.run.frames_by_line = is_own_;
    has_script_lines_ = is_own_ && has_other_lines();
    for (std::size_t i = 0; i < places_.size(); ++i) look_at(i);
    file_.each_sample([this](const PprofFile::Sample& sample) { find_returns(sample); });
    file_.each_sample([this](const PprofFile::Sample& sample) { add(sample); });
    return std::move(profile_);
  }

 private:
  // What a location stands for if it is not a frame.
  enum class StandIn : std::uint8_t { none, missed_user, missed_kernel, no_stack, tag };
  // The role of a location in its stacks.
  struct Role {
    StandIn stands_in = StandIn::none;
    bool is_kernel = false;
    // Seen in samples as a caller, so a call returns there.
    bool is_called_from = false;
    bool is_leaf = false;
  };

  [[nodiscard]] const PprofFile::Location& location(std::size_t i) const { return file_.locations[i]; }

  [[nodiscard]] std::string_view only_name(const PprofFile::Location& location) const {
    if (location.mapping != 0 || location.address != 0 || location.lines != 1) return {};
    const PprofFile::Function* const function = file_.function(file_.lines(location).front().function);
    return function == nullptr ? std::string_view() : function->name;
  }

  // Whether a function of a script is at another line than the one where it begins: then all of them say the line that
  // ran.
  [[nodiscard]] bool has_other_lines() const {
    const auto is_inside = [this](const PprofFile::Line& line) {
      const PprofFile::Function* const function = file_.function(line.function);
      return function != nullptr && function->start_line != 0 && function->start_line != line.line;
    };
    return std::ranges::any_of(file_.locations, [&](const PprofFile::Location& location) {
      return std::ranges::any_of(file_.lines(location), is_inside);
    });
  }

  void look_at(std::size_t i) {
    const std::string_view name = only_name(location(i));
    Role& place = places_[i];
    if (name == missed_user_stack) place.stands_in = StandIn::missed_user;
    if (name == missed_kernel_stack) place.stands_in = StandIn::missed_kernel;
    if (name == no_stack_name || name == "[no stack]") place.stands_in = StandIn::no_stack;
    const bool is_in_brackets = name.size() > 2 && name.front() == '[' && name.back() == ']';
    const bool is_frame = !is_in_brackets || name == unknown_name || name == exec_frame;
    if (place.stands_in == StandIn::none && !is_frame) place.stands_in = StandIn::tag;
    const PprofFile::Mapping* const mapping = file_.mapping(location(i).mapping);
    // A location without a mapping is not kernel code, even if a broken stack gives it a kernel address.
    const bool is_high = location(i).address >> 63 != 0;  // where no process has code
    place.is_kernel =
        mapping != nullptr && (mapping->file.starts_with("[kernel") || (mapping->file.starts_with('[') && is_high));
  }

  // The kernel part of a sample ends behind its outermost kernel frame, or behind the entry for a missed kernel stack.
  [[nodiscard]] std::size_t end_of_kernel(const PprofFile::Sample& sample) const {
    for (std::size_t i = sample.locations.size(); i-- > 0;) {
      const Role& place = places_[sample.locations[i]];
      if (place.is_kernel || place.stands_in == StandIn::missed_kernel) return i + 1;
    }
    return 0;
  }
  [[nodiscard]] std::size_t begin_of_stack(const PprofFile::Sample& sample) const {
    const bool has_tag = !sample.locations.empty() && places_[sample.locations.front()].stands_in == StandIn::tag;
    return has_tag ? 1 : 0;
  }

  void find_returns(const PprofFile::Sample& sample) {
    const std::size_t begin = begin_of_stack(sample);
    const std::size_t user = std::max(end_of_kernel(sample), begin);
    for (std::size_t i = begin; i < sample.locations.size(); ++i) {
      Role& place = places_[sample.locations[i]];
      (i == begin || i == user ? place.is_leaf : place.is_called_from) = true;
      shown_ += 1 + location(sample.locations[i]).lines;
    }
    // Each frame may show all functions inlined at its location. A file of a megabyte must not become a tree of a
    // billion frames.
    if (shown_ > (1U << 20) + 4 * message_size_) {
      throw Error("its stacks have more inlined functions than a profile of its size can have");
    }
  }

  void add(const PprofFile::Sample& sample) {
    Row row;
    row.value = values_.value(sample);
    row.samples = values_.has_samples() ? values_.samples(sample) : samples_of(profile_.run, row.value);
    if (!total_.add(row.value) || !total_samples_.add(row.samples))
      throw Error("its values add up to more than 2^64 - 1");
    const Labels labels = labels_of(sample, unlabelled_end_);
    const std::string_view name = !labels.process.empty()  ? labels.process
                                  : !labels.thread.empty() ? labels.thread
                                  : labels.has_name        ? std::string_view()
                                                           : program_;
    row.process = processes_.process(labels.tgid, name);
    row.thread_name = labels.has_name ? profile_.strings.intern(labels.thread) : profile_.process(row.process).name;
    row.tid = labels.tid;
    row.cpu = labels.cpu;
    const std::size_t begin = begin_of_stack(sample);
    const std::size_t user = std::max(end_of_kernel(sample), begin);
    if (begin == 1) row.tag = profile_.strings.intern(only_name(location(sample.locations.front())));
    const std::span<const std::uint32_t> locations(sample.locations);
    row.kernel = stack(locations.subspan(begin, user - begin), StandIn::missed_kernel, row.process, StackEnd::unknown);
    row.user = stack(locations.subspan(user), StandIn::missed_user, row.process, labels.user_end);
    if (is_own_ && !labels.waker.empty()) add_waker(row, labels);
    profile_.add(row);
  }

  void add_waker(Row& row, const Labels& labels) {
    row.waker = profile_.strings.intern(labels.waker);
    std::vector<std::string_view> root_first;
    for (std::string_view rest = labels.waker_stack; !rest.empty();) root_first.push_back(take_until(rest, ';'));
    const auto kernel = std::ranges::find_if(root_first, [](std::string_view name) {
      return name.ends_with(pprof::kernel_mark) || name == missed_kernel_stack;
    });
    row.waker_user = waker_stack({root_first.begin(), kernel}, FrameKind::user, row.process);
    row.waker_kernel = waker_stack({kernel, root_first.end()}, FrameKind::kernel, row.process);
  }

  StackId waker_stack(std::span<const std::string_view> root_first, FrameKind kind, ProcessId process) {
    const bool is_kernel = kind == FrameKind::kernel;
    if (root_first.size() == 1 && root_first[0] == (is_kernel ? missed_kernel_stack : missed_user_stack)) {
      return StackId::missed;
    }
    frames_.clear();
    for (std::size_t i = root_first.size(); i-- > 0;) {
      std::string_view name = root_first[i];
      if (is_kernel && name.ends_with(pprof::kernel_mark)) name.remove_suffix(pprof::kernel_mark.size());
      frames_.push_back(profile_.frame(described_frame(profile_, name_text(name), kind, process)));
    }
    return profile_.stack(frames_);
  }

  StackId stack(std::span<const std::uint32_t> leaf_first, StandIn missed, ProcessId process, StackEnd end) {
    if (leaf_first.size() == 1) {
      if (places_[leaf_first[0]].stands_in == missed) return StackId::missed;
      if (places_[leaf_first[0]].stands_in == StandIn::no_stack) return StackId::none;
    }
    frames_.clear();
    for (const std::uint32_t i : leaf_first) {
      const ProcessId space = places_[i].is_kernel ? ProcessId::kernel : process;
      const auto [known, is_new] = frame_ids_.try_emplace(std::uint64_t{i} << 32 | static_cast<std::uint32_t>(space));
      if (is_new) known->second = profile_.frame(frame(i, process));
      frames_.push_back(known->second);
    }
    return profile_.stack(frames_, end);
  }

  Frame frame(std::uint32_t i, ProcessId process) {
    const PprofFile::Location& location = this->location(i);
    const Role& place = places_[i];
    const PprofFile::Mapping* const mapping = file_.mapping(location.mapping);
    const std::span<const PprofFile::Line> lines = file_.lines(location);
    const PprofFile::Function* const function = lines.empty() ? nullptr : file_.function(lines.back().function);
    FrameText text = name_text(function == nullptr ? std::string_view() : function->name);

    // The file holds an address inside the call instruction; the frame keeps the return address, one byte higher.
    const bool seems_return = place.is_called_from && !place.is_leaf;
    const bool is_return = location.is_return.value_or(seems_return) && location.address != 0;
    std::uint64_t address = return_address(location.address, is_return);
    CodeSegment code;
    if (mapping != nullptr) code = segment_of(*mapping);
    if (code.holds(ElfAddress{location.address})) {
      address -= take_from_place(code);
    } else {
      code = {};
    }
    const bool is_own_address = is_own_ && code.is_known();
    std::uint64_t in_file = address;
    if (mapping != nullptr && !is_own_address) {
      const std::uint64_t start = code.is_known() ? code.start.value : mapping->start;
      if (start != 0 && address >= start) in_file = address - start + mapping->file_offset;
    }
    const bool is_hidden = place.is_kernel && function != nullptr && function->name == unknown_name;
    if (text.symbol.empty() && text.module.empty()) text.offset = in_file;
    if (mapping != nullptr && text.module.empty() && !is_hidden) text.module = module_of(mapping->file);

    const bool has_start = function != nullptr && function->start_line != 0;
    const bool is_script = is_own_ && (has_start || location.is_script);
    const FrameKind outside = is_script ? FrameKind::script : FrameKind::user;
    Frame frame = described_frame(profile_, text, place.is_kernel ? FrameKind::kernel : outside, process);
    if (is_script && has_start && has_script_lines_) {
      frame.begins_at = static_cast<std::uint32_t>(std::clamp<std::int64_t>(function->start_line, 1, UINT32_MAX));
    }
    frame.address = RuntimeAddress{address};
    frame.is_return = is_return;
    // Without a symbol, the name says where the function begins.
    if (is_own_address && text.symbol.empty() && function != nullptr && !is_hidden && text.offset <= in_file) {
      frame.function = std::exchange(frame.offset, in_file);
    }
    frame.binary = BinaryId::none;
    frame.binary_address = {};
    const bool is_file = mapping != nullptr && !mapping->file.empty() && !mapping->file.starts_with('[');
    if (is_file && !place.is_kernel) {
      frame.binary = profile_.binary({.path = profile_.strings.intern(without_deleted(mapping->file)),
                                      .build_id = profile_.strings.intern(mapping->build_id),
                                      .code = code});
      frame.binary_address = ElfAddress{code.is_known() ? address : in_file};
    }
    frame.source = source(lines);
    return frame;
  }

  static CodeSegment segment_of(const PprofFile::Mapping& mapping) {
    return {.start = {mapping.start}, .limit = {mapping.limit}, .offset = {mapping.file_offset}};
  }

  // Moves a mapping back to where it was before this profiler moved it. Returns the distance; 0: it was not moved.
  [[nodiscard]] std::uint64_t take_from_place(CodeSegment& code) const {
    const std::uint64_t place = code.start.value & ~(pprof::most_in_place - 1);
    if (!std::binary_search(moved_.begin(), moved_.end(), code.start.value)) return 0;
    code.start.value -= place;
    code.limit.value -= place;
    return place;
  }

  // "libc.so.6" for a path, "kernel" for "[kernel.kallsyms]", "vdso" for "[vdso]".
  static std::string_view module_of(std::string_view file) {
    if (file.starts_with("[kernel")) return "kernel";
    if (file.size() > 2 && file.front() == '[' && file.back() == ']') return file.substr(1, file.size() - 2);
    return last_name(file);
  }

  SourceLocationId source(std::span<const PprofFile::Line> innermost_first) {
    if (innermost_first.empty()) return SourceLocationId::none;
    const auto at = [this](const PprofFile::Line& line) {
      const PprofFile::Function* const function = file_.function(line.function);
      SourceLine place;
      if (function != nullptr) place.file = profile_.strings.intern(function->file);
      if (line.line > 0 && line.line <= UINT32_MAX) place.line = static_cast<std::uint32_t>(line.line);
      return place;
    };
    inlined_.clear();
    for (const PprofFile::Line& line : innermost_first.first(innermost_first.size() - 1)) {
      const PprofFile::Function* const function = file_.function(line.function);
      const std::string_view name = function == nullptr || function->name == unknown_name ? "" : function->name;
      inlined_.push_back({.symbol = profile_.strings.intern(name), .at = at(line)});
    }
    const SourceLine holder = at(innermost_first.back());
    if (inlined_.empty() && holder == SourceLine{}) return SourceLocationId::none;
    return profile_.source({.at = holder, .inlined = inlined_});
  }

  std::size_t message_size_;
  PprofFile file_;
  PprofValues values_;
  Profile profile_;
  NamedProcesses processes_;
  std::vector<Role> places_;                              // by index of location
  std::string_view program_;                              // the process name of samples that have no name label
  std::unordered_map<std::uint64_t, FrameId> frame_ids_;  // key: index of location << 32 | space
  CheckedSum total_;
  CheckedSum total_samples_;
  bool is_own_ = false;                          // this profiler wrote the file
  bool has_script_lines_ = false;                // see has_other_lines()
  StackEnd unlabelled_end_ = StackEnd::unknown;  // of user stacks
  std::vector<std::uint64_t> moved_;             // start addresses of mappings that we moved, ascending
  std::uint64_t shown_ = 0;                      // number of frames of all samples, with inlined ones
  std::vector<FrameId> frames_;
  std::vector<InlinedFunction> inlined_;
};

}  // namespace

Profile read_pprof(ByteSource bytes, const std::string& name) {
  if (is_gzip(bytes.ahead(2))) bytes = gunzipped(std::move(bytes), name);
  const std::string_view message = bytes.whole();
  try {
    return Reader(message).read(name);
  } catch (const Error& error) {
    throw Error(name + ": not a pprof profile that can be read: " + error.what());
  }
}

}  // namespace profile
