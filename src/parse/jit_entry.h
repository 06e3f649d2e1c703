// What the two forms in which a run-time tells profilers of its code have in common: one piece of code after another,
// with its name; the last one at an address counts. And how far such a file was read.
#pragma once

#include <cstdint>

namespace profile {

struct JitEntry {
  std::uint64_t start = 0;
  std::uint64_t last = 0;          // the last address it holds
  std::uint64_t name_offset = 0;   // in the file: names are read once it is known which entries count
  std::uint32_t name_bytes = 0;    // what is longer is cut off; 0: it has no name
  std::uint64_t lines_offset = 0;  // of a jitdump: where the record of its lines begins; 0: there is none
  std::uint64_t moved_by = 0;      // since its lines were written; modulo 2^64
};

struct JitPart {
  std::uint64_t end = 0;  // of the last entry that was read
  bool is_whole = false;  // all of it was wanted, and the budget had room for it
};

}  // namespace profile
