#include "input/header_line.h"

#include <algorithm>

#include "model/run_words.h"

namespace profile {
namespace {

// The line up to its target; empty when it names none.
std::string_view before_target(std::string_view line) {
  std::size_t end = line.npos;
  for (const std::string_view target : {" of COMMAND [", " of PID ", " of TID ", " of all threads"}) {
    end = std::min(end, line.find(target));
  }
  return end == line.npos ? std::string_view() : line.substr(0, end);
}

}  // namespace

bool read_header_line(std::string_view line, RunInfo& run) {
  const std::string_view title = before_target(line);
  if (title.empty()) return read_sum_headline(line, run);
  if (read_title(title, run)) return true;
  if (!title.ends_with(" in microseconds")) return false;
  run.unit = Unit::microseconds;
  run.event = run.unit.word();
  return true;
}

}  // namespace profile
