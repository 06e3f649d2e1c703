// Reads all entries of a BPF hash map, in batches, and the values of all CPUs in a per-CPU map.
#pragma once

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "support/cpu_list.h"
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

// Calls `visit(key, value)` for each entry whose key has this `generation`, and then deletes these entries. Returns how
// many it deleted. Throws Error.
template <class Key, class Value, class Visit>
std::size_t take_generation(int map_fd, std::uint16_t generation, Visit visit) {
  std::vector<Key> taken;
  for_each_entry<Key>(map_fd, sizeof(Value), false, [&](const Key& key, const std::uint64_t* words) {
    if (key.generation != generation) return;
    visit(key, *reinterpret_cast<const Value*>(words));
    taken.push_back(key);
  });
  std::size_t deleted = 0;
  for (const Key& key : taken) deleted += bpf_map_delete_elem(map_fd, &key) == 0 ? 1 : 0;
  return deleted;
}

// The values of all CPUs in a per-CPU map with one entry. Empty when they cannot be read.
template <class Value>
std::vector<Value> values_by_cpu(const bpf_map& map) {
  static_assert(sizeof(Value) % sizeof(std::uint64_t) == 0);  // the kernel pads per-CPU values to this size
  std::vector<Value> values(static_cast<std::size_t>(possible_cpu_count()));
  const __u32 key = 0;
  if (bpf_map__lookup_elem(&map, &key, sizeof key, values.data(), values.size() * sizeof(Value), 0) != 0) return {};
  return values;
}

}  // namespace profile
