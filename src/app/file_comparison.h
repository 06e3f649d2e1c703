// Two profiles that `profile diff` compares, with all that its outputs need of them. What takes long is made once, when
// it is asked for.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/reading.h"
#include "output/flame/changes.h"
#include "output/flame/comparison.h"
#include "output/flame/diff_table.h"
#include "output/flame/view.h"

namespace profile {

class FileComparison {
 public:
  // Both must outlive it. There are intervals if both were read in blocks (read_in_blocks()). `why_no_times`: why they
  // were not, as without_times() says it; otherwise "".
  FileComparison(const ReadProfile& before, const ReadProfile& after, bool show_modules, std::string why_no_times);

  void write_table(std::ostream& out, DiffOptions options);
  void write_flame_graph(std::ostream& out, void (*write)(std::ostream&, const FlameView&)) const;
  // A line for each function that has surely grown by more than `share` of the whole. Throws Error if that cannot be
  // known.
  [[nodiscard]] std::vector<std::string> grown_above(double share);

 private:
  const FlameComparison& flames();
  [[nodiscard]] std::string too_short() const;
  [[nodiscard]] std::string interval_note() const;

  const ReadProfile& before_;
  const ReadProfile& after_;
  SameFunction same_;
  std::string why_no_times_;
  std::optional<ComparedBlocks> blocks_;   // nullopt: there are no intervals
  std::optional<FlameComparison> flames_;  // of the table
  std::optional<FlameChanges> changes_;    // of flames_, if there are blocks_
};

// "a.folded and b.folded do not tell when ..."
[[nodiscard]] std::string without_times(const std::vector<std::string>& files);

}  // namespace profile
