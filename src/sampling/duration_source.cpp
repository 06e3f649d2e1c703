#include "sampling/duration_source.h"

#include <utility>

namespace profile {

void DurationSource::make_room(ProcessTimeline& /*timeline*/, Profile& /*into*/) {
  if (rows_.is_filling()) rows_.take(false);
}

void DurationSource::collect(ProcessTimeline& timeline, Profile& into, bool stopped) {
  rows_.set_last_flush(stopped);
  programs_.run("flush");
  Source::collect(timeline, into, stopped);
  rows_.take(stopped);
  DurationTable table = this->table();
  rows_.fill(table, [&](std::uint64_t what, std::uint32_t whose, const DurationRows::Sum& sum) {
    return labels(timeline, into, what, whose, sum);
  });
  into.duration_tables.push_back(std::move(table));
}

std::vector<std::string> DurationSource::notes() const {
  std::vector<std::string> lines = programs_.notes();
  for (std::string& line : rows_.notes(thing_)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace profile
