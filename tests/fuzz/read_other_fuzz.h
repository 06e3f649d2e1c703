// Shared by the fuzz targets of readers: any bytes give an Error that names the place, or a profile. Its folded lines
// can be read again with the same total.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "input/profile_reader.h"
#include "output/output.h"
#include "support/error.h"

// Declared here, because the table of formats would bring all other formats.
namespace profile {
Output make_folded(const OutputOptions& options);
}

namespace profile::fuzz {

inline void require(bool what) {
  if (!what) std::abort();
}

template <class Read>
void try_reader(const std::uint8_t* data, std::size_t size, const Read& read) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    Profile profile = read(text);
    std::ostringstream lines;
    make_folded({}).report(lines, profile);
    require(read_folded(lines.str(), "again").total() == profile.total());
    const std::uint64_t total = profile.total();
    if (total > UINT64_MAX / 2) return;
    profile.merge(profile);
    require(profile.total() == 2 * total);
  } catch (const Error& error) {
    require(std::string_view(error.what()).starts_with("in:"));
  }
}

}  // namespace profile::fuzz
