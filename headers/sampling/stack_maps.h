// The two stack maps of the kernel side, read into profiles: each stack once for each address space it occurs in.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "model/profile.h"

namespace profile {

// A stack as the kernel gives it, leaf first: up to the first zero, which is where it ends and where a chain of frame
// pointers has left the rails.
[[nodiscard]] std::span<const std::uint64_t> without_zeros(std::span<const std::uint64_t> leaf_first);
// Interns a user stack; with a `caller` (stack_key::caller) one that lacks it, unless the kernel has put it there
// itself.
[[nodiscard]] StackId intern_user_stack(Profile& profile, ProcessId space, std::span<const std::uint64_t> leaf_first,
                                        std::uint64_t caller);

class StackMaps {
 public:
  // The descriptors of the maps by generation, not owned.
  StackMaps(const std::array<int, PROFILE_GENERATIONS>& map_fds, std::uint32_t max_depth)
      : map_fds_(map_fds), buffer_(max_depth) {}

  // A stack as a key names it (stack_key::user_stack): which generation's map it is in, and where.
  [[nodiscard]] static std::uint32_t generation_of(std::int32_t stack) {
    return static_cast<std::uint32_t>(stack) >> PROFILE_STACK_GENERATION_SHIFT & 1;
  }
  [[nodiscard]] static std::uint32_t id_of(std::int32_t stack) {
    return static_cast<std::uint32_t>(stack) & PROFILE_STACK_ID_MASK;
  }

  [[nodiscard]] StackId read_user(Profile& profile, ProcessId space, const stack_key& key);
  [[nodiscard]] StackId read_kernel(Profile& profile, const stack_key& key);
  // What is read from now on is for another profile, or has changed.
  void forget() { seen_.clear(); }
  // Deletes all stacks of a generation but those in `held`.
  void clear(std::uint32_t generation, const std::unordered_set<std::uint32_t>& held);

 private:
  template <class Intern>
  StackId read(ProcessId space, std::int32_t stack, std::uint64_t caller, Intern intern);

  struct Hash {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& key) const noexcept {
      return (key.first ^ key.second * 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL >> 16;
    }
  };

  std::array<int, PROFILE_GENERATIONS> map_fds_;
  std::vector<std::uint64_t> buffer_;
  std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, StackId, Hash> seen_;  // key: space and stack, caller
};

}  // namespace profile
