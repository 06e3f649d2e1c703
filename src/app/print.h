// What is printed beside the reports: instead of a run the help, the version, a list; and lines for the person.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace profile {

// Prints it on stdout. A reader that has seen enough is no error; throws Error for all else. Returns the exit status.
int print_on_stdout(const std::function<void(std::ostream&)>& text);

// A line on stderr. Names in it may be anybody's: what would drive a terminal is replaced.
void say(const std::string& line);

}  // namespace profile
