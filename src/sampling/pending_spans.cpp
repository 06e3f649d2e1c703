#include "sampling/pending_spans.h"

#include <bpf/libbpf.h>

#include <cstring>

namespace profile {

PendingSpans::PendingSpans(const bpf_object& object, std::size_t waker_at) : waker_at_(waker_at) {
  const bpf_map* const spans = bpf_object__find_map_by_name(&object, "spans");
  if (spans == nullptr) return;
  map_fd_ = bpf_map__fd(spans);
  key_bytes_ = bpf_map__key_size(spans);
  value_bytes_ = bpf_map__value_size(spans);
}

void PendingSpans::hold(std::span<const std::uint64_t> begun) {
  const auto& head = *reinterpret_cast<const ring_sample*>(begun.data());
  held_[{head.span, head.time_ns}].assign(begun.begin(), begun.end());
}

void PendingSpans::hold(std::uint64_t id, ring_sample head, std::span<const std::uint64_t> user_leaf_first,
                        std::span<const std::uint64_t> kernel_leaf_first) {
  if (head.user_bytes >= 0) head.user_bytes = static_cast<std::int32_t>(user_leaf_first.size_bytes());
  if (head.kernel_bytes >= 0) head.kernel_bytes = static_cast<std::int32_t>(kernel_leaf_first.size_bytes());
  std::vector<std::uint64_t>& words = held_[{id, head.time_ns}];
  words.resize(sizeof head / sizeof(std::uint64_t));
  std::memcpy(words.data(), &head, sizeof head);
  words.insert(words.end(), user_leaf_first.begin(), user_leaf_first.end());
  words.insert(words.end(), kernel_leaf_first.begin(), kernel_leaf_first.end());
}

const ring_sample* PendingSpans::find(std::uint64_t id, std::uint64_t began_ns) const {
  const auto found = held_.find({id, began_ns});
  return found == held_.end() ? nullptr : reinterpret_cast<const ring_sample*>(found->second.data());
}

}  // namespace profile
