#include "support/module.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "support/error.h"

namespace profile {
namespace {

namespace fs = std::filesystem;

// The path of the module. If the module is missing, the path where it should be.
fs::path place_of(const std::string& file) {
  std::error_code error;
  const fs::path directory = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) throw system_error("cannot read /proc/self/exe", error.value());
  fs::path beside = directory / file;
  if (fs::exists(beside, error)) return beside;
  return (directory / PROFILE_MODULE_DIRECTORY / file).lexically_normal();
}

}  // namespace

const void* module_functions(std::string_view name) {
  const fs::path place = place_of("profile-" + std::string(name) + ".so");
  // The path has a slash, so the loader searches nowhere else.
  void* const library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    throw Error(std::string("cannot load a part of this program: ") + (why != nullptr ? why : "unknown error"));
  }
  const auto* const entry =
      static_cast<const ModuleEntry*>(::dlsym(library, ("profile_module_" + std::string(name)).c_str()));
  if (entry == nullptr || std::string_view(entry->version) != PROFILE_VERSION) {
    throw Error("cannot load a part of this program: " + place.string() + " is not of version " PROFILE_VERSION);
  }
  entry->set_hash_secret(hash_secret());
  return entry->functions;
}

}  // namespace profile
