// Gets debug files from a debuginfod server, only when the user wants it: it sends the build-ids of what runs here over
// the network. It uses elfutils' libdebuginfod, loaded when needed, so that other users need not install it. The
// environment says which servers are asked and where their files are kept (DEBUGINFOD_URLS, DEBUGINFOD_CACHE_PATH, …).
// A server may send anything, without an end.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "support/fd.h"
#include "support/shares.h"

// This is what elfutils/debuginfod.h would declare. Only the library is needed, and only at run time.
struct debuginfod_client;

namespace profile {

class Debuginfod {
 public:
  // Enough for a large debug file on an ordinary line. After this, names come without the servers.
  struct Patience {
    std::chrono::milliseconds with_one;
    std::chrono::milliseconds with_all;
  };
  static constexpr Patience default_patience{std::chrono::seconds(20), std::chrono::seconds(60)};

  // The directory for the files of the servers, made if it is missing: the user's (DEBUGINFOD_CACHE_PATH), else, for
  // root, one that belongs to the process that asks, which is not root. Empty: the library's own choice. Throws Error.
  [[nodiscard]] static std::string make_cache();

  // Throws Error when the library is missing, the environment names no server, or the cache cannot be written.
  explicit Debuginfod(const std::string& cache, Patience patience = default_patience);
  Debuginfod(const Debuginfod&) = delete;
  Debuginfod& operator=(const Debuginfod&) = delete;
  ~Debuginfod();

  // The file with the debug information for that build-id (lower-case hex), for a file of this owner
  // (CodeFile::owner()). No Fd when no server has it, or time is up: each user has a share of it. The content may be
  // anything.
  [[nodiscard]] Fd find(const std::string& build_id, std::uint64_t owner);
  // Whether the last find() had no time left, or gave up what came: too slow, or too large.
  [[nodiscard]] bool has_given_up() const { return has_given_up_; }
  // Why no server answered the last find(), as an errno. 0: one did, or find() had given up.
  [[nodiscard]] int no_answer() const { return no_answer_; }
  // A signal handler: find() ends, now or when it is called next, and nothing stays of the file that was coming.
  static void give_up(int signal) noexcept;

 private:
  void (*end_)(debuginfod_client*) = nullptr;
  int (*find_)(debuginfod_client*, const unsigned char*, int, char**) = nullptr;
  debuginfod_client* client_ = nullptr;
  std::string cache_;
  bool has_given_up_ = false;
  int no_answer_ = 0;
  std::chrono::microseconds with_one_;
  std::chrono::microseconds left_;  // of the patience with all
  Shares shares_;                   // of the same, in microseconds
};

}  // namespace profile
