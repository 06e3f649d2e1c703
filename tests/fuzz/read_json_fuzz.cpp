// Any bytes as JSON, for all JSON formats.
#include "read_other_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  fuzz::try_reader(data, size, [](std::string_view text) { return read_json_profile(text, "in"); });
  return 0;
}
