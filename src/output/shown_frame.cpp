#include "output/shown_frame.h"

#include <array>

namespace profile {
namespace {

// Blanks that append_clean() keeps and that split() of some language splits at.
constexpr std::array<std::string_view, 17> blanks = {" ",
                                                     "\xc2\xa0",
                                                     "\xe1\x9a\x80",
                                                     "\xe2\x80\x80",
                                                     "\xe2\x80\x81",
                                                     "\xe2\x80\x82",
                                                     "\xe2\x80\x83",
                                                     "\xe2\x80\x84",
                                                     "\xe2\x80\x85",
                                                     "\xe2\x80\x86",
                                                     "\xe2\x80\x87",
                                                     "\xe2\x80\x88",
                                                     "\xe2\x80\x89",
                                                     "\xe2\x80\x8a",
                                                     "\xe2\x80\xaf",
                                                     "\xe2\x81\x9f",
                                                     "\xe3\x80\x80"};

}  // namespace

void append_name(std::string& out, std::string_view name, Semicolon semicolon) {
  if (name.empty()) name = unknown_name;  // a thread may take the empty name
  append_clean(out, name, semicolon);
}

void append_word(std::string& out, std::string_view name) {
  const std::size_t begin = out.size();
  append_name(out, name, Semicolon::replace);
  for (const std::string_view blank : blanks) {
    for (std::size_t at = out.find(blank, begin); at != std::string::npos; at = out.find(blank, at)) {
      out.replace(at, blank.size(), 1, '_');
    }
  }
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
    out += "+0x";
    append_number(out, shown.frame->offset, 16);
    out += ']';
  }
}

void append_source_line(std::string& out, const Profile& profile, const SourceLine& at, Semicolon semicolon) {
  if (at.file == StringId::empty) return;
  const std::string_view path = profile.strings.view(at.file);
  const std::string_view last_name = path.substr(path.rfind('/') + 1);
  out += ' ';
  append_clean(out, last_name.empty() ? path : last_name, semicolon);
  if (at.line == 0) return;
  out += ':';
  append_number(out, at.line);
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
