#include "dwarf/lines.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "dwarf/file.h"
#include "dwarf/functions.h"
#include "dwarf/line_table.h"
#include "dwarf/lines_of.h"
#include "dwarf/split.h"

namespace profile {
namespace {

// The most for everything that was split off one program: a second or two of work. The thousand units of a large
// program take only a part of it.
constexpr std::uint64_t most_split_steps = std::uint64_t{1} << 30;

// The most for one file, far above what an honest file needs. An honest file costs each byte once or twice; a
// compressed section costs the bytes that come out of it.
std::uint64_t steps_for(std::uint64_t file_bytes, std::size_t addresses) {
  return (std::uint64_t{16} << 20) + std::min(file_bytes, UINT64_MAX / 64) * 32 +
         std::min<std::uint64_t>(addresses, UINT32_MAX) * 16384;
}

}  // namespace

class SourceChains::Reader {
 public:
  // `other` may be nullptr. All arguments must outlive this.
  Reader(SourceChains& chains, DwarfFile& file, DwarfFile* other, SplitFiles* splits, WorkBudget& split_budget)
      : chains_(chains),
        file_(file),
        other_(other),
        names_(file, other, chains.strings_),
        splits_(splits, split_budget) {}

  [[nodiscard]] const UnreadSplits& unread_splits() const { return splits_.unread(); }

  // `addresses` ascend and are distinct; the answer has their order.
  std::vector<Slice> read(std::span<const std::uint64_t> addresses) {
    const std::vector<std::uint64_t> units = find_units(file_, addresses);
    std::vector<std::size_t> order;  // indices of the addresses that have a unit, sorted by unit
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (units[i] != no_unit) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return units[a] < units[b]; });
    slices_.assign(addresses.size(), {});
    for (std::size_t begin = 0, end = 0; begin < order.size() && !file_.budget().spent(); begin = end) {
      std::vector<std::uint64_t> of_unit;
      for (; end < order.size() && units[order[end]] == units[order[begin]]; ++end) {
        of_unit.push_back(addresses[order[end]]);
      }
      read_unit(units[order[begin]], of_unit, std::span(order).subspan(begin, end - begin));
    }
    return std::move(slices_);
  }

 private:
  // `indices`: where in the answer each of `addresses` stands.
  void read_unit(std::uint64_t offset, std::span<const std::uint64_t> addresses, std::span<const std::size_t> indices) {
    const auto header = file_.unit_at(offset);
    if (!header) return;
    DwarfUnit unit(file_, other_, *header);
    // The line table stays with the skeleton. The file numbers of both parts refer to it.
    DwarfUnit* const split = splits_.find(unit);
    DwarfUnit& holder = split != nullptr ? *split : unit;
    if (split != nullptr) split_names_.emplace(split->file(), nullptr, chains_.strings_);
    DwarfNames& names = split != nullptr ? *split_names_ : names_;
    const DwarfScopes scopes = find_scopes(holder, addresses);
    DwarfLineTable table(unit);
    std::vector<DwarfLine> lines(addresses.size());
    table.find(addresses, lines);

    paths_.clear();
    scope_names_.assign(scopes.scopes.size(), std::nullopt);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      Slice& slice = slices_[indices[i]];
      slice.begin = static_cast<std::uint32_t>(chains_.positions_.size());
      std::uint32_t scope = scopes.innermost[i];
      if (scope == DwarfScope::none && !lines[i].found) continue;
      SourcePosition position;
      if (lines[i].found) position = {StringId::empty, path(table, lines[i].file), lines[i].line};
      for (; scope != DwarfScope::none; scope = scopes.scopes[scope].caller) {
        const DwarfScope& function = scopes.scopes[scope];
        position.function = name(names, holder, scopes, scope);
        if (function.caller == DwarfScope::none) break;
        chains_.positions_.push_back(position);
        position = {StringId::empty, path(table, function.call_file), function.call_line};
      }
      chains_.positions_.push_back(position);
      slice.size = static_cast<std::uint32_t>(chains_.positions_.size()) - slice.begin;
    }
  }

  StringId path(DwarfLineTable& table, std::uint64_t file) {
    const auto [found, is_new] = paths_.try_emplace(file, StringId::empty);
    if (is_new) found->second = chains_.strings_.intern(table.path(file));
    return found->second;
  }

  StringId name(DwarfNames& names, DwarfUnit& unit, const DwarfScopes& scopes, std::uint32_t scope) {
    std::optional<StringId>& known = scope_names_[scope];
    if (!known) known = names.of(unit, scopes.scopes[scope].entry);
    return *known;
  }

  SourceChains& chains_;
  DwarfFile& file_;
  DwarfFile* other_;
  DwarfNames names_;
  DwarfSplits splits_;
  std::vector<Slice> slices_;
  // For the unit that is being read.
  std::unordered_map<std::uint64_t, StringId> paths_;
  std::vector<std::optional<StringId>> scope_names_;
  std::optional<DwarfNames> split_names_;
};

SourceChains read_lines_of(DwarfSections sections, std::optional<DwarfSections> other,
                           std::span<const ElfAddress> addresses, SplitFiles* splits, WorkBudget* given) {
  SourceChains chains;
  const std::uint64_t most = given == nullptr ? UINT64_MAX : given->left() / (splits == nullptr ? 1 : 2);
  const std::uint64_t bytes = sections.size_bytes() + (other ? other->size_bytes() : 0);
  const std::uint64_t steps = std::min(most, steps_for(bytes, addresses.size()));
  const std::uint64_t split_steps = std::min(most, most_split_steps);
  WorkBudget budget(steps);
  WorkBudget split_budget(split_steps);
  DwarfFile file(std::move(sections), budget);
  std::optional<DwarfFile> other_file;
  if (other) other_file.emplace(std::move(*other), budget);

  std::vector<std::uint64_t> distinct;
  for (const ElfAddress address : addresses) distinct.push_back(address.value);
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  SourceChains::Reader reader(chains, file, other_file ? &*other_file : nullptr, splits, split_budget);
  const std::vector<SourceChains::Slice> slices = reader.read(distinct);
  chains.unread_splits_ = reader.unread_splits();
  for (const ElfAddress address : addresses) {
    const auto at = std::lower_bound(distinct.begin(), distinct.end(), address.value) - distinct.begin();
    chains.slices_.push_back(slices[static_cast<std::size_t>(at)]);
  }
  chains.why_ = file.sections().why_unreadable();
  if (chains.why_.empty() && other_file) chains.why_ = other_file->sections().why_unreadable();
  if (chains.why_.empty() && budget.spent()) chains.why_ = "debug information that leads in circles, given up";
  if (given != nullptr && given->left() > 1) {
    const std::uint64_t used = steps - budget.left() + (split_steps - split_budget.left());
    given->take(std::min(used, given->left() - 1));
  }
  return chains;
}

SourceChains read_source_lines(const FileBytes& file, const FileBytes& other_file,
                               std::span<const ElfAddress> addresses, SplitFiles* splits, WorkBudget* budget) {
  SourceChains chains;
  std::string why;
  auto sections = DwarfSections::read(file, why);
  std::optional<DwarfSections> other;
  std::string why_not_other;
  if (sections && other_file) other = DwarfSections::read(other_file, why_not_other);
  if (sections) {
    chains = read_lines_of(std::move(*sections), std::move(other), addresses, splits, budget);
  } else {
    chains.slices_.resize(addresses.size());
    chains.why_ = std::move(why);
  }
  if (chains.why_.empty() && !why_not_other.empty()) chains.why_ = "file of common parts " + why_not_other;
  return chains;
}

}  // namespace profile
