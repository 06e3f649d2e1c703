#include "app/print.h"

#include <cstdio>

#include "files/destination.h"
#include "output/clean_text.h"

namespace profile {

int print_on_stdout(const std::function<void(std::ostream&)>& text) {
  static_cast<void>(Destination("-").write(text));
  return 0;
}

void say(const std::string& line) { std::fprintf(stderr, "%s\n", clean_text(line).c_str()); }

}  // namespace profile
