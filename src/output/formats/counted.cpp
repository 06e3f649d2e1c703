// The default format: one block per stack, one line per frame. The hottest block is the last, so that it is next to the
// prompt or to the tables.
#include <ostream>
#include <string>

#include "output/header.h"
#include "output/labelled_rows.h"
#include "output/output.h"
#include "output/tables.h"

namespace profile {
namespace {

void write_stacks(std::ostream& out, const Profile& profile, const Wording& wording) {
  const LabelledRows labelled(profile, wording);
  std::string block;
  labelled.each_by_value([&](const LabelledRow& row, std::span<const Label> frames) {
    block.clear();
    for (const Label frame : frames) block.append("    ").append(labelled.text(frame)).append(1, '\n');
    block.append("    -                ").append(labelled.text(row.owner)).append("\n        ");
    block.append(std::to_string(row.value)).append("\n\n");
    out << block;
  });
}

}  // namespace

Output make_counted(const OutputOptions& options) {
  const Wording wording{.owner = Wording::Owner::thread_and_tgid,
                        .owner_first = false,
                        .root_first = false,
                        .offsets = true,
                        .modules = true,
                        .addresses = options.show_addresses,
                        .semicolon = Semicolon::keep,
                        .delimiter = options.delimited ? "--" : ""};
  const auto report = [wording, top = options.top](std::ostream& out, const Profile& profile) {
    write_stacks(out, profile, wording);
    write_tables(out, profile, top);
  };
  return {.begin = write_header, .report = report};
}

}  // namespace profile
