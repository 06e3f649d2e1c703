// Split debug information: the program has only skeletons of its units, and the compiler left the rest beside each
// object file (.dwo), or somebody gathered all of that in one package (.dwp).
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
  // `files` may be nullptr: nothing is looked for. It must outlive this.
  explicit DwarfSplits(SplitFiles* files);
  DwarfSplits(const DwarfSplits&) = delete;
  DwarfSplits& operator=(const DwarfSplits&) = delete;

  // What was split off `skeleton`, which must outlive it; valid until the next call. nullptr: nothing was, or it cannot
  // be read.
  [[nodiscard]] DwarfUnit* find(DwarfUnit& skeleton);
  [[nodiscard]] const UnreadSplits& unread() const { return unread_; }

 private:
  [[nodiscard]] bool find_in_package(DwarfUnit& skeleton);
  [[nodiscard]] bool find_in_file(DwarfUnit& skeleton, const std::string& path, std::string& why);
  // Whether that unit is the one.
  [[nodiscard]] bool take(DwarfFile& file, const DwarfUnitHeader& header, const DwarfSplitOff& split);

  SplitFiles* files_;
  WorkBudget budget_;
  std::size_t opened_ = 0;
  bool package_asked_ = false;
  Fd package_fd_;
  std::unique_ptr<DwarfFile> package_;
  Fd fd_;
  std::unique_ptr<DwarfFile> file_;
  std::unique_ptr<DwarfUnit> unit_;
  UnreadSplits unread_;
};

// The index of a package of split debug information (.dwp): a hash table from a unit's id to where its parts of the
// sections begin.
struct DwarfPackagePart {
  std::uint64_t info = 0;
  std::uint64_t abbrevs = 0;
  std::uint64_t text_offsets = 0;
  std::uint64_t range_lists = 0;
};

// nullopt: no unit of that id, or a damaged index.
[[nodiscard]] std::optional<DwarfPackagePart> find_in_index(DwarfFile& package, std::uint64_t id);

}  // namespace profile
