// Bounds are powers of two in nanoseconds, printed rounded in a larger unit: "1 -> 2 usecs" means 1.024 to 2.048.
#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <string_view>

#include "output/tables.h"
#include "output/text_table.h"

namespace profile {
namespace {

struct BoundUnit {
  std::string_view name;
  double ns;
};

// `first` and `last` are bucket numbers. The unit may be larger than the shortest time if the longest time needs it,
// because bounds below one are printed with three decimals.
BoundUnit unit_for(std::size_t first, std::size_t last) {
  constexpr std::size_t ns_100 = 7;
  constexpr std::size_t us = 10;
  constexpr std::size_t us_100 = 17;
  constexpr std::size_t ms = 20;
  constexpr std::size_t s = 30;
  if (first >= ms || (first >= us_100 && last >= s)) return {"msecs", 1e6};
  if (first >= us || (first >= ns_100 && last >= ms)) return {"usecs", 1e3};
  return {"nsecs", 1};
}

}  // namespace

void write_histogram(std::ostream& out, const Log2Histogram& times) {
  constexpr std::size_t line_width = 78;
  const auto& counts = times.count;
  const auto holds_any = [](std::uint64_t count) { return count != 0; };
  const auto begin = std::find_if(counts.begin(), counts.end(), holds_any);
  if (begin == counts.end()) return;
  const auto end = std::find_if(counts.rbegin(), counts.rend(), holds_any).base();
  const auto first = static_cast<std::size_t>(begin - counts.begin());
  const auto last = static_cast<std::size_t>(end - counts.begin()) - 1;
  const std::uint64_t most = *std::max_element(begin, end);

  const BoundUnit unit = unit_for(first, last);
  const auto lower = [&](std::size_t bucket) {
    if (bucket == 0) return std::string("0");
    const double bound = std::ldexp(1.0, static_cast<int>(bucket)) / unit.ns;
    return decimal(bound, bound < 1 ? 3 : 0);
  };
  const std::size_t bound_width = std::max<std::size_t>(8, lower(last + 1).size());
  const std::size_t count_width = std::max<std::size_t>(8, std::to_string(most).size());
  const std::size_t bar_width = line_width - (2 * bound_width + count_width + 10);

  const std::size_t label_width = 2 * bound_width + 4;
  const std::string heading = to_the_left(to_the_right(unit.name, bound_width + 2), label_width);
  out << heading << " : " << to_the_right("count", count_width) << "  distribution\n";
  for (std::size_t bucket = first; bucket <= last; ++bucket) {
    const std::string line = to_the_right(lower(bucket), bound_width) + " -> " + lower(bucket + 1);
    const double share = static_cast<double>(counts[bucket]) / static_cast<double>(most);
    std::string bar(static_cast<std::size_t>(share * static_cast<double>(bar_width)), '*');
    // A nonempty bucket always gets a mark: rare values are often the interesting ones.
    if (bar.empty() && counts[bucket] != 0) bar = ".";
    out << to_the_left(line, label_width) << " : " << to_the_right(std::to_string(counts[bucket]), count_width) << " |"
        << to_the_left(bar, bar_width) << "|\n";
  }
}

}  // namespace profile
