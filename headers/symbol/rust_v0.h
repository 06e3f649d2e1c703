// Rust's own mangling (RFC 2603, "v0", the default of today's rustc). Done here rather than by libiberty, because that
// one can be made to count to 2^62 without printing anything (a binder inside the path of an impl), and holds
// allocated memory while it prints, so that it cannot be interrupted safely.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace profile {

// `mangled` begins with "_R" and has no suffix. Without crate hashes and without the types of constants. nullopt when
// it is no such name, or one that unfolds to more than `max_bytes`. Time and stack are bounded whatever the name.
[[nodiscard]] std::optional<std::string> demangle_rust_v0(std::string_view mangled, std::size_t max_bytes);

}  // namespace profile
