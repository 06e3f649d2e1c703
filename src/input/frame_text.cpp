#include "input/frame_text.h"

#include <charconv>

namespace profile {
namespace {

constexpr std::string_view vdso_module = "vdso";

// The number that `digits` are when they are written as our formats write it: whole, without zeros in front.
template <class Number>
bool read_number(std::string_view digits, int base, Number& number) {
  if (digits.empty() || (digits.size() > 1 && digits.front() == '0')) return false;
  if (digits.find_first_of("ABCDEF") != digits.npos) return false;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return error == std::errc{} && end == digits.data() + digits.size();
}

// "[module+0xoff]"
bool is_place_in_module(std::string_view text, FrameText& place) {
  constexpr std::string_view mark = "+0x";
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  text = text.substr(1, text.size() - 2);
  const std::size_t at = text.rfind(mark);
  if (at == text.npos || at == 0) return false;
  if (!read_number(text.substr(at + mark.size()), 16, place.offset)) return false;
  place.module = text.substr(0, at);
  return true;
}

// Takes " main.cpp:42" off. A file without a dot may be anything, one with a slash would not be shown as it was.
void take_line_off(std::string_view& text, FrameText& into) {
  const std::size_t space = text.rfind(' ');
  const std::size_t colon = text.rfind(':');
  if (space == text.npos || space == 0 || colon == text.npos || colon < space + 2) return;
  const std::string_view file = text.substr(space + 1, colon - space - 1);
  std::uint32_t line = 0;
  if (file.find('.') == file.npos || file.find('/') != file.npos) return;
  if (!read_number(text.substr(colon + 1), 10, line) || line == 0) return;
  into.file = file;
  into.line = line;
  text = text.substr(0, space);
}

// Takes " [libc.so.6]" off. In names there are "[clone .cold]" and "operator new[]".
void take_module_off(std::string_view& text, FrameText& into) {
  if (text.empty() || text.back() != ']') return;
  const std::size_t space = text.rfind(' ');
  if (space == text.npos || space == 0 || space + 3 >= text.size() || text[space + 1] != '[') return;
  const std::string_view module = text.substr(space + 2, text.size() - space - 3);
  if (module.find_first_of("[]") != module.npos) return;
  into.module = module;
  text = text.substr(0, space);
}

}  // namespace

FrameText name_text(std::string_view text) {
  FrameText read;
  if (text != unknown_name && !is_place_in_module(text, read)) read.symbol = text;
  return read;
}

FrameText frame_text(std::string_view text) {
  FrameText read = name_text(text);
  if (read.symbol.empty()) return read;
  take_line_off(text, read);
  take_module_off(text, read);
  read.symbol = text;
  return read;
}

Frame described_frame(Profile& profile, const FrameText& text, FrameKind kind, ProcessId process) {
  Frame frame;
  frame.kind = kind;
  frame.space = kind == FrameKind::kernel ? ProcessId::kernel : process;
  frame.unnamed = text.symbol.empty() ? Unnamed::no_symbol : Unnamed::named;
  frame.symbol = profile.strings.intern(text.symbol);
  frame.module = profile.strings.intern(text.module);
  frame.offset = text.symbol.empty() ? text.offset : unknown_offset;
  if (!text.file.empty()) {
    frame.source =
        profile.source({.at = {.file = profile.strings.intern(text.file), .line = text.line}, .inlined = {}});
  }
  const bool is_file = !text.module.empty() && text.module != jit_module && text.module != vdso_module;
  if (kind == FrameKind::user && is_file) {
    frame.binary = profile.binary({.path = frame.module, .build_id = StringId::empty});
    frame.binary_address = ElfAddress{text.offset};
  }
  return frame;
}

}  // namespace profile
