// Parts of the program in shared objects of their own, so that only a run that uses a part loads its libraries.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/hash.h"

namespace profile {

// A module exports it as `profile_module_NAME`. `functions` is the struct of pointers that the module's header
// declares.
struct ModuleEntry {
  const char* version = nullptr;  // PROFILE_VERSION: two builds may have different structures
  const void* functions = nullptr;
  void (*set_hash_secret)(std::uint64_t) noexcept = &profile::set_hash_secret;  // the module's own
};

// The functions of `profile-NAME.so`, which stays loaded. The file must be beside the executable or where `cmake
// --install` puts it; no search path is used. Throws Error with the path when it is missing or has another version.
const void* module_functions(std::string_view name);

// Functions::module is the name of the module.
template <typename Functions>
const Functions& load_module() {
  return *static_cast<const Functions*>(module_functions(Functions::module));
}

}  // namespace profile
