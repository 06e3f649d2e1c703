// All entries of a BPF hash map, a batch at a time.
#pragma once

#include <bpf/bpf.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "support/error.h"

namespace profile {

// Calls `visit(key, value)` for each entry of a hash map; `value` points to `value_bytes` of it, which is the size of
// the map's values and a multiple of 8: the kernel puts them one behind the other without padding. With `remove` each
// is taken out as it is read. Throws Error.
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
    if (error == ENOSPC) {  // one bucket holds more entries than that
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
