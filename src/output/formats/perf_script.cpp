// A profile as `perf script` would have printed the samples that it is made of. It does not know when each was taken:
// in each thread, or process where threads are not apart, they follow one another from the beginning on, each as long
// as what it stands for, the heaviest stack first.
#include "output/perf_script.h"

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/clock_period.h"
#include "output/output.h"

namespace profile {
namespace {

// Of more samples than that each stack is one event: a file of a gigabyte says nothing more.
constexpr std::uint64_t most_events = 1'000'000;
// What anything without a length in time takes in it.
constexpr std::uint64_t ns_per_count = 1000;

std::uint64_t ns_of_one(const RunInfo& run) {
  if (run.unit == "microseconds") return 1000;
  // A gigabyte reads as a second.
  if (run.unit == "nanoseconds" || run.unit == "bytes") return 1;
  const std::uint64_t period = run.unit == "samples" ? clock_period_ns(run) : 0;
  return period != 0 ? period : ns_per_count;
}

struct Piece {
  std::uint64_t time_ns = 0;
  std::uint32_t row = 0;
  std::uint64_t period = 0;
};

std::uint32_t lane_of(const Profile& profile, const Row& row) {
  return row.tid != 0 ? row.tid : profile.process(row.process).tgid;
}

// In the order of time.
std::vector<Piece> pieces_of(const Profile& profile) {
  const std::span<const Row> rows = profile.rows();
  std::vector<std::uint32_t> heaviest(rows.size());
  std::uint64_t samples = 0;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    heaviest[i] = i;
    samples += std::min(rows[i].samples, most_events);
  }
  std::stable_sort(heaviest.begin(), heaviest.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return rows[a].value > rows[b].value; });
  const std::uint64_t ns = ns_of_one(profile.run);
  std::unordered_map<std::uint32_t, std::uint64_t> ends;  // of lanes
  std::vector<Piece> pieces;
  for (const std::uint32_t number : heaviest) {
    const Row& row = rows[number];
    if (row.value == 0) continue;
    const std::uint64_t count = samples > most_events ? 1 : std::clamp<std::uint64_t>(row.samples, 1, row.value);
    std::uint64_t& end = ends.try_emplace(lane_of(profile, row), profile.began_ns).first->second;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t value = row.value / count + (i < row.value % count ? 1 : 0);
      pieces.push_back({.time_ns = end, .row = number, .period = value});
      end += value * ns;  // a wrap is no worse than another lie about time
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.time_ns < b.time_ns; });
  return pieces;
}

class Script final : public Output {
 public:
  void begin(std::ostream& out, const RunInfo& run) const override {
    std::string text;
    PerfScript().begin(text, run);
    out << text;
  }

  void report(std::ostream& out, const Profile& profile) const override {
    PerfScript script;
    std::string text;
    script.begin(text, profile.run);
    text.clear();
    for (const Piece& piece : pieces_of(profile)) {
      const Row& row = profile.rows()[piece.row];
      script.append(text, profile,
                    {.row = &row,
                     .tid = lane_of(profile, row),
                     .cpu = row.cpu,
                     .time_ns = piece.time_ns,
                     .period = piece.period});
      if (text.size() < at_once) continue;
      out << text;
      text.clear();
    }
    out << text;
  }

 private:
  static constexpr std::size_t at_once = std::size_t{1} << 16;
};

}  // namespace

std::unique_ptr<Output> make_perf_script(const OutputOptions& /*options*/) { return std::make_unique<Script>(); }

}  // namespace profile
