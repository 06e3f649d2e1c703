// Shows where each process spends its time: each stack's share of the process, leaf to root, the largest first.
#include <algorithm>
#include <functional>
#include <iomanip>
#include <ostream>
#include <span>

#include "output/labelled_rows.h"
#include "output/output.h"
#include "output/text_table.h"

namespace profile {
namespace {

constexpr int share_width = 5;  // "99.9%"

// The rows of one process, the largest first.
struct Group {
  std::span<LabelledRow> rows;
  std::uint64_t total = 0;
};

// `rows` must be sorted by owner, so that the rows of each owner are together.
std::vector<Group> groups_of(std::span<LabelledRow> rows) {
  std::vector<Group> groups;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    std::uint64_t total = 0;
    for (; end < rows.size() && rows[end].owner == rows[begin].owner; ++end) total += rows[end].value;
    groups.push_back({.rows = rows.subspan(begin, end - begin), .total = total});
    std::ranges::stable_sort(groups.back().rows, std::ranges::greater(), &LabelledRow::value);
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), &Group::total);
  return groups;
}

void write_row(std::ostream& out, const LabelledRows& labelled, const LabelledRow& row, std::uint64_t total) {
  out << std::setw(share_width) << percent(row.value, total) << "     ";
  std::vector<Label> frames;
  labelled.frames(row, frames);
  for (const Label frame : frames) out << labelled.text(frame) << ';';
  if (frames.empty()) out << no_stack_name << ';';  // a share without any frame would look like an error
  out << '\n';
}

}  // namespace

Output make_residency(const OutputOptions& options) {
  const Wording wording{
      .owner = Wording::Owner::process_and_tgid, .root_first = false, .modules = options.show_modules};
  const auto report = [wording](std::ostream& out, const Profile& profile) {
    const LabelledRows labelled(profile, wording);
    std::vector<LabelledRow> rows = labelled.rows();
    const std::vector<Group> groups = groups_of(rows);

    out << "Residency Stack trace\n";
    for (const Group& group : groups) {
      if (&group != groups.data()) out << '\n';
      if (groups.size() > 1) out << labelled.text(group.rows.front().owner) << '\n';
      for (const LabelledRow& row : group.rows) write_row(out, labelled, row, group.total);
    }
  };
  return {.report = report};
}

}  // namespace profile
