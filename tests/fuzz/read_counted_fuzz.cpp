// Any bytes as a counted report.
#include "read_other_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  fuzz::try_reader(data, size, [](std::string_view text) { return read_counted(text, "in"); });
  return 0;
}
