// Decides which frames of a user stack are real. A stack begins in the start function of its program or thread. A chain
// of frame pointers may go on beyond it, because the C library leaves another value in that register; those frames are
// garbage.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "model/profile.h"

namespace profile {

struct StackExtent {
  std::size_t frames = 0;  // from the leaf on; the others are garbage
  bool has_root = false;   // without a root all frames count
  // As `frames`. Without a root, it ends at the last frame that lies in a mapping: a broken chain leaves only others
  // behind.
  std::size_t trusted = 0;
};
// `profile` must have been symbolised.
[[nodiscard]] StackExtent extent_of(const Profile& profile, std::span<const FrameId> leaf_first);

// Replaces the user stack of a thread inside execve(), after its old program is gone and before the new one begins. The
// leaf has this name if it is known to lie in the old program; otherwise the kernel stack shows it.
inline constexpr std::string_view exec_frame = "[exec]";
// The leaf's address when the BPF program knows that.
inline constexpr RuntimeAddress exec_address{std::uint64_t{1} << 62};

// Returns the row's user stack without the frames beyond its root; inside execve() it is the single frame.
// If the stack's end is `root`, it stays as it is. If it is another known end, it becomes `root` where the names show a
// root, except for `guessed` and `no_table_yet`: frame pointers may have left out a caller on the way there.
[[nodiscard]] StackId believable_user_stack(Profile& profile, const Row& row);

}  // namespace profile
