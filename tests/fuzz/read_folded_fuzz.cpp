// Any bytes as folded lines: an Error that names the place, or a profile that stays the same when it is written and
// read again.
#include <algorithm>
#include <cstddef>
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

namespace {

using namespace profile;

void require(bool what) {
  if (!what) std::abort();
}

std::string written(const Profile& profile) {
  std::ostringstream out;
  make_folded({.annotate = true, .show_modules = true}).report(out, profile);
  return out.str();
}

// Whether each line has two counts, so that its name is read without the first one.
bool is_comparison(std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const std::size_t value = line.find_last_of(' ');
    const std::size_t last = line.find_last_not_of("0123456789", value - 1);
    if (last == line.npos || last + 1 == value || (line[last] != ' ' && line[last] != '\t')) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    Profile profile = read_folded(text, "in");
    const std::string lines = written(profile);
    const Profile again = read_folded(lines, "again");
    require(written(again) == lines || is_comparison(lines));
    require(again.total() == profile.total());
    const std::uint64_t total = profile.total();
    profile.merge(profile);
    require(profile.total() == 2 * total);
  } catch (const Error& error) {
    require(std::string_view(error.what()).starts_with("in:"));
  }
  return 0;
}
