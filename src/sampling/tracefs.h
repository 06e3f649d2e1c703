// Reads the kernel's list of tracepoints, a file system. If it is not mounted at /sys/kernel/tracing, this makes a
// mount of its own, which no other process sees and which ends with its descriptor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/fd.h"

namespace profile {

class Tracefs {
 public:
  // Throws Error when the list cannot be read.
  Tracefs();

  [[nodiscard]] bool has_system(const std::string& system) const;
  // The id of the tracepoint for perf_event_open(); nullopt when there is none.
  [[nodiscard]] std::optional<std::uint64_t> id_of(const std::string& system, const std::string& event) const;
  // Sorted; without ftrace, whose events are no tracepoints.
  [[nodiscard]] std::vector<std::string> systems() const;
  [[nodiscard]] std::vector<std::string> events(const std::string& system) const;

 private:
  Fd events_;  // the directory "events" of the file system
};

}  // namespace profile
