// What stands between this process and the kernel, in words a person can act on. The calls themselves answer only EPERM
// or EACCES for half a dozen reasons.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace profile {

// Why loading BPF failed with `error` (positive errno), when the reason is privilege, lockdown, BTF or a kernel without
// BPF: one line that ends in what to do. nullopt when it is something else.
[[nodiscard]] std::optional<std::string> missing_for_bpf(int error);
// What a kernel that is locked down takes away.
inline constexpr std::string_view locked_down =
    "the kernel is locked down (confidentiality) and does not let its memory be read";
// When it is, that and what to do.
[[nodiscard]] std::optional<std::string> missing_by_lockdown();
// The same as of missing_for_bpf() for perf_event_open.
[[nodiscard]] std::optional<std::string> missing_for_perf(int error);
// Who refuses `what` to a process that has the privilege, as far as that is known: by the error, by whether it is under
// a seccomp filter, and by the kernel's list of security modules; nullopt: there is no telling.
[[nodiscard]] std::string words_of_refusal(const std::string& what, int error, bool is_filtered,
                                           const std::optional<std::string>& modules);
// A sentence when the kernel hides its symbols' addresses from this process (kptr_restrict), else nullopt.
[[nodiscard]] std::optional<std::string> hidden_kernel_symbols();

}  // namespace profile
