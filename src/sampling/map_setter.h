// Puts maps into a map of maps. The kernel shows them to programs at once, and then keeps the caller until no CPU runs
// what it ran before: 10 to 30 ms, in which the rings would fill. So a thread calls it.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <span>
#include <thread>
#include <vector>

#include <linux/types.h>

namespace profile {

class MapSetter {
 public:
  // `map`: an open descriptor, which outlives this object.
  explicit MapSetter(int map) : map_(map) {}
  // Waits for the kernel.
  ~MapSetter();
  MapSetter(const MapSetter&) = delete;
  MapSetter& operator=(const MapSetter&) = delete;

  // Puts the maps with the descriptors `values` at `indices`, which are free. Returns how many of them, from the first
  // one on, programs find there. These descriptors must stay open as long as this object; the others are not used any
  // more.
  std::size_t set(std::span<const __u32> indices, std::span<const int> values);

 private:
  struct Call {
    std::vector<__u32> indices;
    std::vector<int> values;
    std::atomic<bool> is_over = false;
    std::thread thread;
  };

  static void make(int map, const Call& call);
  [[nodiscard]] bool has(__u32 index) const;
  void forget_ended();

  int map_;
  std::list<Call> calls_;  // that the kernel may still keep
};

}  // namespace profile
