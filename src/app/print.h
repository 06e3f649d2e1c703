// Prints text that is not a report: the help, the version or a list on stdout, and lines for the user on stderr.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace profile {

// Prints `text` on stdout. It is no error if the reader closes the pipe early; any other failure throws Error. Returns
// the exit status.
int print_on_stdout(const std::function<void(std::ostream&)>& text);

// Prints a line on stderr. Names in it may come from untrusted programs, so characters that would control a terminal
// are replaced.
void say(const std::string& line);

}  // namespace profile
