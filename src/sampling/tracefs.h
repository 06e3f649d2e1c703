// The kernel's list of tracepoints. It is a file system that need not be mounted anywhere, so this opens one of its own
// that no other process sees and that goes with its descriptor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/fd.h"

namespace profile {

class Tracefs {
 public:
  // Throws Error when it cannot be had.
  Tracefs();

  [[nodiscard]] bool has_system(const std::string& system) const;
  // What perf_event_open calls the tracepoint; nullopt when there is none.
  [[nodiscard]] std::optional<std::uint64_t> id_of(const std::string& system, const std::string& event) const;
  // In order; without ftrace, whose events are no tracepoints.
  [[nodiscard]] std::vector<std::string> systems() const;
  [[nodiscard]] std::vector<std::string> events(const std::string& system) const;

 private:
  [[nodiscard]] std::vector<std::string> folders(const std::string& path) const;

  Fd events_;  // its directory of that name
};

}  // namespace profile
