// Stacks in JSON, each item once: rows refer to stacks by number, stacks to frames, frames to modules and processes.
// Rows decide the order of the numbers, so items that no row needs are not written.
#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/stack_end.h"
#include "model/unnamed_words.h"
#include "output/clean_text.h"
#include "output/formats/json_parts.h"
#include "support/hash.h"

namespace profile {
namespace {

// Assigns the numbers 0, 1, … in the order of add().
template <class Id>
class Numbering {
 public:
  // Returns whether `id` is new.
  bool add(Id id) {
    const auto index = static_cast<std::size_t>(id);
    if (index >= numbers_.size()) numbers_.resize(index + 1, none);
    if (numbers_[index] != none) return false;
    numbers_[index] = static_cast<std::uint32_t>(ids_.size());
    ids_.push_back(id);
    return true;
  }
  [[nodiscard]] std::uint32_t of(Id id) const { return numbers_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const std::vector<Id>& ids() const { return ids_; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> numbers_;  // by id
  std::vector<Id> ids_;                 // by number
};

// Addresses are written as text, because many JSON readers turn numbers into doubles and lose bits.
std::string hexadecimal(std::uint64_t value) {
  char digits[18] = {'0', 'x'};
  return {digits, std::to_chars(digits + 2, digits + sizeof digits, value, 16).ptr};
}

class Tables {
 public:
  Tables(JsonWriter& json, const Profile& profile, const std::function<bool(const Row&)>& wanted)
      : json_(json), profile_(profile), wanted_(wanted) {
    for (const Row& row : profile.rows()) {
      if (!wanted(row)) continue;
      value_ += row.value;
      samples_ += row.samples;
      ends_.add(profile, row);
      processes_.add(row.process);
      add_stack(row.user);
      add_stack(row.kernel);
      add_stack(row.waker_user);
      add_stack(row.waker_kernel);
    }
  }

  void write() {
    json_.begin_object();
    json_.member("unit", profile_.run.unit.word());
    json_.member("total_value", value_);
    json_.member("total_samples", samples_);
    if (ends_.any_known() && samples_ != 0) write_ends();
    write_processes();
    write_modules();
    write_binaries();
    write_frames();
    write_stacks();
    write_rows();
    json_.end_object();
  }

 private:
  static bool is_taken(StackId stack) { return stack != StackId::none && stack != StackId::missed; }

  // Stacks with the same frames but different ends are one stack here; returns the first of them.
  StackId first_of_frames(StackId stack) {
    const std::span<const FrameId> frames = profile_.stack(stack);
    const std::string_view bytes(reinterpret_cast<const char*>(frames.data()), frames.size_bytes());
    return by_frames_.try_emplace(bytes, stack).first->second;
  }

  void add_stack(StackId stack) {
    if (!is_taken(stack) || !stacks_.add(first_of_frames(stack))) return;
    for (const FrameId id : profile_.stack(stack)) {
      if (!frames_.add(id)) continue;
      const Frame& frame = profile_.frame(id);
      if (frame.module != StringId::empty) modules_.add(frame.module);
      if (is_located(frame)) binaries_.add(frame.binary);
      if (frame.kind != FrameKind::kernel) processes_.add(frame.space);
    }
  }

  void write_ends() {
    json_.begin_object("user_stack_ends");
    ends_.each([this](StackEnd end, std::uint64_t samples) {
      if (samples != 0) json_.member(words_of(end).key, samples);
    });
    json_.end_object();
  }

  void write_processes() {
    json_.begin_array("processes");
    for (const ProcessId id : processes_.ids()) {
      const Process& process = profile_.process(id);
      json_.begin_object();
      json_.member("pid", process.tgid);
      json_.member("image", process.image);
      json_.member("name", clean_name(text(process.name)));
      json_.end_object();
    }
    json_.end_array();
  }

  void write_modules() {
    json_.begin_array("modules");
    for (const StringId id : modules_.ids()) {
      json_.begin_object();
      json_.member("name", text(id));
      json_.end_object();
    }
    json_.end_array();
  }

  // Whether it is known where in which build of a file the frame is. In a profile from a file, a binary may be no more
  // than a module.
  [[nodiscard]] bool is_located(const Frame& frame) const {
    return frame.binary != BinaryId::none && profile_.binary(frame.binary).build_id != StringId::empty;
  }

  void write_binaries() {
    if (binaries_.ids().empty()) return;
    json_.begin_array("binaries");
    for (const BinaryId id : binaries_.ids()) {
      const Binary& binary = profile_.binary(id);
      json_.begin_object();
      json_.member("path", text(binary.path));
      json_.member("build_id", text(binary.build_id));
      if (binary.code.is_known()) {
        json_.member("start", hexadecimal(binary.code.start.value));
        json_.member("limit", hexadecimal(binary.code.limit.value));
        json_.member("file_offset", hexadecimal(binary.code.offset.value));
      }
      json_.end_object();
    }
    json_.end_array();
  }

  void write_frames() {
    json_.begin_array("frames");
    for (const FrameId id : frames_.ids()) write_frame(profile_.frame(id));
    json_.end_array();
  }

  void write_frame(const Frame& frame) {
    json_.begin_object();
    json_.member("kind", frame.kind == FrameKind::kernel   ? "kernel"
                         : frame.kind == FrameKind::script ? "script"
                                                           : "user");
    if (frame.kind != FrameKind::kernel) json_.member("process", processes_.of(frame.space));
    if (frame.unnamed != Unnamed::named) {
      json_.member("unnamed", word_of(frame.unnamed));
    } else if (frame.symbol == StringId::empty) {
      json_.member("unnamed", word_of(Unnamed::no_symbol));
    } else {
      json_.member("symbol", text(frame.symbol));
    }
    if (frame.module != StringId::empty) json_.member("module", modules_.of(frame.module));
    if (frame.offset != unknown_offset) json_.member("offset", frame.offset);
    if (frame.function != unknown_offset) json_.member("function", frame.function);
    json_.member("address", hexadecimal(frame.address.value));
    if (is_located(frame)) {
      json_.member("binary", binaries_.of(frame.binary));
      json_.member("binary_address", hexadecimal(frame.binary_address.value));
    }
    if (frame.is_return) json_.member("is_return", true);
    const SourceLocation source = profile_.source(frame.source);
    write_line(source.at);
    if (frame.begins_at != 0) json_.member("begins_at", frame.begins_at);
    if (!source.inlined.empty()) write_inlined(source.inlined);
    json_.end_object();
  }

  void write_line(const SourceLine& at) {
    if (at.file == StringId::empty) return;
    json_.member("file", text(at.file));
    if (at.line != 0) json_.member("line", at.line);
  }

  void write_inlined(std::span<const InlinedFunction> functions) {
    json_.begin_array("inlined");
    for (const InlinedFunction& function : functions) {
      json_.begin_object();
      if (function.symbol != StringId::empty) json_.member("symbol", text(function.symbol));
      write_line(function.at);
      json_.end_object();
    }
    json_.end_array();
  }

  void write_stacks() {
    json_.begin_array("stacks");
    for (const StackId id : stacks_.ids()) {
      json_.begin_array();
      for (const FrameId frame : profile_.stack(id)) json_.value(frames_.of(frame));
      json_.end_array();
    }
    json_.end_array();
  }

  void write_rows() {
    json_.begin_array("rows");
    for (const Row& row : profile_.rows()) {
      if (!wanted_(row)) continue;
      json_.begin_object();
      json_.member("process", processes_.of(row.process));
      if (row.tid != 0) json_.member("tid", row.tid);
      if (row.cpu != any_cpu) json_.member("cpu", row.cpu);
      json_.member("thread", clean_name(text(row.thread_name)));
      write_stack_of_row("user", row.user);
      write_end("user_end", row.user);
      write_stack_of_row("kernel", row.kernel);
      if (row.tag != StringId::empty) json_.member("tag", text(row.tag));
      if (row.waker != StringId::empty) {
        json_.member("waker", clean_name(text(row.waker)));
        write_stack_of_row("waker_user", row.waker_user);
        write_end("waker_user_end", row.waker_user);
        write_stack_of_row("waker_kernel", row.waker_kernel);
      }
      json_.member("value", row.value);
      json_.member("samples", row.samples);
      json_.end_object();
    }
    json_.end_array();
  }

  void write_stack_of_row(std::string_view name, StackId stack) {
    if (is_taken(stack)) json_.member(name, stacks_.of(first_of_frames(stack)));
    if (stack == StackId::missed) json_.member(name, "missed");
  }

  void write_end(std::string_view name, StackId stack) {
    const StackEnd end = profile_.end_of(stack);
    if (end != StackEnd::unknown) json_.member(name, words_of(end).key);
  }

  [[nodiscard]] std::string_view text(StringId id) const { return profile_.strings.view(id); }

  JsonWriter& json_;
  const Profile& profile_;
  const std::function<bool(const Row&)>& wanted_;
  std::uint64_t value_ = 0;
  std::uint64_t samples_ = 0;
  StackEndCounts ends_;
  Numbering<ProcessId> processes_;
  Numbering<StringId> modules_;
  Numbering<BinaryId> binaries_;
  Numbering<FrameId> frames_;
  Numbering<StackId> stacks_;
  std::unordered_map<std::string_view, StackId, TextHash> by_frames_;  // key: the bytes of the frame numbers
};

}  // namespace

void write_json_stacks(JsonWriter& json, const Profile& profile, const std::function<bool(const Row&)>& wanted) {
  Tables(json, profile, wanted).write();
}

}  // namespace profile
