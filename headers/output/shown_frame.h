// What all formats show of a row and of a frame, and in which words. The stream formats write the same few thousand
// stacks and names a million times, so KeptTexts renders each once.
#pragma once

#include <boost/container/static_vector.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/profile.h"
#include "output/clean_text.h"

namespace profile {

// A number as append_all() writes it: right-aligned to at least `width` characters with `fill`.
struct NumberForm {
  std::uint64_t value = 0;
  int base = 10;
  std::size_t width = 1;
  char fill = '0';
};
[[nodiscard]] inline NumberForm hex(std::uint64_t value, std::size_t width = 1) {
  return {.value = value, .base = 16, .width = width};
}
[[nodiscard]] inline NumberForm zero_filled(std::uint64_t value, std::size_t width) {
  return {.value = value, .width = width};
}
[[nodiscard]] inline NumberForm aligned(std::uint64_t value, std::size_t width) {
  return {.value = value, .width = width, .fill = ' '};
}

inline void append_number(std::string& out, const NumberForm& number) {
  char digits[20];  // as many as 2^64 - 1 has in base 10
  const char* const end = std::to_chars(digits, digits + sizeof digits, number.value, number.base).ptr;
  const auto size = static_cast<std::size_t>(end - digits);
  if (size < number.width) out.append(number.width - size, number.fill);
  out.append(digits, size);
}

// Appends texts and numbers, one behind the other. Numbers without a form are decimal.
template <class... Items>
void append_all(std::string& out, const Items&... items) {
  const auto append = [&out]<class Item>(const Item& item) {
    static_assert(!std::is_same_v<Item, char>, "a character is no number");
    if constexpr (std::is_same_v<Item, NumberForm>) {
      append_number(out, item);
    } else if constexpr (std::is_integral_v<Item>) {
      append_number(out, {.value = item});
    } else {
      out += item;
    }
  };
  (append(items), ...);
}

// Appends the clean name of a thread; "[unknown]" if it is empty.
void append_name(std::string& out, std::string_view name, Semicolon semicolon);
// The same as one word, for lines that readers split at blanks and semicolons. Each blank, also of Unicode, becomes an
// underscore.
void append_word(std::string& out, std::string_view name);

// Appends " (185)" to `out`, which ends with the name of the process or of its thread. Where no number is known, only
// a name that ends like one gets the 0, so that readers take nothing off the name; and the idle task, whose number it
// is.
void append_pid(std::string& out, std::uint32_t tgid);

// Whether the line is a part of what the frame is, so that two lines of one function are two frames. That of a script's
// function may be where the function begins.
[[nodiscard]] inline bool is_apart_by_line(const RunInfo& run, const Frame& frame) {
  return run.frames_by_line && (frame.kind != FrameKind::script || frame.begins_at != 0);
}

// A frame as it is shown: a function inlined at the address, or the function that has the code.
struct ShownFrame {
  const Frame* frame = nullptr;
  bool is_inlined = false;
  StringId symbol = StringId::empty;  // empty when not known
  SourceLine at;
};

// The mark that -a puts after a frame of folded lines.
[[nodiscard]] inline std::string_view mark_of(FrameKind kind, bool is_inlined) {
  if (is_inlined) return "_[i]";
  if (kind == FrameKind::script) return "_[s]";
  return kind == FrameKind::kernel ? "_[k]" : "";
}

// Calls `show` for each function of a frame, leaf first: the inlined functions, then the function that has the code.
template <class Show>
void for_each_shown(const Profile& profile, FrameId id, const Show& show) {
  const Frame& frame = profile.frame(id);
  const SourceLocation source = profile.source(frame.source);
  for (const InlinedFunction& function : source.inlined) {
    show(ShownFrame{.frame = &frame, .is_inlined = true, .symbol = function.symbol, .at = function.at});
  }
  const bool named = frame.unnamed == Unnamed::named;
  show(ShownFrame{.frame = &frame, .symbol = named ? frame.symbol : StringId::empty, .at = source.at});
}

// The same for each frame of a stack.
template <class Show>
void for_each_shown(const Profile& profile, StackId stack, const Show& show) {
  for (const FrameId id : profile.stack(stack)) for_each_shown(profile, id, show);
}

// The name of the file or kernel module that holds the code of a frame: "libc.so.6"; "[kernel]" or "[nf_tables]" for
// kernel code, in brackets as perf prints it; "" when not known.
[[nodiscard]] std::string code_file_name(const Profile& profile, const Frame& frame);

// "main"; "[dd+0x1234]" if only the file and where the function begins are known, or only the place itself; or
// "[unknown]".
void append_function(std::string& out, const Profile& profile, const ShownFrame& shown, Semicolon semicolon);

// How far the frame is from the start of what append_function() has written; unknown_offset where nobody knows.
[[nodiscard]] std::uint64_t offset_in_function(const ShownFrame& shown);

// " box.h:30": a blank, the last part of the path and the line, as far as they are known.
void append_source_line(std::string& out, const Profile& profile, const SourceLine& at, Semicolon semicolon);

// A part of what is shown of a row: the frames of a stack, or one text, for the tag and for a stack that was missed.
struct ShownPart {
  enum class Kind : std::uint8_t { tag, kernel, user };
  Kind kind{};
  StackId stack = StackId::none;  // none: `text` is shown
  std::string_view text = {};     // not clean (output/clean_text.h)
};
// The parts that the row has, leaf first: tag, kernel stack, user stack.
using ShownParts = boost::container::static_vector<ShownPart, 3>;
[[nodiscard]] ShownParts shown_parts(const Profile& profile, const Row& row);

// Keeps rendered texts by a StackId or a StringId. When they are larger than 8 MiB, all are dropped and rendered again
// when needed.
class KeptTexts {
 public:
  // Appends the text of `id` to `out`. If it is not kept yet, `render(std::string&)` must append it to the kept texts.
  template <class Id, class Render>
  void append(std::string& out, Id id, const Render& render) {
    const auto index = static_cast<std::size_t>(id);
    if (index >= slices_.size() || slices_[index].size == 0) {
      if (texts_.size() > most_bytes) forget();
      if (index >= slices_.size()) slices_.resize(index + 1);
      const std::size_t begin = texts_.size();
      render(texts_);
      slices_[index] = {.begin = begin, .size = texts_.size() - begin};
    }
    out.append(texts_, slices_[index].begin, slices_[index].size);
  }

  void forget() {
    texts_.clear();
    slices_.clear();
  }

 private:
  static constexpr std::size_t most_bytes = 8 << 20;
  struct Slice {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  std::string texts_;
  std::vector<Slice> slices_;
};

}  // namespace profile
