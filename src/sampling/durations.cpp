#include "sampling/durations.h"

#include <bpf/bpf.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "sampling/map_walk.h"
#include "support/clock.h"
#include "support/plural.h"

namespace profile {
namespace {

void add(DurationRows::Sum& to, const durations_sum& from) {
  Durations& durations = to.durations;
  if (from.count != 0) {
    durations.min_ns = durations.count == 0 ? from.min_ns : std::min<std::uint64_t>(durations.min_ns, from.min_ns);
  }
  durations.count += from.count;
  durations.total_ns += from.total_ns;
  durations.max_ns = std::max<std::uint64_t>(durations.max_ns, from.max_ns);
  for (std::size_t i = 0; i < PROFILE_DURATION_BUCKETS; ++i) durations.histogram.count[i] += from.histogram[i];
  to.bytes += from.bytes;
  if (to.comm.empty()) to.comm = comm_of(from.comm);
}

}  // namespace

void DurationRows::prepare(bpf_object& object, const SamplingOptions& options, std::uint32_t most_rows) {
  size_map(object, "durations", options.rows ? most_rows : 1, "size the table of durations");
}

DurationRows::DurationRows(TracedPrograms& programs, std::uint32_t most_rows, const char* thing)
    : programs_(programs),
      map_fd_(programs.map_fd("durations")),
      most_rows_(most_rows),
      thing_(thing),
      state_(programs.map_fd(".data.durations")) {}

void DurationRows::make_room() {
  if (std::atomic_ref(state_->rows).load(std::memory_order_relaxed) > most_rows_ / 2) take_rows(false);
}

void DurationRows::flush(bool stopped) {
  state_->last_flush = stopped ? 1 : 0;
  programs_.run("flush");
}

void DurationRows::take_rows(bool stopped) {
  const auto generation = static_cast<std::uint16_t>(state_->generation);
  if (!stopped) {
    std::atomic_ref(state_->generation).store(generation ^ 1U, std::memory_order_seq_cst);
    barrier_.wait();  // from here on no BPF program writes to rows of the old generation
  }
  const std::size_t taken = take_generation<durations_key, durations_sum>(
      map_fd_, generation, [&](const durations_key& key, const durations_sum& sum) {
        add(sums_[{key.what, key.whose}], sum);
      });
  std::atomic_ref(state_->rows).fetch_sub(taken, std::memory_order_relaxed);
}

DurationTable DurationRows::take(DurationTable table, bool stopped, const RowOf& row_of) {
  take_rows(stopped);
  for (const auto& [key, sum] : sums_) {
    DurationTable::Row& row = table.rows.emplace_back(row_of(key.first, key.second, sum));
    row.durations = sum.durations;
    row.bytes = sum.bytes;
  }
  sums_.clear();
  std::ranges::stable_sort(table.rows, std::ranges::greater(),
                           [](const DurationTable::Row& row) { return row.durations.total_ns; });
  return table;
}

std::vector<std::string> DurationRows::notes() const {
  std::vector<std::string> lines = programs_.notes();
  if (state_->cut != 0) {
    lines.push_back(
        number_of(state_->cut, thing_) +
        (state_->cut == 1 ? " was still going on at the end; its " : " were still going on at the end; their ") +
        time_text(state_->cut_ns) + " are counted");
  }
  if (state_->unlisted != 0) {
    lines.push_back(number_of(state_->unlisted, thing_) + (state_->unlisted == 1 ? " is" : " are") +
                    " not in the table, which was full");
  }
  return lines;
}

}  // namespace profile
