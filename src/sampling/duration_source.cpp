#include "sampling/duration_source.h"

#include <utility>

namespace profile {

bool DurationSource::is_filling() { return Source::is_filling() || rows_.is_filling(); }

void DurationSource::relieve(ProcessTimeline& timeline, Profile& into) {
  Source::relieve(timeline, into);
  rows_.take(false);
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

}  // namespace profile
