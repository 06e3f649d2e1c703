/* The frame that a chain of frame pointers leaves out of every stack taken in a system call: most calls are made by a
 * small function of the C library that has no frame of its own, so its caller is not in the chain. Its return address
 * is then on top of the stack, or on arm64 in the link register; it is believed when the instruction before it calls
 * the function the system call was made in. */
#ifndef PROFILE_CALLER_BPF_H
#define PROFILE_CALLER_BPF_H

#include "record.bpf.h"

#define LARGEST_WRAPPER 512 /* bytes from its first instruction to the one that makes the call */

static __always_inline bool is_in_function(__u64 first, __u64 ip) { return ip > first && ip - first < LARGEST_WRAPPER; }

/* Whether the function whose address stands at `slot` is the one around `ip`. */
static __always_inline bool leads_to(__u64 slot, __u64 ip) {
  __u64 function;
  if (!slot || bpf_probe_read_user(&function, sizeof(function), (void *)slot)) return false;
  return is_in_function(function, ip);
}

#ifdef __TARGET_ARCH_x86
/* Where the entry of the procedure linkage table at `stub` reads its target from; 0 when it is none. */
static __always_inline __u64 slot_of_stub(__u64 stub) {
  __u32 code[2];
  if (bpf_probe_read_user(code, sizeof(code), (void *)stub)) return 0;
  __u64 jump = 0;
  if ((code[0] & 0xffff) == 0x25ff) jump = stub; /* jmp *offset(%rip) */
  if (code[0] == 0xfa1e0ff3) {                   /* endbr64 */
    if ((code[1] & 0xffff) == 0x25ff) jump = stub + 4;
    if ((code[1] & 0xffffff) == 0x25fff2) jump = stub + 5; /* bnd jmp */
  }
  __s32 offset;
  if (!jump || bpf_probe_read_user(&offset, sizeof(offset), (void *)(jump + 2))) return 0;
  return jump + 6 + offset;
}

/* Not static, so that the verifier looks at it once and not for each way from it. */
__noinline __u64 caller_at(__u64 ip, __u64 sp) {
  struct {
    __u16 unused;
    __u16 opcode;
    __s32 offset;
  } call; /* the six bytes before the return address: the offset is aligned, as the verifier wants it */
  __u64 back;
  if (bpf_probe_read_user(&back, sizeof(back), (void *)sp)) return 0;
  if (bpf_probe_read_user(&call.opcode, 6, (void *)(back - 6))) return 0;
  __u64 slot = 0;
  if (call.opcode >> 8 == 0xe8) { /* call offset */
    const __u64 function = back + call.offset;
    if (is_in_function(function, ip)) return back;
    slot = slot_of_stub(function);
  } else if (call.opcode == 0x15ff) { /* call *offset(%rip) */
    slot = back + call.offset;
  }
  return leads_to(slot, ip) ? back : 0;
}

#else
/* The same of [bti c]; adrp x16, page; ldr x17, [x16, offset]. */
static __always_inline __u64 slot_of_stub(__u64 stub) {
  __u32 code[3];
  if (bpf_probe_read_user(code, sizeof(code), (void *)stub)) return 0;
  __u32 adrp = code[0], ldr = code[1];
  if (adrp == 0xd503245f) { /* bti c */
    adrp = code[1];
    ldr = code[2];
    stub += 4;
  }
  if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211) return 0;
  const __u64 pages = (adrp >> 29 & 3) | (adrp >> 5 & 0x7ffff) << 2; /* 21 bits, signed */
  return (stub & ~4095ULL) + (__u64)((__s64)(pages << 43) >> 31) + (ldr >> 10 & 0xfff) * 8ULL;
}

__noinline __u64 caller_at(__u64 ip, __u64 link, __u64 frame) {
  __u32 call;
  __u64 in_chain;
  if (bpf_probe_read_user(&call, sizeof(call), (void *)(link - sizeof(call)))) return 0;
  if ((call & 0xfc000000) != 0x94000000) return 0; /* bl offset */
  /* A function with a frame of its own has put it there. */
  if (!bpf_probe_read_user(&in_chain, sizeof(in_chain), (void *)(frame + 8)) && in_chain == link) return 0;
  const __u64 function = link - sizeof(call) + ((__s64)((__u64)call << 38) >> 36); /* 26 bits, signed, of words */
  return is_in_function(function, ip) || leads_to(slot_of_stub(function), ip) ? link : 0;
}
#endif

/* For stack_key::caller, where a 64-bit system call has begun; 0 when the chain is complete or nothing is certain. */
static __always_inline __u64 caller_of_wrapper(const struct pt_regs *regs) {
#ifdef __TARGET_ARCH_x86
  return caller_at(regs->ip, regs->sp);
#else
  return caller_at(regs->pc, regs->regs[30], regs->regs[29]);
#endif
}

#endif
