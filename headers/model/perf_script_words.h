// The words of `perf script` that both who writes it and who reads it know.
#pragma once

#include <string_view>

namespace profile {

inline constexpr std::string_view perf_header_line = "# ========\n";
// Of a comment that only we write: it says what perf has no field for.
inline constexpr std::string_view perf_own_words = "# profile : ";
inline constexpr std::string_view perf_kernel = "[kernel.kallsyms]";
inline constexpr std::string_view perf_vdso = "[vdso]";
inline constexpr std::string_view perf_tag = "[tag]";
// In front of a symbol that begins with a parenthesis, "(anonymous namespace)::f", and means the same in C++.
inline constexpr std::string_view perf_global = "::";
// Frame::module of the kernel itself and of the vDSO.
inline constexpr std::string_view kernel_module = "kernel";
inline constexpr std::string_view vdso_module = "vdso";

}  // namespace profile
