// A link of one BPF program to many user probes (BPF_TRACE_UPROBE_MULTI, since Linux 6.6). Of single probes the kernel
// makes and removes one after the other, and waits for all CPUs each time: a tenth of a second.
#pragma once

#include <cstdint>
#include <span>

#include "support/fd.h"

struct bpf_program;

namespace profile {

// Whether the kernel has such links.
[[nodiscard]] bool has_probe_links();
// Call it before the program is loaded, which then is for these links only. Throws Error.
void load_for_probe_link(bpf_program& program);

struct ProbeLink {
  int program = -1;
  const char* path = nullptr;
  std::span<const std::uint64_t> offsets;       // in the file
  std::span<const std::uint64_t> cookies = {};  // as many; or none
  bool on_return = false;
  std::uint32_t tgid = 0;  // only in this process (before Linux 6.10 only in its first thread); 0: in all
};
// No Fd: errno says why.
[[nodiscard]] Fd open_probe_link(const ProbeLink& link);

}  // namespace profile
