// One line per stack, `thread;user root;...;kernel leaf value`, for flame graph tools. A reader can split each line at
// its last blank, then at every semicolon, for any names.
#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include "output/labelled_rows.h"
#include "output/output.h"

namespace profile {
namespace {

// A thread's name may begin with "#". A reader takes its line for a comment if a blank follows, or if there are blanks
// and no frames.
std::string without_comment(std::string_view owner, bool has_frames) {
  std::string text(owner);
  if (!text.starts_with('#')) return text;
  if (!has_frames && text.size() == 1) text += '_';
  const auto end = has_frames ? text.begin() + std::min<std::ptrdiff_t>(2, std::ssize(text)) : text.end();
  std::replace(text.begin(), end, ' ', '_');
  return text;
}

}  // namespace

Output make_folded(const OutputOptions& options) {
  const Wording wording{
      .modules = options.show_modules, .annotate = options.annotate, .delimiter = options.delimited ? "-" : ""};
  const auto report = [wording](std::ostream& out, const Profile& profile) {
    const LabelledRows labelled(profile, wording);
    labelled.each_by_value([&](const LabelledRow& row, std::span<const Label> frames) {
      out << without_comment(labelled.text(row.owner), !frames.empty());
      for (const Label frame : frames) out << ';' << labelled.text(frame);
      out << ' ' << std::to_string(row.value) << '\n';
    });
  };
  return {.report = report};
}

}  // namespace profile
