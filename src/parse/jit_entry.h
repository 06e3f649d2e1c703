// What the two forms in which a run-time tells profilers about its code have in common: a sequence of pieces of code
// with names, in which the last piece at an address counts; and how far such a file was read.
#pragma once

#include <cstdint>

namespace profile {

struct JitEntry {
  std::uint64_t start = 0;
  std::uint64_t last = 0;          // the last address it holds
  std::uint64_t name_offset = 0;   // in the file; names are read only when it is known which entries count
  std::uint32_t name_bytes = 0;    // a longer name is cut off; 0: no name
  std::uint64_t lines_offset = 0;  // in a jitdump: where the record of its lines begins; 0: none
  std::uint64_t moved_by = 0;      // since its lines were written, modulo 2^64
};

struct JitPart {
  std::uint64_t end = 0;  // of the last entry that was read
  bool is_whole = false;  // everything was wanted, and the budget had room for it
};

}  // namespace profile
