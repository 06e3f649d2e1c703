// Any bytes as perf script text.
#include "read_other_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  fuzz::try_reader(data, size, [](std::string_view text) { return read_perf_script(text, "in"); });
  return 0;
}
