#include "output/shown_frame.h"

namespace profile {
namespace {

// Blanks that append_clean() keeps and that split() of some language splits at.
bool is_blank(std::uint32_t value) {
  const bool is_space = value >= 0x2000 && value <= 0x200a;  // of one width or another
  return is_space || value == ' ' || value == 0xa0 || value == 0x1680 || value == 0x202f || value == 0x205f ||
         value == 0x3000;
}

}  // namespace

void append_name(std::string& out, std::string_view name, Semicolon semicolon) {
  if (name.empty()) name = unknown_name;  // a thread may take the empty name
  append_clean(out, name, semicolon);
}

void append_word(std::string& out, std::string_view name) {
  std::string clean;
  append_name(clean, name, Semicolon::replace);
  for (std::string_view rest = clean; !rest.empty();) {
    const CodePoint point = first_code_point(rest);
    out += is_blank(point.value) ? "_" : rest.substr(0, point.size);
    rest.remove_prefix(point.size);
  }
}

void append_pid(std::string& out, std::uint32_t tgid) {
  const bool is_idle = std::string_view(out).substr(out.rfind(' ') + 1).starts_with("swapper");
  if (tgid == 0 && !is_idle && !out.ends_with(')')) return;
  append_all(out, " (", tgid, ")");
}

std::string code_file_name(const Profile& profile, const Frame& frame) {
  std::string name(profile.strings.view(frame.module));
  if (frame.kind != FrameKind::kernel) return name;
  return "[" + (name.empty() ? "kernel" : name) + "]";
}

void append_function(std::string& out, const Profile& profile, const ShownFrame& shown, Semicolon semicolon) {
  const std::string_view module = profile.strings.view(shown.frame->module);
  if (shown.symbol != StringId::empty) {
    append_clean(out, profile.strings.view(shown.symbol), semicolon);
  } else if (module.empty() || shown.is_inlined) {
    out += unknown_name;
  } else {
    out += '[';
    append_clean(out, module, semicolon);
    const Frame& frame = *shown.frame;
    append_all(out, "+0x", hex(frame.function == unknown_offset ? frame.offset : frame.function), "]");
  }
}

std::uint64_t offset_in_function(const ShownFrame& shown) {
  const Frame& frame = *shown.frame;
  if (shown.is_inlined) return unknown_offset;
  if (shown.symbol != StringId::empty) return frame.offset;
  return frame.function <= frame.offset ? frame.offset - frame.function : unknown_offset;
}

void append_source_line(std::string& out, const Profile& profile, const SourceLine& at, Semicolon semicolon) {
  if (at.file == StringId::empty) return;
  const std::string_view path = profile.strings.view(at.file);
  const std::string_view last_name = path.substr(path.rfind('/') + 1);
  out += ' ';
  append_clean(out, last_name.empty() ? path : last_name, semicolon);
  if (at.line != 0) append_all(out, ":", at.line);
}

ShownParts shown_parts(const Profile& profile, const Row& row) {
  ShownParts parts;
  if (row.tag != StringId::empty) {
    parts.push_back({.kind = ShownPart::Kind::tag, .text = profile.strings.view(row.tag)});
  }
  const auto add = [&parts](ShownPart::Kind kind, StackId stack, std::string_view if_missed) {
    if (stack == StackId::missed) {
      parts.push_back({.kind = kind, .text = if_missed});
    } else if (stack != StackId::none) {
      parts.push_back({.kind = kind, .stack = stack});
    }
  };
  add(ShownPart::Kind::kernel, row.kernel, missed_kernel_stack);
  add(ShownPart::Kind::user, row.user, missed_user_stack);
  return parts;
}

}  // namespace profile
