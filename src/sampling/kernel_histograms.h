// The histograms that the BPF programs fill, one per generation. With --waker there is a second pair, whose rows also
// name the thread that ended the wait.
#pragma once

#include <array>
#include <cstdint>

#include "abi/record.h"
#include "sampling/map_walk.h"
#include "support/bpf.h"

namespace profile {

class KernelHistograms {
 public:
  // `object` is loaded. `has_wakers`: it has the maps `woken_0` and `woken_1`.
  KernelHistograms(bpf_object& object, bool has_wakers)
      : fds_{bpf_map_fd(object, "histogram_0"), bpf_map_fd(object, "histogram_1")}, has_wakers_(has_wakers) {
    if (has_wakers) woken_fds_ = {bpf_map_fd(object, "woken_0"), bpf_map_fd(object, "woken_1")};
  }

  // Calls `visit(key, waker, value)` for each row of a generation; `waker` is null when it is not known. With `remove`
  // each row is deleted as it is read. Throws Error.
  template <class Visit>
  void for_each(std::uint32_t generation, bool remove, Visit visit) const {
    for_each_entry<stack_key>(fds_[generation], sizeof(stack_value), remove,
                              [&](const stack_key& key, const std::uint64_t* words) {
                                visit(key, nullptr, *reinterpret_cast<const stack_value*>(words));
                              });
    if (!has_wakers_) return;
    for_each_entry<woken_key>(woken_fds_[generation], sizeof(stack_value), remove,
                              [&](const woken_key& key, const std::uint64_t* words) {
                                visit(key.wait, &key.waker, *reinterpret_cast<const stack_value*>(words));
                              });
  }

 private:
  std::array<int, PROFILE_GENERATIONS> fds_{};        // owned by the object
  std::array<int, PROFILE_GENERATIONS> woken_fds_{};  // likewise; only with has_wakers_
  bool has_wakers_;
};

}  // namespace profile
