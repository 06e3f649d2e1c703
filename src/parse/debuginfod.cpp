#include "parse/debuginfod.h"

#include <dlfcn.h>
#include <fcntl.h>

#include <cstdlib>
#include <string>

#include "support/error.h"

// This is what elfutils/debuginfod.h would declare. Only the library is needed, and only at run time.
struct debuginfod_client;

namespace profile {
namespace {

constexpr const char* library_name = "libdebuginfod.so.1";

template <class Function>
void look_up(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  if (function == nullptr)
    throw Error(std::string("--debuginfod: ") + library_name + " has no " + name + "; it is too old");
}

}  // namespace

struct Debuginfod::State {
  using Clock = std::chrono::steady_clock;

  debuginfod_client* (*begin)() = nullptr;
  void (*end)(debuginfod_client*) = nullptr;
  int (*find)(debuginfod_client*, const unsigned char*, int, char**) = nullptr;
  void (*set_progress)(debuginfod_client*, int (*)(debuginfod_client*, long, long)) = nullptr;
  void (*set_user_data)(debuginfod_client*, void*) = nullptr;
  void* (*user_data)(debuginfod_client*) = nullptr;

  debuginfod_client* client = nullptr;
  Clock::duration patience{};  // how much is left
  Clock::time_point give_up_at;
  bool ran_out = false;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (client != nullptr) end(client);
  }

  // The library calls it about once a second while it waits. A result other than 0 ends the waiting.
  static int go_on(debuginfod_client* asked, long, long) noexcept;
};

namespace {

// The callback can reach the state only through a function of the library. The library is the same for all states.
void* (*library_user_data)(debuginfod_client*) = nullptr;

}  // namespace

int Debuginfod::State::go_on(debuginfod_client* asked, long, long) noexcept {
  auto* const state = static_cast<State*>(library_user_data(asked));
  if (Clock::now() < state->give_up_at) return 0;
  state->ran_out = true;
  return 1;
}

Debuginfod::Debuginfod(std::chrono::milliseconds patience) : state_(std::make_unique<State>()) {
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
  look_up(library, "debuginfod_begin", state_->begin);
  look_up(library, "debuginfod_end", state_->end);
  look_up(library, "debuginfod_find_debuginfo", state_->find);
  look_up(library, "debuginfod_set_progressfn", state_->set_progress);
  look_up(library, "debuginfod_set_user_data", state_->set_user_data);
  look_up(library, "debuginfod_get_user_data", state_->user_data);
  library_user_data = state_->user_data;
  state_->client = state_->begin();
  if (state_->client == nullptr) throw Error(std::string("--debuginfod: ") + library_name + " does not start");
  state_->patience = patience;
  state_->set_user_data(state_->client, state_.get());
  state_->set_progress(state_->client, State::go_on);
}

Debuginfod::~Debuginfod() = default;

Fd Debuginfod::find(const std::string& build_id) {
  if (state_->patience <= State::Clock::duration::zero()) return {};
  const auto start = State::Clock::now();
  state_->give_up_at = start + state_->patience;
  // Length 0 means that the build-id is in hex.
  Fd found(state_->find(state_->client, reinterpret_cast<const unsigned char*>(build_id.c_str()), 0, nullptr));
  state_->patience -= State::Clock::now() - start;
  if (found) ::fcntl(found.get(), F_SETFD, FD_CLOEXEC);
  return found;
}

bool Debuginfod::ran_out_of_time() const { return state_->ran_out; }

}  // namespace profile
