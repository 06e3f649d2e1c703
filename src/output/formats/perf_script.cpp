// Prints a profile as the `perf script` output of its samples. A profile has no times of samples, so they are invented:
// in each thread (or process, if threads are not kept apart) the samples follow one another from the beginning, the
// heaviest stack first. Each sample lasts as long as its value.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "output/output.h"
#include "output/process_numbers.h"
#include "output/stream.h"

namespace profile {
namespace {

// With more samples each stack is one event, because a file of a gigabyte shows no more.
constexpr std::uint64_t most_events = 1'000'000;
// The length of one unit that is not a time.
constexpr std::uint64_t ns_per_count = 1000;

std::uint64_t ns_of_one(const RunInfo& run) {
  if (run.unit == Unit::microseconds) return 1000;
  // One nanosecond per byte, so that a gigabyte reads as a second.
  if (!is_count(run.unit.kind())) return 1;
  const std::uint64_t period = ns_per_sample(run);
  return period != 0 ? period : ns_per_count;
}

struct Piece {
  std::uint64_t time_ns = 0;
  std::uint32_t row = 0;
  std::uint64_t period = 0;
};

// Returns the events in the order of their times.
std::vector<Piece> pieces_of(const Profile& profile) {
  const std::span<const Row> rows = profile.rows();
  std::vector<std::uint32_t> heaviest(rows.size());
  std::uint64_t samples = 0;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    heaviest[i] = i;
    samples += std::min(rows[i].samples, most_events);
  }
  std::ranges::stable_sort(heaviest, std::ranges::greater(), [&](std::uint32_t i) { return rows[i].value; });
  const std::uint64_t ns = ns_of_one(profile.run);
  ProcessNumbers numbers;
  std::unordered_map<std::uint32_t, std::uint64_t> ends;  // by thread or process: end of its last event
  std::vector<Piece> pieces;
  for (const std::uint32_t number : heaviest) {
    const Row& row = rows[number];
    if (row.value == 0) continue;
    const std::uint64_t count = samples > most_events ? 1 : std::clamp<std::uint64_t>(row.samples, 1, row.value);
    const std::uint32_t lane = row.tid != 0 ? row.tid : numbers.of(profile, profile.process(row.process));
    std::uint64_t& end = ends.try_emplace(lane, profile.began_ns).first->second;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t value = row.value / count + (i < row.value % count ? 1 : 0);
      pieces.push_back({.time_ns = end, .row = number, .period = value});
      end += value * ns;  // may wrap around: the times are invented anyway
    }
  }
  std::ranges::stable_sort(pieces, {}, &Piece::time_ns);
  return pieces;
}

std::unique_ptr<StreamOutput> make_stream() { return find_stream_form("perf-script")->make({}); }

void write_comments(std::ostream& out, const RunInfo& run) {
  std::string text;
  make_stream()->begin(text, run);
  out << text;
}

void write_events(std::ostream& out, const Profile& profile) {
  constexpr std::size_t at_once = std::size_t{1} << 16;
  const std::unique_ptr<StreamOutput> stream = make_stream();
  std::string text;
  stream->begin(text, profile.run);
  text.clear();
  for (const Piece& piece : pieces_of(profile)) {
    const Row& row = profile.rows()[piece.row];
    Sample sample{.row = row, .unix_ns = piece.time_ns, .cpu = row.cpu};
    sample.row.value = piece.period;
    stream->append(text, profile, sample);
    if (text.size() < at_once) continue;
    out << text;
    text.clear();
  }
  out << text;
}

}  // namespace

Output make_perf_script(const OutputOptions& /*options*/) { return {.begin = write_comments, .report = write_events}; }

}  // namespace profile
