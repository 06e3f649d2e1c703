// The stacks of the kernel side, read into profiles, each once for each address space it occurs in: those that lie in
// its two stack maps, and those that it has walked itself and sent.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "abi/walk.h"
#include "model/profile.h"

namespace profile {

// A stack as the kernel gives it, leaf first: up to the first zero, which is where it ends and where a chain of frame
// pointers has left the rails.
[[nodiscard]] std::span<const std::uint64_t> without_zeros(std::span<const std::uint64_t> leaf_first);
// Whether the key's user stack was walked by tables (abi/walk.h) and sent.
[[nodiscard]] inline bool is_walked(const stack_key& key) {
  return key.user_stack >= 0 && (key.user_stack & WALK_STACK) != 0;
}
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

  // The kernel side's tables of what it has sent, by generation, not owned: they are cleared with the stacks.
  void clear_with(const std::array<int, PROFILE_GENERATIONS>& sent_fds) { sent_fds_ = sent_fds; }
  // Keeps a stack that was sent, until its generation is cleared: the rows that name it come later.
  void keep(const ring_stack& head, std::span<const std::uint64_t> leaf_first);
  // The callers that were found since of a stack whose hash no other has (ring_unfinished::of_span).
  void finish(const ring_unfinished& begun, std::span<const std::uint64_t> callers, walk_end end, bool is_guessed);
  [[nodiscard]] StackId read_user(Profile& profile, ProcessId space, const stack_key& key);
  // The first `depth` frames of such a stack, and behind them the callers that were found since (abi/walk.h).
  [[nodiscard]] StackId read_finished(Profile& profile, ProcessId space, const ring_unfinished& begun,
                                      std::span<const std::uint64_t> callers, walk_end end, bool is_guessed) const;
  [[nodiscard]] StackId read_kernel(Profile& profile, const stack_key& key);
  // What is read from now on is for another profile, or has changed.
  void forget() { seen_.clear(); }
  // Which stacks of a generation are still wanted by keys that have not come.
  struct Held {
    std::unordered_set<std::uint32_t> ids;     // of its map
    std::unordered_set<std::uint64_t> hashes;  // of those that were walked
  };
  // Adds the stacks of `key` that are of that generation.
  static void hold(const stack_key& key, std::uint32_t generation, Held& held);
  // Deletes all stacks of a generation but those.
  void clear(std::uint32_t generation, const Held& held);

 private:
  // Where a stack that was walked lies in Walked::addresses.
  struct Slice {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    std::uint16_t end = 0;  // marks as in stack_key::user_stack, in the place of the key's; 0: those of the key
  };
  struct Walked {
    std::unordered_map<std::uint64_t, Slice> slices;  // by hash
    std::vector<std::uint64_t> addresses;

    void add(std::uint64_t hash, std::span<const std::uint64_t> leaf_first, std::uint16_t end);
    [[nodiscard]] std::span<const std::uint64_t> frames(const Slice& slice) const {
      return std::span(addresses).subspan(slice.begin, slice.size);
    }
  };

  // What `read` gives for the stack, which it is asked for once: `besides` is what tells apart those of one number.
  template <class Read>
  StackId once(ProcessId space, std::int32_t stack, std::uint64_t besides, Read read);
  template <class Intern>
  StackId read(ProcessId space, std::int32_t stack, std::uint64_t caller, Intern intern);
  // Null when it has not come.
  [[nodiscard]] const Slice* find(const stack_key& key) const;
  [[nodiscard]] const Walked& walked_with(const stack_key& key) const { return walked_[generation_of(key.user_stack)]; }

  struct Hash {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& key) const noexcept {
      return (key.first ^ key.second * 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL >> 16;
    }
  };

  std::array<int, PROFILE_GENERATIONS> map_fds_;
  std::array<int, PROFILE_GENERATIONS> sent_fds_{-1, -1};
  std::vector<std::uint64_t> buffer_;
  std::array<Walked, PROFILE_GENERATIONS> walked_;
  std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, StackId, Hash> seen_;  // key: space and stack, besides
};

}  // namespace profile
