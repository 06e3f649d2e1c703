/* Whether the current task is in a system call of the 32-bit kind. These calls have other numbers and registers. */
#ifndef PROFILE_COMPAT_BPF_H
#define PROFILE_COMPAT_BPF_H

#include "record.bpf.h"
/* This header needs the types above. */
#include <bpf/bpf_core_read.h>

#ifdef __TARGET_ARCH_x86
#define COMPAT_WORD status
#define COMPAT_MARK 0x0002 /* TS_COMPAT */
#else
#define COMPAT_WORD flags
#define COMPAT_MARK (1ULL << 22) /* TIF_32BIT: arm64 sets it for every call of a 32-bit program */
#endif

static __always_inline bool is_compat(void) {
  if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf)) { /* since 5.11, faster */
    return ((struct task_struct *)bpf_get_current_task_btf())->thread_info.COMPAT_WORD & COMPAT_MARK;
  }
  const struct task_struct *task = (const struct task_struct *)bpf_get_current_task();
  return BPF_CORE_READ(task, thread_info.COMPAT_WORD) & COMPAT_MARK;
}

#endif
