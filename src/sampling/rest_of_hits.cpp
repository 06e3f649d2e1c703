// The user side of the map `hits` of bpf/weight.bpf.h.
#include "sampling/rest_of_hits.h"

#include <bpf/libbpf.h>

#include <numeric>

#include "abi/perf_event.h"
#include "sampling/map_walk.h"
#include "support/plural.h"

namespace profile {
namespace {

std::uint64_t rest_of_hits(bpf_object& object) {
  const bpf_map& hits = bpf_map_named(object, "hits");
  if (!bpf_map__autocreate(&hits)) return 0;
  const std::vector<hit_state> states = values_by_cpu<hit_state>(hits);
  return std::accumulate(states.begin(), states.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const hit_state& state) { return sum + state.hits; });
}

}  // namespace

void add_note_of_rest(bpf_object& object, std::string_view one, std::string_view many,
                      std::vector<std::string>& notes) {
  const std::uint64_t rest = rest_of_hits(object);
  if (rest == 0) return;
  notes.push_back(number_of(rest, one, many) + " after the last sample of " + plural(rest, "its", "their") + " CPU " +
                  plural(rest, "is", "are") + " in no stack");
}

}  // namespace profile
