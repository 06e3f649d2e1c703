// What sources that see every hit and take a few as samples have to say of the hits behind the last sample of each CPU:
// they have no weight: no later sample came that counts them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/bpf.h"

namespace profile {

// A line for the summary when the programs of `object` run no more; none when there are none, or when every hit is a
// sample. `one` and `many` are what hits are called.
[[nodiscard]] std::vector<std::string> note_of_rest(bpf_object& object, std::string_view one, std::string_view many);

}  // namespace profile
