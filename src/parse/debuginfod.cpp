#include "parse/debuginfod.h"

#include <dlfcn.h>
#include <fcntl.h>

#include <cstdlib>
#include <string>

#include "support/error.h"

namespace profile {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* library_name = "libdebuginfod.so.1";

// When the present question is given up. This process asks one at a time.
Clock::time_point give_up_at;

// The library calls it about once a second while it waits. A result other than 0 ends the waiting.
int go_on(debuginfod_client*, long, long) noexcept { return Clock::now() < give_up_at ? 0 : 1; }

template <class Function>
void look_up(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  if (function == nullptr)
    throw Error(std::string("--debuginfod: ") + library_name + " has no " + name + "; it is too old");
}

}  // namespace

Debuginfod::Debuginfod(std::chrono::milliseconds patience) : patience_(patience) {
  const char* const servers = std::getenv("DEBUGINFOD_URLS");
  if (servers == nullptr || *servers == '\0') {
    throw Error(
        "--debuginfod: DEBUGINFOD_URLS names no server; set it, and let sudo pass it on (sudo "
        "--preserve-env=DEBUGINFOD_URLS)");
  }
  // The library is never unloaded: a thread that looks up a server's name may still run in it.
  void* const library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    throw Error(std::string("--debuginfod needs ") + library_name +
                " (Debian: libdebuginfod1; Fedora: " + "elfutils-debuginfod-client): " + ::dlerror());
  }
  debuginfod_client* (*begin)() = nullptr;
  void (*set_progress)(debuginfod_client*, int (*)(debuginfod_client*, long, long)) = nullptr;
  look_up(library, "debuginfod_begin", begin);
  look_up(library, "debuginfod_end", end_);
  look_up(library, "debuginfod_find_debuginfo", find_);
  look_up(library, "debuginfod_set_progressfn", set_progress);
  client_ = begin();
  if (client_ == nullptr) throw Error(std::string("--debuginfod: ") + library_name + " does not start");
  set_progress(client_, go_on);
}

Debuginfod::~Debuginfod() { end_(client_); }

Fd Debuginfod::find(const std::string& build_id) {
  if (patience_ <= Clock::duration::zero()) return {};
  const auto start = Clock::now();
  give_up_at = start + patience_;
  // Length 0 means that the build-id is in hex.
  Fd found(find_(client_, reinterpret_cast<const unsigned char*>(build_id.c_str()), 0, nullptr));
  patience_ -= Clock::now() - start;
  if (found) ::fcntl(found.get(), F_SETFD, FD_CLOEXEC);
  return found;
}

}  // namespace profile
