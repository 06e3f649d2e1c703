#include "sampling/finish_walk.h"

#include "sampling/walk_in_copy.h"

namespace profile {

FinishedWalk finish_walk(const ring_unfinished& begun, WalkedCode& code, bool tables_alone, std::uint32_t most_frames) {
  return finish_in_copy(begun, code, tables_alone, most_frames);
}

}  // namespace profile
