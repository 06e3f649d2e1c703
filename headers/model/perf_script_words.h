// The words of `perf script` that both its writer and its reader need.
#pragma once

#include <string_view>

namespace profile {

inline constexpr std::string_view perf_header_line = "# ========\n";
// Starts a comment line that only we write, for facts that perf has no field for.
inline constexpr std::string_view perf_own_words = "# profile : ";
inline constexpr std::string_view perf_kernel = "[kernel.kallsyms]";
inline constexpr std::string_view perf_vdso = "[vdso]";
inline constexpr std::string_view perf_tag = "[tag]";
// In the place of the file of an inlined function, which lies in the file of the next frame.
inline constexpr std::string_view perf_inlined = "inlined";
// The writer puts it before a symbol that begins with a parenthesis, "(anonymous namespace)::f". It has the same
// meaning in C++.
inline constexpr std::string_view perf_global = "::";
// Frame::module of the kernel itself and of the vDSO.
inline constexpr std::string_view kernel_module = "kernel";
inline constexpr std::string_view vdso_module = "vdso";

}  // namespace profile
