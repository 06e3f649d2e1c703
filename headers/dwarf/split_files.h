// What the reader of debug information asks for when parts of it were split off: files beside the program's objects
// (.dwo), or all of them in one package (.dwp).
#pragma once

#include <map>
#include <string>

#include "support/fd.h"

namespace profile {

class WorkBudget;

// Opens them. What the paths say is a stranger's word, and what it costs to follow it is taken from the budget.
class SplitFiles {
 public:
  virtual ~SplitFiles() = default;
  // The package of the program; no Fd when there is none.
  [[nodiscard]] virtual Fd package(WorkBudget& budget) = 0;
  // No Fd: `why` says why not, "not there" for instance.
  [[nodiscard]] virtual Fd open(const std::string& path, std::string& why, WorkBudget& budget) = 0;
};

// By path; why each was not read.
using UnreadSplits = std::map<std::string, std::string>;

}  // namespace profile
