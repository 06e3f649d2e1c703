// From the spelling of a symbol in a file to what a person wrote.
#pragma once

#include <string>
#include <string_view>

namespace profile {

// C++ (_Z…) with its parameters and Rust (both schemes, without the hash) demangled, and clone suffixes told apart:
// "foo(int) [clone .cold]" (not ".llvm.N", a hash that changes with the build). Everything else is as it was: C, Go,
// and names that are damaged or that were made to take for ever or gigabytes. Of all, a symbol version ("@GLIBC_2.14",
// "@@…") is taken off; "@plt" is none.
[[nodiscard]] std::string demangle(std::string_view raw);

}  // namespace profile
