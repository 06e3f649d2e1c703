#include "dwarf/split.h"

#include <utility>

#include "dwarf/constants.h"

namespace profile {
namespace {

constexpr std::size_t most_opened = 16384;
constexpr std::size_t most_unread = 1024;
constexpr const char* of_another_build = "of another build";

std::string path_of(const DwarfUnit& skeleton) {
  const std::string& name = skeleton.split_name();
  if (name.starts_with('/') || skeleton.directory().empty()) return name;
  return skeleton.directory() + '/' + name;
}

}  // namespace

DwarfSplits::DwarfSplits(SplitFiles* files, WorkBudget& budget) : files_(files), budget_(budget) {}

DwarfUnit* DwarfSplits::find(DwarfUnit& skeleton) {
  unit_.reset();
  file_.reset();
  if (files_ == nullptr || skeleton.split_name().empty() || !skeleton.split_id()) return nullptr;
  const std::string path = path_of(skeleton);
  std::string why;
  if (find_in_package(skeleton)) return unit_.get();
  // A file of another build is opened again, because a file may hold the units of several skeletons.
  const auto known = unread_.find(path);
  if (known != unread_.end() && known->second != of_another_build) return nullptr;
  if (find_in_file(skeleton, path, why)) return unit_.get();
  if (budget_.spent()) why = "too much to read";
  if (unread_.size() < most_unread) unread_.try_emplace(path, why);
  return nullptr;
}

bool DwarfSplits::find_in_package(DwarfUnit& skeleton) {
  if (!std::exchange(package_asked_, true)) {
    package_fd_ = files_->package(budget_);
    std::string why;
    auto sections = package_fd_ ? DwarfSections::read(package_fd_.get(), why, &budget_) : std::nullopt;
    if (sections) package_ = std::make_unique<DwarfFile>(std::move(*sections), budget_);
  }
  if (!package_) return false;
  const auto part = find_in_index(*package_, *skeleton.split_id());
  auto header = part ? package_->unit_at(part->info) : std::nullopt;
  if (!header) return false;
  header->abbrev_offset += part->abbrevs;
  return take(
      *package_, *header,
      {.skeleton = &skeleton, .text_offsets_begin = part->text_offsets, .range_lists_begin = part->range_lists});
}

bool DwarfSplits::find_in_file(DwarfUnit& skeleton, const std::string& path, std::string& why) {
  if (++opened_ > most_opened) {
    why = "too many";
    return false;
  }
  fd_ = files_->open(path, why, budget_);
  if (!fd_) return false;
  auto sections = DwarfSections::read(fd_.get(), why, &budget_);
  if (!sections) return false;
  file_ = std::make_unique<DwarfFile>(std::move(*sections), budget_);
  for (const std::uint64_t offset : file_->unit_offsets()) {
    const auto header = file_->unit_at(offset);
    if (header && take(*file_, *header, {.skeleton = &skeleton})) return true;
    if (budget_.spent()) return false;
  }
  why = of_another_build;
  return false;
}

bool DwarfSplits::take(DwarfFile& file, const DwarfUnitHeader& header, const DwarfSplitOff& split) {
  const bool may_be = header.encoding.version < 5 || header.type == dwarf::unit_split_compile;
  if (!may_be || header.encoding.address_bytes != split.skeleton->header().encoding.address_bytes) return false;
  auto unit = std::make_unique<DwarfUnit>(file, nullptr, header, split);
  if (unit->split_id() != split.skeleton->split_id()) return false;
  unit_ = std::move(unit);
  return true;
}

namespace {

constexpr std::uint64_t header_bytes = 16;
constexpr std::uint32_t max_columns = 16;  // there are eight kinds of sections
// The numbers of the sections. Before version 5, number 8 is another section (.debug_macro), not .debug_rnglists.
enum Column : std::uint32_t { info = 1, abbrevs = 3, text_offsets = 6, range_lists = 8 };

class Index {
 public:
  explicit Index(DwarfFile& file) : section_(file.section(DwarfSectionId::cu_index)), budget_(file.budget()) {
    DwarfCursor cursor(section_.window(0, header_bytes));
    // The version has four bytes up to version 4. Since then it has two bytes, and two bytes of padding follow.
    version_ = cursor.u32();
    columns_ = cursor.u32();
    units_ = cursor.u32();
    slots_ = cursor.u32();
    const bool is_known = version_ == 2 || version_ == 5;
    const bool is_sound = columns_ <= max_columns && slots_ != 0 && (slots_ & (slots_ - 1)) == 0 &&
                          table_at(2 * std::uint64_t{units_} + 1) <= section_.size_bytes();
    if (cursor.failed() || !is_known || !is_sound) slots_ = 0;
  }

  // The row of the unit with that id, counted from 1; 0 when there is none.
  [[nodiscard]] std::uint32_t row_of(std::uint64_t id) {
    const std::uint64_t mask = slots_ - std::uint64_t{1};
    const std::uint64_t step = (id >> 32 & mask) | 1;
    std::uint64_t slot = id & mask;
    for (std::uint32_t tried = 0; tried < slots_ && budget_.take(header_bytes); ++tried, slot = (slot + step) & mask) {
      const std::uint32_t row = number(header_bytes + std::uint64_t{8} * slots_ + 4 * slot);
      if (row == 0 || row > units_) return 0;
      DwarfCursor found(section_.window(header_bytes + 8 * slot, 8));
      if (found.u64() == id && !found.failed()) return row;
    }
    return 0;
  }

  [[nodiscard]] DwarfPackagePart part(std::uint32_t row) {
    DwarfPackagePart part;
    for (std::uint32_t column = 0; column < columns_; ++column) {
      const std::uint64_t offset = number(table_at(row) + std::uint64_t{4} * column);
      switch (number(table_at(0) + std::uint64_t{4} * column)) {
        case Column::info:
          part.info = offset;
          break;
        case Column::abbrevs:
          part.abbrevs = offset;
          break;
        case Column::text_offsets:
          part.text_offsets = offset;
          break;
        case Column::range_lists:
          if (version_ == 5) part.range_lists = offset;
          break;
        default:
          break;
      }
    }
    return part;
  }

 private:
  // Row 0 holds the numbers of the sections. Then come the rows of offsets, then the rows of sizes.
  [[nodiscard]] std::uint64_t table_at(std::uint64_t row) const {
    return header_bytes + std::uint64_t{12} * slots_ + 4 * columns_ * row;
  }
  [[nodiscard]] std::uint32_t number(std::uint64_t offset) { return DwarfCursor(section_.window(offset, 4)).u32(); }

  DwarfSection& section_;
  WorkBudget& budget_;
  std::uint32_t version_ = 0;
  std::uint64_t columns_ = 0;
  std::uint32_t units_ = 0;
  std::uint32_t slots_ = 0;
};

}  // namespace

std::optional<DwarfPackagePart> find_in_index(DwarfFile& package, std::uint64_t id) {
  Index index(package);
  const std::uint32_t row = index.row_of(id);
  return row == 0 ? std::nullopt : std::optional(index.part(row));
}

}  // namespace profile
