// The questions to the opener and their form: the number of the question, one of these values, and the listed words.
// Each answer begins with the number of its question and a reason (Unnamed::named: it was done). An answer to question
// 0 comes unasked: all workers are stuck, and nothing is opened until one of them goes on.
#pragma once

#include <cstdint>

namespace profile {

enum class OpenerCall : std::uint8_t {
  open,       // number, FileIdentity, path, MappedBy           -> FileStamp
  state,      // number                                         -> FileKeeper::State
  hand,       // number, tag: passed on to the parser, if it is unchanged
  close,      // number; no answer
  debug,      // number, base, kind, text, next: opened, and handed over with its number as tag -> next, why
  perf_map,   // number, tgid                                   -> size
  size,       // number                                         -> size
  path,       // number, path, as we see it                     -> why not, device, inode
  to_prober,  // number, tag: passed on to the prober
  look,       // path, as we see it, whether it is to be written -> errno, whether it is a directory
  stacks,     // tgid, most bytes, stack pointer of each    -> copy of each
  distrust,   // number: reading it got stuck; no answer
  parser,     // a descriptor comes with it: the way to a new parser; no answer
  prober,     // the same for a prober
  count
};

}  // namespace profile
