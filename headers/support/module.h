// Parts of the program that stand in shared objects of their own, so that only a run that uses one loads its libraries.
#pragma once

#include <string_view>

namespace profile {

// What a module exports as `profile_module_NAME`. `functions` is the struct of pointers that its header declares.
struct ModuleEntry {
  const char* version;  // PROFILE_VERSION: parts of two builds do not know each other's structures
  const void* functions;
};

// The functions of `profile-NAME.so`, which stays loaded. It is looked for beside the executable and where `cmake
// --install` puts it, never along a search path. Throws Error, with the place, when it is missing or of another
// version.
const void* module_functions(std::string_view name);

// Functions::module is the module's name.
template <typename Functions>
const Functions& load_module() {
  return *static_cast<const Functions*>(module_functions(Functions::module));
}

}  // namespace profile
