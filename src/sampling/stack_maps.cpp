#include "sampling/stack_maps.h"

#include <bpf/bpf.h>

#include <algorithm>
#include <cerrno>

#include "model/stack_roots.h"
#include "sampling/finish_walk.h"
#include "sampling/map_walk.h"
#include "sampling/script_names.h"
#include "support/hash.h"

namespace profile {
namespace {

// Indexed by enum walk_end.
constexpr std::array ends{
    StackEnd::unknown,      StackEnd::root,         StackEnd::root,         StackEnd::too_deep,
    StackEnd::no_table_yet, StackEnd::no_cfi,       StackEnd::not_readable, StackEnd::not_mapped,
    StackEnd::no_register,  StackEnd::unknown_rule, StackEnd::backwards,    StackEnd::maps_changed,
};
static_assert(ends.size() == WALK_ENDS);
static_assert(exec_address.value == WALK_IN_EXECVE);
static_assert((WALK_IN_EXECVE & SCRIPT_FRAME_MASK) != SCRIPT_FRAME);

// A stack that began with a guess is not reliable, however it ended.
StackEnd end_of(std::uint32_t end, bool is_guessed) { return is_guessed ? StackEnd::guessed : ends[end % ends.size()]; }

StackId intern_walked(Profile& profile, ProcessId space, const ScriptNames& names,
                      std::span<const std::uint64_t> leaf_first, std::span<const std::uint64_t> callers, StackEnd end) {
  std::vector<FrameId> frames;
  frames.reserve(leaf_first.size() + callers.size());
  for (const auto part : {leaf_first, callers}) {
    for (const std::uint64_t address : part) {
      if (ScriptNames::is_script(address)) {
        frames.push_back(names.frame(profile, space, address));
        continue;
      }
      const bool was_interrupted = frames.empty() || (address & WALK_INTERRUPTED) != 0;
      frames.push_back(
          profile.frame(space, FrameKind::user, RuntimeAddress{address & ~WALK_INTERRUPTED}, !was_interrupted));
    }
  }
  return profile.stack(frames, end);
}

}  // namespace

std::span<const std::uint64_t> without_zeros(std::span<const std::uint64_t> leaf_first) {
  const auto end = std::find(leaf_first.begin(), leaf_first.end(), 0U);
  return leaf_first.first(static_cast<std::size_t>(end - leaf_first.begin()));
}

StackId intern_user_stack(Profile& profile, ProcessId space, std::span<const std::uint64_t> leaf_first,
                          const stack_key& key) {
  const StackEnd end = key.user_hash == WALK_ALL_UNDER_WAY ? StackEnd::no_walk : StackEnd::unknown;
  const std::uint64_t caller = key.caller;
  const bool lacks_caller = caller != 0 && !leaf_first.empty() && (leaf_first.size() < 2 || leaf_first[1] != caller);
  if (!lacks_caller) return profile.stack_of(space, FrameKind::user, leaf_first, end);
  std::vector<std::uint64_t> frames(leaf_first.begin(), leaf_first.end());
  frames.insert(frames.begin() + 1, caller);
  return profile.stack_of(space, FrameKind::user, frames, end);
}

template <class Read>
StackId StackMaps::once(ProcessId space, std::int32_t stack, std::uint64_t besides, Read read) {
  const auto place = std::uint64_t{static_cast<std::uint32_t>(space)} << 32 | static_cast<std::uint32_t>(stack);
  const std::uint64_t hash = hash_of(hash_of(place), besides);
  const auto is_same = [&](std::uint32_t i) { return seen_[i].stack == place && seen_[i].besides == besides; };
  if (const auto known = seen_ids_.find(hash, is_same)) return seen_[*known].id;
  const StackId id = read();
  seen_ids_.add(hash, seen_.size());
  seen_.push_back({.stack = place, .besides = besides, .id = id});
  return id;
}

template <class Intern>
StackId StackMaps::read(ProcessId space, std::int32_t stack, std::uint64_t besides, Intern intern) {
  if (stack < 0) return stack == -EFAULT ? StackId::none : StackId::missed;
  return once(space, stack, besides, [&] {
    const std::uint32_t id = id_of(stack);
    const bool is_there = bpf_map_lookup_elem(map_fds_[generation_of(stack)], &id, buffer_.data()) == 0;
    return is_there ? intern(without_zeros(buffer_)) : StackId::missed;
  });
}

void StackMaps::Walked::add(std::uint64_t hash, std::span<const std::uint64_t> leaf_first, std::uint16_t end) {
  const Slice slice{.hash = hash,
                    .begin = static_cast<std::uint32_t>(addresses_.size()),
                    .size = static_cast<std::uint32_t>(leaf_first.size()),
                    .end = end};
  addresses_.insert(addresses_.end(), leaf_first.begin(), leaf_first.end());
  if (const auto known = ids_.find(hash, [&](std::uint32_t i) { return slices_[i].hash == hash; })) {
    slices_[*known] = slice;
    return;
  }
  ids_.add(hash, slices_.size());
  slices_.push_back(slice);
}

const StackMaps::Slice* StackMaps::Walked::find(std::uint64_t hash) const {
  const auto known = ids_.find(hash, [&](std::uint32_t i) { return slices_[i].hash == hash; });
  return known ? &slices_[*known] : nullptr;
}

void StackMaps::keep(const ring_stack& head, std::span<const std::uint64_t> leaf_first) {
  Walked& walked = walked_[head.header.generation % PROFILE_GENERATIONS];
  if (walked.find(head.hash) == nullptr) walked.add(head.hash, leaf_first, 0);
}

const StackMaps::Slice* StackMaps::find(const stack_key& key) const { return walked_with(key).find(key.user_hash); }

void StackMaps::finish(const ring_unfinished& begun, const FinishedWalk& finished) {
  const Slice* const slice = find(begun.key);
  if (slice == nullptr) return;
  Walked& walked = walked_[generation_of(begun.key.user_stack)];
  const auto known = walked.frames(*slice).first(std::min(begun.stuck.depth, slice->size));
  std::vector<std::uint64_t> all(known.begin(), known.end());
  all.insert(all.end(), finished.callers.begin(), finished.callers.end());
  const int marks = static_cast<int>(finished.end) | (finished.is_guessed ? WALK_STACK_GUESSED : 0);
  walked.add(begun.key.user_hash, all, static_cast<std::uint16_t>(marks));
}

StackId StackMaps::read_user(Profile& profile, ProcessId space, const stack_key& key) {
  if (is_walked(key)) {
    return once(space, key.user_stack, key.user_hash, [&] {
      const Slice* const slice = find(key);
      if (slice == nullptr) return StackId::missed;
      const auto marks = slice->end != 0 ? std::uint32_t{slice->end} : static_cast<std::uint32_t>(key.user_stack);
      const StackEnd end = end_of(marks & WALK_STACK_END, (marks & WALK_STACK_GUESSED) != 0);
      return intern_walked(profile, space, names_, walked_with(key).frames(*slice), {}, end);
    });
  }
  return read(
      space, key.user_stack, hash_of(key.caller, key.user_hash),
      [&](std::span<const std::uint64_t> leaf_first) { return intern_user_stack(profile, space, leaf_first, key); });
}

StackId StackMaps::read_finished(Profile& profile, ProcessId space, const ring_unfinished& begun,
                                 const FinishedWalk& finished) const {
  const Slice* const slice = find(begun.key);
  if (slice == nullptr) return StackId::missed;
  const auto frames = walked_with(begun.key).frames(*slice);
  const std::size_t depth = std::min<std::size_t>(begun.stuck.depth, frames.size());
  return intern_walked(profile, space, names_, frames.first(depth), finished.callers,
                       end_of(static_cast<std::uint32_t>(finished.end), finished.is_guessed));
}

StackId StackMaps::read_kernel(Profile& profile, const stack_key& key) {
  return read(ProcessId::kernel, key.kernel_stack, 0, [&](std::span<const std::uint64_t> leaf_first) {
    return profile.stack_of(ProcessId::kernel, FrameKind::kernel, leaf_first);
  });
}

void StackMaps::hold(const stack_key& key, std::uint32_t generation, Held& held) {
  const auto is_of = [&](std::int32_t stack) { return stack >= 0 && generation_of(stack) == generation; };
  if (is_of(key.kernel_stack)) held.ids.insert(id_of(key.kernel_stack));
  if (!is_of(key.user_stack)) return;
  if (is_walked(key)) {
    held.hashes.insert(key.user_hash);
  } else {
    held.ids.insert(id_of(key.user_stack));
  }
}

void StackMaps::clear(std::uint32_t generation, const Held& held) {
  std::vector<std::uint32_t> unused;
  std::uint32_t id = 0;
  for (bool first = true; bpf_map_get_next_key(map_fds_[generation], first ? nullptr : &id, &id) == 0; first = false) {
    if (!held.ids.contains(id)) unused.push_back(id);
  }
  for (const std::uint32_t stack : unused) bpf_map_delete_elem(map_fds_[generation], &stack);
  Walked kept;
  for (const std::uint64_t hash : held.hashes) {
    const Slice* const slice = walked_[generation].find(hash);
    if (slice != nullptr) kept.add(hash, walked_[generation].frames(*slice), slice->end);
  }
  walked_[generation] = std::move(kept);
  if (sent_fds_[generation] < 0) return;
  for_each_entry<std::uint64_t>(sent_fds_[generation], sizeof(std::uint64_t), true, [](const auto&, const auto*) {});
}

}  // namespace profile
