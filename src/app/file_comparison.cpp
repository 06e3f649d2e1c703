#include "app/file_comparison.h"

#include <string_view>
#include <utility>

#include "app/print.h"
#include "output/text_table.h"
#include "support/error.h"
#include "support/plural.h"

namespace profile {
namespace {

RunBlocks blocks_of(const ReadProfile& file) {
  std::uint64_t samples = 0;
  for (const Row& row : file.profile.rows()) samples += row.samples;
  const auto total = static_cast<double>(file.profile.total());
  return {.block_s = file.block_s,
          .mean_sample = samples == 0 || total == 0 ? 1 : total / static_cast<double>(samples)};
}

}  // namespace

FileComparison::FileComparison(const ReadProfile& before, const ReadProfile& after, bool show_modules,
                               std::string why_no_times)
    : before_(before),
      after_(after),
      same_(show_modules ? SameFunction::by_name_and_module : SameFunction::by_name),
      why_no_times_(std::move(why_no_times)) {
  if (before.block_s != 0 && after.block_s != 0) blocks_ = {.before = blocks_of(before), .after = blocks_of(after)};
}

void FileComparison::write_table(std::ostream& out, DiffOptions options) {
  const FlameComparison& compared = flames();
  options.interval_note = interval_note();
  if (changes_ && !changes_->is_too_short()) options.changes = &*changes_;
  write_diff_table(out, {.name = before_.name, .cells = compared.before},
                   {.name = after_.name, .cells = compared.after}, compared.table, options);
}

void FileComparison::write_flame_graph(std::ostream& out, void (*write)(std::ostream&, const FlameView&)) const {
  write(out, OwnFlameView(after_.profile, &before_.profile, same_, blocks_ ? &*blocks_ : nullptr).view());
}

std::vector<std::string> FileComparison::grown_above(double share) {
  const FlameTable& table = flames().table;
  if (!changes_) throw Error("--fail-above: " + why_no_times_);
  if (changes_->is_too_short()) throw Error("--fail-above: " + too_short());
  std::vector<std::string> lines;
  for (const GrownFunction& grown : changes_->grown_above(share)) {
    const bool has_frames = grown.function < table.frames().size();
    const std::string_view name =
        has_frames ? table.strings().view(table.frames()[grown.function].name) : no_stack_name;
    lines.push_back(std::string(name) + " has grown by " + decimal(100 * grown.share.change, 2) + " ± " +
                    decimal(100 * grown.share.margin(), 2) + " points" + (grown.is_self ? " by itself" : " in total"));
  }
  return lines;
}

const FlameComparison& FileComparison::flames() {
  if (!flames_) {
    flames_ = compare_flames(before_.profile, after_.profile, same_);
    if (blocks_) changes_.emplace(*flames_, *blocks_, FlameChanges::Of::functions);
  }
  return *flames_;
}

std::string FileComparison::too_short() const {
  const std::string block = decimal(changes_->block_s(), 0) + " s";
  return "one of the two has " + number_of(changes_->fewest_blocks(), "block") + " of " + block +
         " with samples, and an interval needs " + std::to_string(least_blocks) + ": record for longer";
}

std::string FileComparison::interval_note() const {
  if (!changes_) return "No intervals: " + why_no_times_;
  if (changes_->is_too_short()) return "No intervals: " + too_short();
  return "± is half of the 95 % interval, from " + changes_->blocks_text();
}

std::string without_times(const std::vector<std::string>& files) {
  return joined(files, " and ", [](const std::string& file) { return file; }) + (files.size() == 1 ? " does" : " do") +
         " not tell when each sample was taken, as recordings (profile record) do";
}

}  // namespace profile
