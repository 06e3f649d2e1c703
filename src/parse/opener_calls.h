// The questions to the opener and their form: the number of the question, one of these values, and the listed words.
// Each answer begins with the number of its question and a reason (Unnamed::named: it was done). An answer to question
// 0 comes unasked: all workers are stuck, and nothing is opened until one of them goes on.
#pragma once

#include <cstdint>
#include <tuple>

#include "process/file_keeper.h"

namespace profile {

constexpr auto wire_fields(const FileIdentity&) {
  return std::tuple(&FileIdentity::device_major, &FileIdentity::device_minor, &FileIdentity::inode);
}
constexpr auto wire_fields(const MappedBy&) {
  return std::tuple(&MappedBy::tgid, &MappedBy::own_mounts, &MappedBy::start, &MappedBy::end);
}
constexpr auto wire_fields(const FileQuestion&) {
  return std::tuple(&FileQuestion::number, &FileQuestion::identity, &FileQuestion::path, &FileQuestion::mapped_by);
}
constexpr auto wire_fields(const FileStamp&) {
  return std::tuple(&FileStamp::device, &FileStamp::inode, &FileStamp::size_bytes, &FileStamp::modified_ns);
}

// The children that get descriptors from the opener.
enum class Taker : std::uint8_t { parser, prober, count };

enum class OpenerCall : std::uint8_t {
  open,      // FileQuestion                                   -> FileStamp
  state,     // number                                         -> FileKeeper::State
  hand,      // number, Taker: passed on with its number as tag, if it is unchanged
  close,     // number; no answer
  debug,     // number, base, kind, text, next: opened, and handed over with its number as tag -> next, why
  perf_map,  // number, tgid                                   -> size
  size,      // number                                         -> size
  path,      // number, path, as we see it                     -> FileStamp, why not
  look,      // path, as we see it, whether it is to be written -> errno, whether it is a directory
  stacks,    // tgid, most bytes, stack pointer of each    -> copy of each
  distrust,  // number: reading it got stuck; no answer
  way,       // Taker; a descriptor comes with it: the way to a new one; no answer
  count
};

}  // namespace profile
