// Any bytes as a pprof profile: an Error that names the fault, or a consistent profile that can be written.
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
Output make_pprof(const OutputOptions& options);
}  // namespace profile

namespace {

using namespace profile;

void require(bool what) {
  if (!what) std::abort();
}

void check(const Profile& profile) {
  for (const Row& row : profile.rows()) {
    require(static_cast<std::size_t>(row.process) < profile.processes().size());
    for (const StackId stack : {row.user, row.kernel}) {
      for (const FrameId id : profile.stack(stack)) {
        require(static_cast<std::size_t>(id) < profile.frames().size());
        const Frame& frame = profile.frame(id);
        require((frame.kind == FrameKind::kernel) == (frame.space == ProcessId::kernel));
        require(frame.unnamed == Unnamed::named || frame.symbol == StringId::empty);
      }
    }
  }
}

std::string written(const Profile& profile, Output (*make)(const OutputOptions&)) {
  std::ostringstream out;
  make({.annotate = true}).report(out, profile);
  return out.str();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const Profile profile = read_pprof(bytes, "in");
    check(profile);
    // The profile can be written in our own formats and read again.
    const Profile from_lines = read_folded(written(profile, make_folded), "lines");
    require(from_lines.total() == profile.total());
    (void)read_pprof(written(profile, make_pprof), "pprof");
    Profile merged;
    merged.merge(profile);
    require(merged.total() == profile.total());
  } catch (const Error& error) {
    // A sum of samples, multiplied by the period, may be too large for the format.
    require(std::string_view(error.what()).starts_with("in:") || std::string_view(error.what()).starts_with("pprof:"));
  }
  try {
    check(read_profile(bytes, "any"));
  } catch (const Error&) {
  }
  return 0;
}
