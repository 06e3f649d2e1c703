// One line per stack, `thread;user root;...;kernel leaf value`, for flame graph tools. A reader can split each line at
// its last blank, then at every semicolon, for any names.
#include <ostream>
#include <string>

#include "output/labelled_rows.h"
#include "output/output.h"

namespace profile {

Output make_folded(const OutputOptions& options) {
  const Wording wording{
      .modules = options.show_modules, .annotate = options.annotate, .delimiter = options.delimited ? "-" : ""};
  const auto report = [wording](std::ostream& out, const Profile& profile) {
    const LabelledRows labelled(profile, wording);
    labelled.each_by_value([&](const LabelledRow& row, std::span<const Label> frames) {
      out << labelled.text(row.owner);
      for (const Label frame : frames) out << ';' << labelled.text(frame);
      out << ' ' << std::to_string(row.value) << '\n';
    });
  };
  return {.report = report};
}

}  // namespace profile
