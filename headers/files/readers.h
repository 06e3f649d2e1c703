// Who may read a new file of results. An existing file keeps its mode and its owner, because its user may have prepared
// it for somebody.
#pragma once

#include <cstdint>

namespace profile {

enum class Readers : std::uint8_t {
  anyone,  // 0644, less what the umask takes
  owner    // 0600, for what tells where other users' processes have their code
};

}  // namespace profile
