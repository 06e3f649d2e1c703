// Reads the stacks of the BPF programs into profiles, each stack once for each address space. A stack lies in one of
// the two stack maps, or the BPF program walked it by tables and sent it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "abi/record.h"
#include "abi/walk.h"
#include "model/profile.h"
#include "support/index_table.h"

namespace profile {

class ScriptNames;
struct FinishedWalk;

// A stack from the kernel, leaf first, up to its first zero. At a zero the stack ends, or its chain of frame pointers
// is broken.
[[nodiscard]] std::span<const std::uint64_t> without_zeros(std::span<const std::uint64_t> leaf_first);
// True if the BPF program walked the key's user stack by tables and sent it (abi/walk.h).
[[nodiscard]] inline bool is_walked(const stack_key& key) {
  return key.user_stack >= 0 && (key.user_stack & WALK_STACK) != 0;
}
// Interns a user stack that the kernel has taken for this key. It inserts stack_key::caller behind the leaf unless that
// is 0, or the kernel has put it there already.
[[nodiscard]] StackId intern_user_stack(Profile& profile, ProcessId space, std::span<const std::uint64_t> leaf_first,
                                        const stack_key& key);

class StackMaps {
 public:
  // `map_fds`: descriptors of the stack maps by generation, not owned. `names` must outlive this.
  StackMaps(const std::array<int, PROFILE_GENERATIONS>& map_fds, std::uint32_t max_depth, const ScriptNames& names)
      : names_(names), map_fds_(map_fds), buffer_(max_depth) {}

  // The generation of a stack in a key (as stack_key::user_stack), and its id in the map of that generation.
  [[nodiscard]] static std::uint32_t generation_of(std::int32_t stack) {
    return static_cast<std::uint32_t>(stack) >> PROFILE_STACK_GENERATION_SHIFT & 1;
  }
  [[nodiscard]] static std::uint32_t id_of(std::int32_t stack) {
    return static_cast<std::uint32_t>(stack) & PROFILE_STACK_ID_MASK;
  }

  // `sent_fds`: the maps of the stacks that the BPF programs have sent, by generation, not owned. clear() empties them
  // too. Below 0: there are none.
  void clear_with(const std::array<int, PROFILE_GENERATIONS>& sent_fds) { sent_fds_ = sent_fds; }
  // Keeps a stack that was sent until its generation is cleared, because the rows that name it come later.
  void keep(const ring_stack& head, std::span<const std::uint64_t> leaf_first);
  // Adds the callers that user space has found to a stack whose hash is its own (ring_unfinished::of_span).
  void finish(const ring_unfinished& begun, const FinishedWalk& finished);
  [[nodiscard]] StackId read_user(Profile& profile, ProcessId space, const stack_key& key);
  // The first begun.stuck.depth frames of a sent stack, and then the callers that user space has found.
  [[nodiscard]] StackId read_finished(Profile& profile, ProcessId space, const ring_unfinished& begun,
                                      const FinishedWalk& finished) const;
  [[nodiscard]] StackId read_kernel(Profile& profile, const stack_key& key);
  // Forgets which stacks were read. Call it before reads for another profile, or when stacks have changed.
  void forget() {
    seen_.clear();
    seen_ids_.clear();
  }
  // The stacks of a generation that are still needed, because keys that name them are yet to come.
  struct Held {
    std::unordered_set<std::uint32_t> ids;     // of its map
    std::unordered_set<std::uint64_t> hashes;  // of those that were walked
  };
  // Adds the stacks of `key` that belong to that generation.
  static void hold(const stack_key& key, std::uint32_t generation, Held& held);
  // Deletes all stacks of a generation except those in `held`.
  void clear(std::uint32_t generation, const Held& held);

 private:
  // The place of a walked stack in Walked::addresses.
  struct Slice {
    std::uint64_t hash = 0;
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    std::uint16_t end = 0;  // marks that replace those in stack_key::user_stack; 0: the key's marks are valid
  };
  class Walked {
   public:
    // Replaces the stack with that hash, if there is one.
    void add(std::uint64_t hash, std::span<const std::uint64_t> leaf_first, std::uint16_t end);
    // Null when there is none. Valid until a stack is added.
    [[nodiscard]] const Slice* find(std::uint64_t hash) const;
    [[nodiscard]] std::span<const std::uint64_t> frames(const Slice& slice) const {
      return std::span(addresses_).subspan(slice.begin, slice.size);
    }

   private:
    std::vector<Slice> slices_;
    IndexTable ids_;  // of slices_, by hash
    std::vector<std::uint64_t> addresses_;
  };
  // A stack that was read: its address space and number in the key, what tells it from others with that number, and
  // what it became.
  struct Seen {
    std::uint64_t stack = 0;
    std::uint64_t besides = 0;
    StackId id = StackId::missed;
  };

  // Calls `read` once for each stack and remembers the result. `besides` tells stacks with the same number apart.
  template <class Read>
  StackId once(ProcessId space, std::int32_t stack, std::uint64_t besides, Read read);
  template <class Intern>
  StackId read(ProcessId space, std::int32_t stack, std::uint64_t caller, Intern intern);
  // Null when the stack has not come.
  [[nodiscard]] const Slice* find(const stack_key& key) const;
  [[nodiscard]] const Walked& walked_with(const stack_key& key) const { return walked_[generation_of(key.user_stack)]; }

  const ScriptNames& names_;
  std::array<int, PROFILE_GENERATIONS> map_fds_;
  std::array<int, PROFILE_GENERATIONS> sent_fds_{-1, -1};
  std::vector<std::uint64_t> buffer_;
  std::array<Walked, PROFILE_GENERATIONS> walked_;
  std::vector<Seen> seen_;
  IndexTable seen_ids_;  // of seen_, by stack and besides
};

}  // namespace profile
