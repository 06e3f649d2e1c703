// Writes the samples of a recording into its page, so that the page can show when something happened. They lie beside
// the other data, because the page draws its graph before it has read them.
#pragma once

#include <iosfwd>
#include <span>

#include "model/profile.h"
#include "output/flame/table.h"
#include "output/json_writer.h"

namespace profile {

// `profile` must have a timeline with samples.

// Writes a member into the JSON object that is open:
// "times": {"tick_us": microseconds of a tick, "from": tick, "to": tick, "samples": how many}, and "are_sums" if each
// is the sum of a tick and so no span
void write_page_times(JsonWriter& json, const Profile& profile);
// Three columns, one after the other, of numbers in groups of 7 bits, the lowest first; all but the last group of a
// number have the 8th bit. The columns are: ticks since the sample before (of the first: since the beginning of the
// run), the index of the cell in the page's data, and the value. They are written as gzip in base64.
void write_page_samples(std::ostream& out, const Profile& profile, std::span<const FlameTable::Index> cell_of_row);

}  // namespace profile
