// What stands between this process and the kernel, in words a person can act on. The calls themselves answer only EPERM
// or EACCES for half a dozen reasons.
#pragma once

#include <optional>
#include <string>

namespace profile {

// Why loading BPF failed with `error` (positive errno), when the reason is privilege, lockdown, BTF or a kernel without
// BPF: one line that ends in what to do. nullopt when it is something else.
[[nodiscard]] std::optional<std::string> missing_for_bpf(int error);
// The same for perf_event_open.
[[nodiscard]] std::optional<std::string> missing_for_perf(int error);
// A sentence when the kernel hides its symbols' addresses from this process (kptr_restrict), else nullopt.
[[nodiscard]] std::optional<std::string> hidden_kernel_symbols();

}  // namespace profile
