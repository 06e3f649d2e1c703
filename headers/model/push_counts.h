// What became of the profiles for one server of --push.
#pragma once

#include <cstdint>
#include <string>

namespace profile {

// Since the start of the run. A request has the samples of one service.
struct PushCounts {
  std::string target;                 // its name
  std::uint64_t sent_requests = 0;    // that the server accepted
  std::uint64_t sent_samples = 0;     // of them
  std::uint64_t failed_tries = 0;     // of requests that are repeated
  std::uint64_t missing_tables = 0;   // tries at which a store did not have its tables
  std::uint64_t refused_samples = 0;  // that the server will never take
  std::uint64_t lost_samples = 0;     // that found no room, or could not be handed over
  std::uint64_t waiting_requests = 0;
  std::uint64_t waiting_samples = 0;
  std::uint64_t waiting_bytes = 0;
  std::uint64_t oldest_unix_s = 0;    // when the oldest of them was handed over; 0: none waits
  std::uint64_t unsaved_samples = 0;  // the part of waiting_samples that ends with this process
};

}  // namespace profile
