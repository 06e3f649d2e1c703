// --list-events: prints the table of event sources for the user, and says which events are not available here and why.
#pragma once

#include <iosfwd>

namespace profile {

void print_events(std::ostream& out);

}  // namespace profile
