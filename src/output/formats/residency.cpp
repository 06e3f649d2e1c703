// Shows where each process spends its time: each stack's share of the process, leaf to root, the largest first.
#include <algorithm>
#include <cstdio>
#include <ostream>
#include <span>

#include "output/labelled_rows.h"
#include "output/output.h"

namespace profile {
namespace {

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
    std::stable_sort(groups.back().rows.begin(), groups.back().rows.end(),
                     [](const auto& a, const auto& b) { return a.value > b.value; });
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.total > b.total; });
  return groups;
}

void write_row(std::ostream& out, const LabelledRows& labelled, const LabelledRow& row, std::uint64_t total) {
  const double percent = total == 0 ? 0.0 : 100.0 * static_cast<double>(row.value) / static_cast<double>(total);
  char share[32];
  std::snprintf(share, sizeof share, "%4.1f%%     ", percent);
  out << share;
  std::vector<Label> frames;
  labelled.frames(row, frames);
  for (const Label frame : frames) out << labelled.text(frame) << ';';
  if (frames.empty()) out << no_stack_name << ';';  // a share without any frame would look like an error
  out << '\n';
}

class Residency final : public Output {
 public:
  explicit Residency(const OutputOptions& options) {
    wording_.owner = Wording::Owner::process_and_tgid;
    wording_.root_first = false;
    wording_.modules = options.show_modules;
  }

  void report(std::ostream& out, const Profile& profile) const override {
    const LabelledRows labelled(profile, wording_);
    std::vector<LabelledRow> rows = labelled.rows();
    const std::vector<Group> groups = groups_of(rows);

    out << "Residency Stack trace\n";
    for (const Group& group : groups) {
      if (&group != groups.data()) out << '\n';
      if (groups.size() > 1) out << labelled.text(group.rows.front().owner) << '\n';
      for (const LabelledRow& row : group.rows) write_row(out, labelled, row, group.total);
    }
  }

 private:
  Wording wording_;
};

}  // namespace

std::unique_ptr<Output> make_residency(const OutputOptions& options) { return std::make_unique<Residency>(options); }

}  // namespace profile
