// What is printed instead of a run: the help, the version, a list.
#pragma once

#include <functional>
#include <iosfwd>

#include "deliver/destination.h"

namespace profile {

// Prints it on stdout. A reader that has seen enough is no error; throws Error for all else. Returns the exit status.
inline int print_on_stdout(const std::function<void(std::ostream&)>& text) {
  static_cast<void>(Destination("-").write(text));
  return 0;
}

}  // namespace profile
