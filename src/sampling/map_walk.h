// Reads all entries of a BPF hash map, in batches.
#pragma once

#include <bpf/bpf.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "support/error.h"

namespace profile {

// Calls `visit(key, value)` for each entry. `value` points to `value_bytes` bytes, the size of the map's values: it
// must be a multiple of 8, because the kernel writes the values without padding between them. With `remove` each entry
// is deleted as it is read. Throws Error.
template <class Key, class Visit>
void for_each_entry(int map_fd, std::size_t value_bytes, bool remove, Visit visit) {
  if (value_bytes == 0 || value_bytes % sizeof(std::uint64_t) != 0) {
    throw Error("cannot read a BPF map: its values are not whole words but " + std::to_string(value_bytes) + " bytes");
  }
  std::vector<Key> keys(2048);
  std::vector<std::uint64_t> values;
  const std::size_t words = value_bytes / sizeof(std::uint64_t);
  std::uint32_t cursor = 0;
  for (bool first = true, last = false; !last;) {
    values.resize(keys.size() * words);
    __u32 count = static_cast<__u32>(keys.size());
    const auto fetch = remove ? bpf_map_lookup_and_delete_batch : bpf_map_lookup_batch;
    const int error = -fetch(map_fd, first ? nullptr : &cursor, &cursor, keys.data(), values.data(), &count, nullptr);
    if (error == ENOSPC) {  // one bucket of the map holds more entries than `keys`
      keys.resize(keys.size() * 2);
      continue;
    }
    if (error != 0 && error != ENOENT) throw system_error("cannot read a BPF map", error);
    first = false;
    last = error == ENOENT;
    for (__u32 i = 0; i < count; ++i) visit(keys[i], values.data() + i * words);
  }
}

}  // namespace profile
