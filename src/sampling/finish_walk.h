// Finishes the walk of a user stack for which the BPF program had no table (abi/walk.h, struct ring_unfinished). It
// runs the same code on the copy of the stack that the BPF program sent. Any program may have written that copy: its
// words are only addresses to look up, and nothing outside of it is read.
#pragma once

#include <cstdint>
#include <vector>

#include "abi/script.h"
#include "abi/walk.h"

namespace profile {

// What a walk needs to know about the process of the stack and about the tables.
class WalkedCode {
 public:
  struct Code {
    enum class Kind : std::uint8_t {
      table,    // `table` is the table of its file
      plain,    // mapped, but without a table
      nowhere,  // nothing is mapped there
      waiting   // the table may still come, or the mapping is not known yet
    };
    Kind kind = Kind::nowhere;
    walk_file table{};
    std::uint64_t offset = 0;  // of the address, in the file or in the vDSO
    bool is_vdso = false;
  };

  virtual ~WalkedCode() = default;
  virtual Code place_of(std::uint64_t address) = 0;
  // Returns WALK_SLAB_BYTES bytes of the space of tables, valid until the next call; null: there is no such slab.
  virtual const char* slab(std::uint32_t number) = 0;
  // Of an interpreter, by walk_file::layout.
  [[nodiscard]] virtual script_language language_of(std::uint32_t /*layout*/) const { return SCRIPT_NONE; }
};

struct FinishedWalk {
  // The callers of the frame at which the walk had stopped, innermost first. Addresses as in struct ring_stack.
  std::vector<std::uint64_t> callers;
  walk_end end = WALK_NO_TABLE_YET;
  bool is_guessed = false;
  bool is_waiting = false;  // a table is missing: the walk may be tried again
  // walk_file::layout of an interpreter on the stack, whose script's frames are missing; 0: there is none.
  std::uint32_t met_layout = 0;
};

// `most_frames`: the limit for the whole stack, at most WALK_MOST_FRAMES. `tables_alone`: frame pointers are not
// followed. Only one thread at a time may call it.
[[nodiscard]] FinishedWalk finish_walk(const ring_unfinished& begun, WalkedCode& code, bool tables_alone,
                                       std::uint32_t most_frames);

}  // namespace profile
