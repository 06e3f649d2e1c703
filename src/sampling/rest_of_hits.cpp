// The user side of the map `hits` of bpf/weight.bpf.h.
#include "sampling/rest_of_hits.h"

#include <bpf/libbpf.h>

#include <numeric>

#include "abi/perf_event.h"
#include "support/cpu_list.h"
#include "support/plural.h"

namespace profile {
namespace {

std::uint64_t rest_of_hits(bpf_object& object) {
  static_assert(sizeof(hit_state) % sizeof(std::uint64_t) == 0);  // the kernel pads per-CPU values to this size
  const bpf_map& hits = bpf_map_named(object, "hits");
  if (!bpf_map__autocreate(&hits)) return 0;
  std::vector<hit_state> states(static_cast<std::size_t>(possible_cpu_count()));
  const __u32 key = 0;
  if (bpf_map__lookup_elem(&hits, &key, sizeof key, states.data(), states.size() * sizeof(hit_state), 0) != 0) return 0;
  return std::accumulate(states.begin(), states.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const hit_state& state) { return sum + state.hits; });
}

}  // namespace

std::vector<std::string> note_of_rest(bpf_object& object, std::string_view one, std::string_view many) {
  const std::uint64_t rest = rest_of_hits(object);
  if (rest == 0) return {};
  return {number_of(rest, one, many) + " after the last sample of " + plural(rest, "its", "their") + " CPU " +
          plural(rest, "is", "are") + " in no stack"};
}

}  // namespace profile
