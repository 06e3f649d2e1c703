// What is changed of each stack before anybody sees it: kernel stacks lose the frames of the tracing itself, and user
// stacks lose what lies beyond their root.
#pragma once

#include <unordered_map>

#include "model/profile.h"

namespace profile {

// `profile` has been symbolised.

// The innermost frames in the kernel stack of a traced function belong to the tracing itself: our BPF program and its
// callers. Returns the stack without them, because users do not want to see them. If the kernel's names are hidden, the
// stack stays unchanged.
[[nodiscard]] StackId without_tracing_frames(Profile& profile, StackId kernel);
// The kernel stack as it is shown. `is_traced`: without the frames above. A stack that is nothing but the kernel's own
// walk of stacks becomes `missed`: with frame pointers the kernel's unwinder at times begins in itself and stops there.
[[nodiscard]] StackId shown_kernel_stack(Profile& profile, StackId kernel, bool is_traced);

class StackEdits {
 public:
  // `is_traced`: as Source::has_tracing_frames().
  explicit StackEdits(bool is_traced) : is_traced_(is_traced) {}

  // The row's kernel stack becomes the one that is shown. The kernel stack of a waker loses the frames of the tracing,
  // too. The user stack becomes the believable one (model/stack_roots.h).
  void apply(Profile& profile, Row& row);
  // The same for all rows.
  void apply(Profile& profile);
  // The next rows belong to another profile.
  void forget();

 private:
  bool is_traced_;
  std::unordered_map<StackId, StackId> shown_;
};

}  // namespace profile
