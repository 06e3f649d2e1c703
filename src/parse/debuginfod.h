// Gets debug files from a debuginfod server, only when the user wants it: it sends the build-ids of what runs here over
// the network. It uses elfutils' libdebuginfod, loaded when needed, so that other users need not install it. The
// environment says which servers are asked and where their files are kept (DEBUGINFOD_URLS, DEBUGINFOD_CACHE_PATH, …).
#pragma once

#include <chrono>
#include <string>

#include "support/fd.h"

// This is what elfutils/debuginfod.h would declare. Only the library is needed, and only at run time.
struct debuginfod_client;

namespace profile {

class Debuginfod {
 public:
  // Enough for a large debug file on a slow line. After this, names come without the servers.
  static constexpr std::chrono::milliseconds default_patience = std::chrono::minutes(2);

  // Throws Error when the library is missing or the environment names no server. `patience`: how long all questions may
  // take together.
  explicit Debuginfod(std::chrono::milliseconds patience = default_patience);
  Debuginfod(const Debuginfod&) = delete;
  Debuginfod& operator=(const Debuginfod&) = delete;
  ~Debuginfod();

  // The file with the debug information for that build-id (lower-case hex). No Fd when no server has it, or time is up.
  // The content may be anything.
  [[nodiscard]] Fd find(const std::string& build_id);

 private:
  void (*end_)(debuginfod_client*) = nullptr;
  int (*find_)(debuginfod_client*, const unsigned char*, int, char**) = nullptr;
  debuginfod_client* client_ = nullptr;
  std::chrono::steady_clock::duration patience_;  // how much is left
};

}  // namespace profile
