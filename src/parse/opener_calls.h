// The questions to the opener and their form: the number of the question, one of these values, and the listed words.
// Each answer begins with the number of its question and a FileFault (`none`: it was done). An answer to question 0
// comes unasked: all workers are stuck, and nothing is opened until one of them goes on.
#pragma once

#include <cstdint>
#include <tuple>

#include "children/wire.h"
#include "process/file_keeper.h"

namespace profile {

template <>
inline constexpr bool is_any_number<FileNumber> = true;
constexpr auto wire_fields(const FileIdentity&) {
  return std::tuple(&FileIdentity::device_major, &FileIdentity::device_minor, &FileIdentity::inode,
                    &FileIdentity::generation);
}
constexpr auto wire_fields(const MappedBy&) {
  return std::tuple(&MappedBy::tgid, &MappedBy::own_mounts, &MappedBy::start, &MappedBy::end);
}
constexpr auto wire_fields(const FileQuestion&) {
  return std::tuple(&FileQuestion::number, &FileQuestion::identity, &FileQuestion::path, &FileQuestion::mapped_by);
}
constexpr auto wire_fields(const FileStamp&) {
  return std::tuple(&FileStamp::device, &FileStamp::inode, &FileStamp::size_bytes, &FileStamp::modified_ns,
                    &FileStamp::changed_ns, &FileStamp::links, &FileStamp::owner, &FileStamp::group, &FileStamp::mode,
                    &FileStamp::path_hash, &FileStamp::generation);
}

// The ways on which children get descriptors from the opener. A new parser takes the place of one that has ended, but
// has a number of its own: what was meant for the one before must not reach it. The place is the number modulo
// `way_count`.
using WayNumber = std::uint64_t;
inline constexpr WayNumber most_parsers = 4;
inline constexpr WayNumber way_to_prober = most_parsers;
inline constexpr WayNumber way_count = way_to_prober + 1;

// What a file must be to be handed over. The opener looks for itself: who asks may be under a file's control.
enum class FileKind : std::uint8_t { elf, jit_dump, perf_map, text, count };

// Who has named a path. What a program names, root opens only if everyone may read it: it may name any file.
enum class PathNamedBy : std::uint8_t { user, program, count };

enum class OpenerCall : std::uint8_t {
  open,      // FileQuestion                                   -> FileStamp, owner
  state,     // number, numbers of others                      -> FileState of each; of others perhaps unknown
  hand,      // number, way, FileKind: passed on with its number as tag, if it is unchanged and of that kind
  close,     // number; no answer
  debug,     // number, way, base, kind, text, next: opened, handed over with its number as tag -> next, why
  perf_map,  // number, tgid, its last known user              -> size, owner
  size,      // number                                         -> size
  path,      // number, path, as we see it, who names it        -> FileStamp, owner, why not
  look,      // path, as we see it, whether it is to be written -> errno, whether it is a directory
  stacks,    // tgid, most bytes, stack pointer of each    -> copy of each
  distrust,  // number: reading it got stuck; no answer
  way,       // way; a descriptor comes with it, which leads to a new child; no answer
  count
};

}  // namespace profile
