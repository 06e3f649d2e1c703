// Finishes a walk of a user stack for which the kernel side lacked a table (abi/walk.h, struct ring_unfinished): by the
// same rules, in the copy of the stack that it has sent. The copy is a stranger's: its words are addresses to be looked
// up, and nothing is read outside of it.
#pragma once

#include <cstdint>
#include <vector>

#include "abi/walk.h"

namespace profile {

// What a walk asks of the process whose stack it is, and of the tables there are.
class WalkedCode {
 public:
  struct Code {
    enum class Kind : std::uint8_t {
      table,    // `table` is that of its file
      plain,    // mapped, and without a table
      nowhere,  // nothing is mapped there
      waiting   // its table may come yet, or nothing is known of it yet
    };
    Kind kind = Kind::nowhere;
    walk_file table{};
    std::uint64_t offset = 0;  // of the address: from the beginning of the file, or of the vDSO
    bool is_vdso = false;
  };

  virtual ~WalkedCode() = default;
  virtual Code place_of(std::uint64_t address) = 0;
  // WALK_SLAB_BYTES of the space of tables; null: there is no such slab.
  virtual const char* slab(std::uint32_t number) = 0;
};

struct FinishedWalk {
  // Behind the frame at which it had stood still, from the leaf outwards; an address as struct ring_stack has it.
  std::vector<std::uint64_t> callers;
  walk_end end = WALK_NO_TABLE_YET;
  bool is_guessed = false;
  bool is_waiting = false;  // for a table: it may be tried again
};

// `most_frames`: of the whole stack, at most WALK_MOST_FRAMES. `tables_alone`: frame pointers are not followed. Not for
// two threads at once.
[[nodiscard]] FinishedWalk finish_walk(const ring_unfinished& begun, WalkedCode& code, bool tables_alone,
                                       std::uint32_t most_frames);

}  // namespace profile
