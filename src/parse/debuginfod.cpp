#include "parse/debuginfod.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

#include "children/kinds.h"
#include "support/error.h"

namespace profile {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* library_name = "libdebuginfod.so.1";
constexpr const char* cache_variable = "DEBUGINFOD_CACHE_PATH";
constexpr const char* cache_of_root = "/var/cache/profile-debuginfod";

// Of one file, as the debug files of the largest programs have.
constexpr long most_bytes = 2'000'000'000;

// When the present question is given up. This process asks one at a time.
Clock::time_point give_up_at;
volatile std::sig_atomic_t is_ending = 0;

bool is_given_up = false;

// The library calls it whenever something has come, and once a second. A result other than 0 ends the waiting, and the
// library then deletes what has come.
int go_on(debuginfod_client*, long bytes, long bytes_announced) noexcept {
  const bool is_in_bounds = std::max(bytes, bytes_announced) <= most_bytes;
  is_given_up = !is_in_bounds || is_ending != 0 || Clock::now() >= give_up_at;
  return is_given_up ? 1 : 0;
}

// With an empty file the library remembers for ten minutes that no server has the file.
void forget_missing(const std::string& cache, const std::string& build_id) noexcept {
  const std::string path = cache + '/' + build_id + "/debuginfo";
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && found.st_size == 0) ::unlink(path.c_str());
}

template <class Function>
void load_function(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  if (function == nullptr)
    throw Error(std::string("--debuginfod: ") + library_name + " has no " + name + "; it is too old");
}

}  // namespace

std::string Debuginfod::make_cache() {
  const char* const given = std::getenv(cache_variable);
  if (given == nullptr && ::geteuid() != 0) return {};
  std::string path = given != nullptr ? given : cache_of_root;
  if (::mkdir(path.c_str(), S_IRWXU) != 0 || ::geteuid() != 0) return path;
  const Fd made(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const uid_t fetcher = row_of(ChildKind::fetcher).user;
  if (!made || ::fchown(made.get(), fetcher, fetcher) != 0) {
    throw system_error("--debuginfod: cannot make " + path, errno);
  }
  return path;
}

Debuginfod::Debuginfod(const std::string& cache, Patience patience)
    : cache_(cache),
      with_one_(patience.with_one),
      left_(patience.with_all),
      shares_(static_cast<std::uint64_t>(std::chrono::microseconds(patience.with_all).count())) {
  if (!cache.empty() && ::access(cache.c_str(), R_OK | W_OK | X_OK) != 0) {
    throw system_error("--debuginfod: the servers are asked by user " + std::to_string(::getuid()) +
                           ", who cannot use " + cache + "; let " + cache_variable + " name a new directory",
                       errno);
  }
  if (!cache.empty()) ::setenv(cache_variable, cache.c_str(), 1);
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
  load_function(library, "debuginfod_begin", begin);
  load_function(library, "debuginfod_end", end_);
  load_function(library, "debuginfod_find_debuginfo", find_);
  load_function(library, "debuginfod_set_progressfn", set_progress);
  client_ = begin();
  if (client_ == nullptr) throw Error(std::string("--debuginfod: ") + library_name + " does not start");
  set_progress(client_, go_on);
}

Debuginfod::~Debuginfod() { end_(client_); }

void Debuginfod::give_up(int) noexcept { is_ending = 1; }

Fd Debuginfod::find(const std::string& build_id, std::uint64_t owner) {
  using std::chrono::microseconds;
  const auto most = std::min<std::uint64_t>(shares_.left_for(owner), static_cast<std::uint64_t>(left_.count()));
  has_given_up_ = true;
  no_answer_ = 0;
  if (most == 0) return {};
  const auto start = Clock::now();
  const auto given = std::min(microseconds(most), with_one_);
  give_up_at = start + given;
  is_given_up = false;
  // Length 0 means that the build-id is in hex.
  const int answer = find_(client_, reinterpret_cast<const unsigned char*>(build_id.c_str()), 0, nullptr);
  Fd found(answer);
  // The library is late when it gives up, which nobody pays for.
  const auto took = std::min(std::chrono::ceil<microseconds>(Clock::now() - start), given);
  left_ -= took;
  shares_.take(owner, static_cast<std::uint64_t>(took.count()));
  has_given_up_ = !found && is_given_up;
  if (answer < 0 && answer != -ENOENT && !is_given_up) no_answer_ = -answer;
  if (has_given_up_ && !cache_.empty()) forget_missing(cache_, build_id);
  if (found) ::fcntl(found.get(), F_SETFD, FD_CLOEXEC);
  return found;
}

}  // namespace profile
