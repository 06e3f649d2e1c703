// For sources that see every hit and take only some hits as samples: the note about the hits after the last sample of
// each CPU. They are in no stack, because no later sample counts them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/bpf.h"

namespace profile {

// Adds a line for the summary; call it when the programs of `object` no longer run. It adds nothing when there are no
// such hits, or when every hit is a sample. `one` and `many` are the noun for hits.
void add_note_of_rest(bpf_object& object, std::string_view one, std::string_view many, std::vector<std::string>& notes);

}  // namespace profile
