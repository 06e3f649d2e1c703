// From the spelling of a symbol in a file to what a person wrote.
#pragma once

#include <string>
#include <string_view>

namespace profile {

// C++ (_Z…) with its parameters and Rust (both schemes, without the hash) demangled, and clone suffixes told apart:
// "foo(int) [clone .cold]" (not ".llvm.N", a hash that changes with the build). Everything else is as it was: C, Go,
// and names that are damaged or unfold to more than 16 KB. Of all, a symbol version ("@GLIBC_2.14", "@@…") is taken
// off; "@plt" is none. A name takes microseconds, but one of 50 bytes can be made to take for ever without a byte of
// output: strangers' names are for a process that can be killed.
[[nodiscard]] std::string demangle(std::string_view raw);

}  // namespace profile
