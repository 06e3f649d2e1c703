// This is a file of its own because <term.h> defines some hundred short words as macros.
#include "terminal/screen.h"

#include <ncurses.h>
#include <term.h>
#include <unistd.h>

#include <cstdlib>

#include "support/error.h"

namespace profile {

std::string checked_terminal_type() {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) {
    throw Error("--top needs a terminal, and stdin and stdout are not both one");
  }
  const char* const named = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): nothing here sets any
  std::string type = named == nullptr ? "" : named;
  if (type.empty()) throw Error("--top needs to know the terminal: TERM is not set");
  int found = 0;
  if (::setupterm(type.c_str(), STDOUT_FILENO, &found) != OK) {
    throw Error("--top: the terminal type '" + type + "' (TERM) is not known here; try TERM=vt100");
  }
  // tigetstr() returns this for a name that is not a string capability.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how it is defined
  const char* const no_string_capability = reinterpret_cast<const char*>(-1);
  const char* const move_cursor = ::tigetstr("cup");
  const bool can_draw = move_cursor != nullptr && move_cursor != no_string_capability;
  ::del_curterm(::cur_term);
  if (!can_draw) {
    throw Error("--top needs a terminal with a cursor that can be moved; one of type '" + type + "' (TERM) has none");
  }
  return type;
}

}  // namespace profile
