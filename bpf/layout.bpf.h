/* Reads the members of kernel structures whose places user space has found (struct kernel_layout). Not by CO-RE, so
 * libbpf need not load the kernel's types. */
#ifndef PROFILE_LAYOUT_BPF_H
#define PROFILE_LAYOUT_BPF_H

#include "abi/walk.h"
#include "compiler.bpf.h"

SEC(".rodata.layout") CONSTANT struct kernel_layout layout = {};

/* Reads `member` of the kernel's structure at `base` into `to`. The result is 0 when it was read. */
#define READ_AT(to, base, member) bpf_probe_read_kernel(&(to), sizeof(to), (const char *)(base) + layout.member)
/* The same, without a call if `base` is a pointer whose type the verifier knows. For a member that is a pointer itself
 * the verifier then searches the kernel's types by name, which takes a millisecond each time that it comes there. */
#define TAKE_AT(to, base, member)                                                                                    \
  (layout.has_typed_pointers ? ((to) = *(__typeof__(to) const volatile *)((const char *)(base) + layout.member), 0L) \
                             : READ_AT(to, base, member))

static __always_inline const char *current_task(void) {
  if (layout.has_typed_pointers) return (const char *)bpf_get_current_task_btf();
  return (const char *)bpf_get_current_task();
}

#endif
