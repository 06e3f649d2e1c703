// Spans that have begun and not ended. It reads the BPF map of such spans, and it holds the spans whose stacks came
// through the ring until they end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "sampling/map_walk.h"

struct bpf_object;

namespace profile {

class PendingSpans {
 public:
  // `object` must be loaded. If it has a map `spans`, the map's values begin with a struct span. `waker_at`: offset in
  // such a value of the key of the thread that ends the span; 0: there is none.
  PendingSpans(const bpf_object& object, std::size_t waker_at);

  // True if the samples of this source are spans.
  [[nodiscard]] bool has_spans() const { return map_fd_ >= 0; }
  // Calls `visit(key)` for each key in the BPF map whose stacks are in the stack maps. Throws Error.
  template <class Visit>
  void for_each_under_way(Visit visit) const {
    const auto visit_span = [&](const auto&, const std::uint64_t* words) {
      const auto& under_way = *reinterpret_cast<const span*>(words);
      if (under_way.start_ns == 0) return;
      if (under_way.sent_ns == 0) visit(under_way.key);
      // This may be the key of the thread that ended the wait before. Then a stack is kept too long, which does no
      // harm.
      if (waker_at_ != 0) {
        visit(*reinterpret_cast<const stack_key*>(reinterpret_cast<const char*>(words) + waker_at_));
      }
    };
    if (key_bytes_ == sizeof(std::uint32_t)) {
      for_each_entry<std::uint32_t>(map_fd_, value_bytes_, false, visit_span);
    } else {
      for_each_entry<std::uint64_t>(map_fd_, value_bytes_, false, visit_span);
    }
  }

  // Keeps the beginning of a span: a ring_sample and its frames, in whole words. It replaces one of the same id and
  // time.
  void hold(std::span<const std::uint64_t> begun);
  // The same for a span whose beginning the BPF programs did not see.
  void hold(std::uint64_t id, ring_sample head, std::span<const std::uint64_t> user_leaf_first,
            std::span<const std::uint64_t> kernel_leaf_first);
  template <class Visit>
  void for_each_held(Visit visit) const {
    for (const auto& [id_and_time, words] : held_) visit(*reinterpret_cast<const ring_sample*>(words.data()));
  }
  // Null when the beginning was lost. Valid until a span is added or forgotten.
  [[nodiscard]] const ring_sample* find(std::uint64_t id, std::uint64_t began_ns) const;
  void forget(std::uint64_t id, std::uint64_t began_ns) { held_.erase({id, began_ns}); }
  void forget_before(std::uint64_t id, std::uint64_t began_ns) {
    held_.erase(held_.lower_bound({id, 0}), held_.lower_bound({id, began_ns}));
  }

 private:
  int map_fd_ = -1;  // owned by the object; -1: it has no such map
  std::size_t key_bytes_ = 0;
  std::size_t value_bytes_ = 0;
  std::size_t waker_at_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint64_t>> held_;  // by id and begin time
};

}  // namespace profile
