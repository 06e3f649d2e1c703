#include "output/page_times.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "output/page_data.h"

namespace profile {
namespace {

// Times are the largest column. A millisecond is enough for samples of a clock and makes the page a third smaller, but
// a system call is shorter.
std::uint64_t tick_us_of(const Profile& profile) {
  const Unit unit = profile.run.unit.kind();
  return unit == Unit::microseconds || unit == Unit::nanoseconds ? 1 : 1000;
}

// Writes `number_of` each sample.
template <class NumberOf>
void write_column(PackedLetters& packed, const Timeline& timeline, NumberOf&& number_of) {
  constexpr std::size_t bytes_at_once = std::size_t{1} << 16;
  std::string bytes;
  for (const TimedSample& sample : timeline.samples) {
    std::uint64_t number = number_of(sample);
    for (; number > 127; number >>= 7) bytes += static_cast<char>(number | 128);
    bytes += static_cast<char>(number);
    if (bytes.size() < bytes_at_once) continue;
    packed.write(bytes);
    bytes.clear();
  }
  packed.write(bytes);
}

}  // namespace

void write_page_times(JsonWriter& json, const Profile& profile) {
  const Timeline& timeline = *profile.timeline;
  const std::uint64_t tick_us = tick_us_of(profile);
  const std::uint64_t behind_last = timeline.samples.back().time_us / tick_us + 1;
  json.begin_object("times");
  json.member("tick_us", tick_us);
  json.member("from", std::min(timeline.begin_us, timeline.samples.front().time_us) / tick_us);
  json.member("to", std::max(timeline.end_us / tick_us + (timeline.end_us % tick_us == 0 ? 0 : 1), behind_last));
  json.member("samples", timeline.samples.size());
  if (profile.tick_ns != 0) json.member("are_sums", true);
  json.end_object();
}

void write_page_samples(std::ostream& out, const Profile& profile, std::span<const FlameTable::Index> cell_of_row) {
  const Timeline& timeline = *profile.timeline;
  PackedLetters packed(out);
  write_column(packed, timeline,
               [tick_us = tick_us_of(profile), last = std::uint64_t{0}](const TimedSample& sample) mutable {
                 const std::uint64_t tick = sample.time_us / tick_us;
                 return tick - std::exchange(last, tick);
               });
  write_column(packed, timeline, [cell_of_row](const TimedSample& sample) { return cell_of_row[sample.row]; });
  write_column(packed, timeline, [](const TimedSample& sample) { return sample.value; });
  packed.finish();
}

}  // namespace profile
