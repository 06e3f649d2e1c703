// Finds split debug information: the program has only skeletons of its units. The compiler left the rest beside each
// object file (.dwo), or a tool gathered all of it in one package (.dwp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dwarf/file.h"
#include "dwarf/split_files.h"
#include "dwarf/unit.h"
#include "support/fd.h"

namespace profile {

class DwarfSplits {
 public:
  // `files` may be nullptr; then nothing is looked for. Both must outlive this.
  DwarfSplits(SplitFiles* files, WorkBudget& budget);
  DwarfSplits(const DwarfSplits&) = delete;
  DwarfSplits& operator=(const DwarfSplits&) = delete;

  // The unit that was split off `skeleton`, which must outlive the answer. The answer is valid until the next call.
  // nullptr: nothing was split off, or it cannot be read.
  [[nodiscard]] DwarfUnit* find(DwarfUnit& skeleton);
  [[nodiscard]] const UnreadSplits& unread() const { return unread_; }

 private:
  [[nodiscard]] bool find_in_package(DwarfUnit& skeleton);
  [[nodiscard]] bool find_in_file(DwarfUnit& skeleton, const std::string& path, std::string& why);
  // Whether that unit was split off `split.skeleton`. If so, it becomes unit_.
  [[nodiscard]] bool take(DwarfFile& file, const DwarfUnitHeader& header, const DwarfSplitOff& split);

  SplitFiles* files_;
  WorkBudget& budget_;
  std::size_t opened_ = 0;
  bool package_asked_ = false;
  Fd package_fd_;
  std::unique_ptr<DwarfFile> package_;
  Fd fd_;
  std::unique_ptr<DwarfFile> file_;
  std::unique_ptr<DwarfUnit> unit_;
  UnreadSplits unread_;
};

// Finds a unit in the index of a package of split debug information (.dwp). The index is a hash table from a unit's id
// to where the unit's parts of the sections begin.
struct DwarfPackagePart {
  std::uint64_t info = 0;
  std::uint64_t abbrevs = 0;
  std::uint64_t text_offsets = 0;
  std::uint64_t range_lists = 0;
};

// nullopt: no unit has that id, or the index is damaged.
[[nodiscard]] std::optional<DwarfPackagePart> find_in_index(DwarfFile& package, std::uint64_t id);

}  // namespace profile
