// Any text as a mountinfo file. A mount in it is found whatever stands before it, and the type that is found is one
// word.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "support/mounts.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  // A buffer of exactly this size, so that the address sanitizer finds a read beyond it.
  const std::vector<char> bytes(data, data + size);
  const std::string_view text(bytes.data(), bytes.size());
  for (const std::uint64_t id : {std::uint64_t{0}, std::uint64_t{36}, UINT64_MAX}) {
    const auto found = find_mount(text, id);
    if (!found) continue;
    require(found->type.find_first_of(" \n") == std::string::npos);
    require(text.find(" - " + found->type) != std::string_view::npos);
  }
  constexpr std::string_view number = "4194303";
  if (text.find(number) != std::string_view::npos) return 0;
  const std::string longer =
      std::string(text) + "\n" + std::string(number) + " 1 7:3 / /at rw shared:1 - ext4 /dev/x rw\n";
  const auto found = find_mount(longer, 4194303);
  require(found && found->device_major == 7 && found->device_minor == 3 && found->type == "ext4");
  return 0;
}
