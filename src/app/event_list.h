// --list-events: THE table of sources as a person reads it, with what is not to be had here and why.
#pragma once

#include <iosfwd>

namespace profile {

void print_events(std::ostream& out);

}  // namespace profile
