// Says why the kernel refuses something to this process, in words that lead to a remedy. The system calls answer only
// EPERM or EACCES for half a dozen reasons.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace profile {

// Why loading BPF failed with `error` (positive errno): privilege, lockdown, BTF, or a kernel without BPF. One line
// that ends with a remedy; nullopt for any other reason.
[[nodiscard]] std::optional<std::string> missing_for_bpf(int error);
// The effect of a locked-down kernel.
inline constexpr std::string_view locked_down =
    "the kernel is locked down (confidentiality) and does not let its memory be read";
// That text and a remedy; nullopt when the kernel is not locked down.
[[nodiscard]] std::optional<std::string> missing_by_lockdown();
// The same as missing_for_bpf(), for perf_event_open.
[[nodiscard]] std::optional<std::string> missing_for_perf(int error);
// The message for a process that has the privilege and is refused `what`. It guesses who refuses from the error, from
// whether a seccomp filter is active (`is_filtered`), and from the kernel's list of security modules (nullopt:
// unknown).
[[nodiscard]] std::string words_of_refusal(const std::string& what, int error, bool is_filtered,
                                           const std::optional<std::string>& modules);
// A sentence when the kernel hides its symbols' addresses from this process (kptr_restrict); otherwise nullopt.
[[nodiscard]] std::optional<std::string> hidden_kernel_symbols();

}  // namespace profile
