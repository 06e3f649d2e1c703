/* Lets the kernel print the names of the addresses that user space asks for. An address takes some microseconds; the
 * kernel's list of all names, /proc/kallsyms, takes tens of milliseconds. User space runs the program by a system call
 * (Linux 5.14), so it is attached to nothing. */
#include "abi/kernel_names.h"
#include "map.bpf.h"

MAP(questions, ARRAY, BPF_F_MMAPABLE, __u32, struct kernel_question, KERNEL_QUESTIONS);

static long answer(void *map, const __u32 *key, struct kernel_question *question, void *context) {
  static const char format[] = "%pS";
  const __u64 address = question->address;
  if (!address) return 1;
  bpf_snprintf(question->answer, sizeof(question->answer), format, (__u64 *)&address, sizeof(address));
  return 0;
}

SEC("syscall")
int name_all(void *context) {
  bpf_for_each_map_elem(&questions, answer, NULL, 0);
  return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
