// Which frames of a user stack are to be believed. It begins in the function that a program or a thread starts with. A
// chain of frame pointers may go on beyond it, because what the C library leaves in the register there is no frame;
// what that leads to is nobody's caller.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "model/profile.h"

namespace profile {

struct StackExtent {
  std::size_t frames = 0;  // from the leaf on; those beyond are garbage
  bool has_root = false;   // of what ends before any root all frames count
  // As `frames`, but without a root those up to the last that lies anywhere: a broken chain leaves the others behind.
  std::size_t trusted = 0;
};
// `profile` has been symbolised.
[[nodiscard]] StackExtent extent_of(const Profile& profile, std::span<const FrameId> leaf_first);

// Stands for the user stack of a thread that is inside execve() when its old program is gone and the new one not begun.
// Its leaf is called so where it is known to lie in the old one; otherwise the kernel's stack tells.
inline constexpr std::string_view exec_frame = "[exec]";
// The address of the leaf where the kernel side knows it.
inline constexpr RuntimeAddress exec_address{std::uint64_t{1} << 62};

// The row's user stack without what lies beyond its root; inside execve() that one frame. Of a stack whose end was told
// nothing lies beyond a root that was reached, and any other end is a root's where the names say so: a stack that was
// begun with a guess stays one even then.
[[nodiscard]] StackId believable_user_stack(Profile& profile, const Row& row);
// The same for all rows.
void keep_believable_stacks(Profile& profile);

}  // namespace profile
