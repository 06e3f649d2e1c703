// What the main process and the child that pushes say to each other, and the interface of the module with the HTTP
// library, which only that child loads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "children/channel.h"
#include "model/push_counts.h"
#include "push/pusher.h"
#include "support/fd.h"

namespace profile {

// With `push` the main process sends the index of a target and what each request has, with a descriptor of a file that
// has their bodies, one after the other. `finish`: no more will come, so what waits is tried without a delay. `stop`:
// no other request is begun.
enum class PushOrder : std::uint8_t { push, finish, stop, count };

struct PushedRequest {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  // of its body
};

struct TargetState {
  PushCounts counts;  // without the name
  // Since what was told before: why a try failed, and why the spool could not be written. Empty: neither happened.
  std::string trouble;
  std::string spool_trouble;
  bool has_tried = false;  // since `finish`, what waits was tried and failed
};

// The child sends this whenever something has changed, at most some times a second. First it sends a text: why it
// cannot work; empty: it can.
struct PushState {
  std::uint64_t orders = 0;  // that it has taken
  bool is_resting = false;   // no request is under way
  std::vector<TargetState> targets;
};

constexpr auto wire_fields(const PushedRequest&) { return std::tuple(&PushedRequest::samples, &PushedRequest::bytes); }
constexpr auto wire_fields(const PushCounts&) {
  using Counts = PushCounts;
  return std::tuple(&Counts::sent_requests, &Counts::sent_samples, &Counts::failed_tries, &Counts::missing_tables,
                    &Counts::refused_samples, &Counts::lost_samples, &Counts::waiting_requests,
                    &Counts::waiting_samples, &Counts::waiting_bytes, &Counts::oldest_unix_s, &Counts::unsaved_samples);
}
constexpr auto wire_fields(const TargetState&) {
  return std::tuple(&TargetState::counts, &TargetState::trouble, &TargetState::spool_trouble, &TargetState::has_tried);
}
constexpr auto wire_fields(const PushState&) {
  return std::tuple(&PushState::orders, &PushState::is_resting, &PushState::targets);
}

// What the child that asks a store sends: pieces of the answer, and then why it has come to its end; empty: it is
// whole.
enum class AskerWord : std::uint8_t { piece, end, count };
inline constexpr std::size_t most_piece_bytes = std::size_t{32} << 10;

struct PushModule {
  static constexpr std::string_view module = "http";
  // What the child that pushes does from then on. `spools`: an open directory for each target, or none at all. Returns
  // the exit status.
  int (*work)(const PushSettings& settings, std::vector<Fd> spools, WaitingChannel main_process);
  // The same of the child that asks: it gets SQL and the most bytes of its answer, one after the other.
  int (*ask)(const PushTarget& store, const std::string& credentials, WaitingChannel main_process);
};

}  // namespace profile
