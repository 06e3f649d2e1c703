// Which code comes with a language or a system and is the same in all programs, so that it is hardly ever the answer.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "output/shown_frame.h"

namespace profile {

enum class LibraryCode : std::uint8_t {
  none,         // a program's own function, or one of a library that not everyone has
  standard,     // of the standard library of C++, Rust, Go, Java or a scripting language
  interpreter,  // of what runs scripts
  always        // the kernel, the C library, allocators, a runtime: also what a program wraps around these
};
[[nodiscard]] LibraryCode library_code(const Profile& profile, const ShownFrame& shown);
[[nodiscard]] bool is_of_interpreter(const Profile& profile, const Frame& frame);
[[nodiscard]] bool begins_with_one_of(std::string_view name, std::span<const std::string_view> beginnings);

}  // namespace profile
