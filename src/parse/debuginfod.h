// Debug files from a debuginfod server, only when asked for: it sends the build-ids of what runs here over the network.
// elfutils' libdebuginfod does it, loaded when it is needed, so that nobody else has to have it installed. Which
// servers are asked, and where what they send is kept, is up to the environment (DEBUGINFOD_URLS,
// DEBUGINFOD_CACHE_PATH, …).
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "support/fd.h"

namespace profile {

class Debuginfod {
 public:
  // A large debug file on a slow line; after this there are names without it.
  static constexpr std::chrono::milliseconds default_patience = std::chrono::minutes(2);

  // Throws Error when the library is missing or the environment names no server. `patience`: how long all that is asked
  // for may take together.
  explicit Debuginfod(std::chrono::milliseconds patience = default_patience);
  ~Debuginfod();

  // The file with the debug information of that build-id (lower-case hex); no Fd when no server has it, or time is up.
  // Nothing is promised of its content.
  [[nodiscard]] Fd find(const std::string& build_id);
  // Patience was not enough: some files may have gone without.
  [[nodiscard]] bool ran_out_of_time() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profile
