// The beginnings of spans whose stacks came whole through the ring buffer, until their ends come.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "abi/record.h"

namespace profile {

class HeldSpans {
 public:
  // A ring_sample and its frames, in whole words. A later one of that id and time takes its place.
  void hold(std::span<const std::uint64_t> begun);
  // The same of a span that the kernel side did not see begin.
  void hold(std::uint64_t id, ring_sample head, std::span<const std::uint64_t> user_leaf_first,
            std::span<const std::uint64_t> kernel_leaf_first);
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [id_and_time, words] : held_) visit(*reinterpret_cast<const ring_sample*>(words.data()));
  }
  // Null when its beginning was lost. Good until the next call.
  [[nodiscard]] const ring_sample* find(std::uint64_t id, std::uint64_t began_ns) const;
  void forget(std::uint64_t id, std::uint64_t began_ns) { held_.erase({id, began_ns}); }
  void forget_before(std::uint64_t id, std::uint64_t began_ns) {
    held_.erase(held_.lower_bound({id, 0}), held_.lower_bound({id, began_ns}));
  }

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint64_t>> held_;  // by id and beginning
};

}  // namespace profile
