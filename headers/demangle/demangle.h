// Converts the spelling of a symbol in a file to the name that its author wrote.
#pragma once

#include <string>
#include <string_view>

namespace profile {

// Demangles C++ (_Z…) with parameters, and Rust (both schemes) without its hash. A clone suffix is marked: "foo(int)
// [clone .cold]"; ".llvm.N" is removed, because that hash changes with the build.
// Other names stay as they are: C, Go, and names that are damaged, or unfold to more than 60 KB. The deepest name needs
// 7 MB of stack. "@plt" at the end
// stays; see symbol_versions.h for versions.
// A name takes microseconds, but a hostile one of 50 bytes can take for ever without output: demangle other users'
// names only in a process that can be killed.
[[nodiscard]] std::string demangle(std::string_view raw);

}  // namespace profile
