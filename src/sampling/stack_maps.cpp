#include "sampling/stack_maps.h"

#include <bpf/bpf.h>

#include <algorithm>
#include <cerrno>

namespace profile {

std::span<const std::uint64_t> without_zeros(std::span<const std::uint64_t> leaf_first) {
  const auto end = std::find(leaf_first.begin(), leaf_first.end(), 0U);
  return leaf_first.first(static_cast<std::size_t>(end - leaf_first.begin()));
}

StackId intern_user_stack(Profile& profile, ProcessId space, std::span<const std::uint64_t> leaf_first,
                          std::uint64_t caller) {
  const bool lacks_caller = caller != 0 && !leaf_first.empty() && (leaf_first.size() < 2 || leaf_first[1] != caller);
  if (!lacks_caller) return profile.stack_of(space, FrameKind::user, leaf_first);
  std::vector<std::uint64_t> frames(leaf_first.begin(), leaf_first.end());
  frames.insert(frames.begin() + 1, caller);
  return profile.stack_of(space, FrameKind::user, frames);
}

template <class Intern>
StackId StackMaps::read(ProcessId space, std::int32_t stack, std::uint64_t caller, Intern intern) {
  if (stack < 0) return stack == -EFAULT ? StackId::none : StackId::missed;
  const auto place = std::uint64_t{static_cast<std::uint32_t>(space)} << 32 | static_cast<std::uint32_t>(stack);
  const auto [found, is_new] = seen_.try_emplace(std::pair(place, caller), StackId::missed);
  if (is_new) {
    const std::uint32_t id = id_of(stack);
    if (bpf_map_lookup_elem(map_fds_[generation_of(stack)], &id, buffer_.data()) == 0) {
      found->second = intern(without_zeros(buffer_));
    }
  }
  return found->second;
}

StackId StackMaps::read_user(Profile& profile, ProcessId space, const stack_key& key) {
  return read(space, key.user_stack, key.caller, [&](std::span<const std::uint64_t> leaf_first) {
    return intern_user_stack(profile, space, leaf_first, key.caller);
  });
}

StackId StackMaps::read_kernel(Profile& profile, const stack_key& key) {
  return read(ProcessId::kernel, key.kernel_stack, 0, [&](std::span<const std::uint64_t> leaf_first) {
    return profile.stack_of(ProcessId::kernel, FrameKind::kernel, leaf_first);
  });
}

void StackMaps::clear(std::uint32_t generation, const std::unordered_set<std::uint32_t>& held) {
  std::vector<std::uint32_t> unused;
  std::uint32_t id = 0;
  for (bool first = true; bpf_map_get_next_key(map_fds_[generation], first ? nullptr : &id, &id) == 0; first = false) {
    if (!held.contains(id)) unused.push_back(id);
  }
  for (const std::uint32_t stack : unused) bpf_map_delete_elem(map_fds_[generation], &stack);
}

}  // namespace profile
