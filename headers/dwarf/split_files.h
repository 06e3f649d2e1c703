// The interface by which the reader of debug information asks for parts that were split off: files beside the program's
// objects (.dwo), or one package with all of them (.dwp).
#pragma once

#include <map>
#include <string>

#include "support/fd.h"

namespace profile {

class WorkBudget;

// Opens them. The paths come from an untrusted file. What it costs to follow them is taken from the budget.
class SplitFiles {
 public:
  virtual ~SplitFiles() = default;
  // The package of the program. No Fd when there is none.
  [[nodiscard]] virtual Fd package(WorkBudget& budget) = 0;
  // No Fd when it cannot be opened; `why` then says why, "not there" for instance.
  [[nodiscard]] virtual Fd open(const std::string& path, std::string& why, WorkBudget& budget) = 0;
};

// From the path of each file to why it was not read.
using UnreadSplits = std::map<std::string, std::string>;

}  // namespace profile
