// `-T`: the live page over HTTP, and what scrapers collect: /debug/pprof/profile, /metrics, /healthz. The server runs
// on threads of its own and is handed finished profiles, so that no client, however slow, is ever waited for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/account.h"
#include "model/profile.h"
#include "support/clock.h"

namespace profile {

// How often add() is called, and so how fine the times are that the page can choose, in seconds.
inline constexpr unsigned live_tick_s = 1;

struct LiveOptions {
  std::string address = "127.0.0.1";  // numeric, IPv4 or IPv6
  std::uint16_t port = 9090;          // 0: any that is free
  std::string path = "/";             // of the page; slashes around it are put where they are missing
  std::string version;                // of the program, for /metrics
  // Who hears nothing of the run for so long takes it for stuck, and says so at /healthz.
  std::uint64_t longest_silence_ns = 2 * ns_per_s * live_tick_s;
};

class LiveView {
 public:
  LiveView() = default;
  virtual ~LiveView() = default;  // ends all connections; clients that read have half a second to hear of the end
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  // "http://127.0.0.1:9090/"
  [[nodiscard]] virtual std::string url() const = 0;

  // Of the run up to now, for /metrics.
  struct Status {
    Account account;
    double cpu_s = 0;  // CPU time of this process
    std::uint64_t rss_bytes = 0;
    std::uint64_t bpf_ns = 0;  // run time of the BPF programs; 0: not known
    std::uint64_t bpf_runs = 0;
  };
  // What was sampled since the last call; symbolised, and shared with requests under way, so it must not change any
  // more. Called about once a second, also when nothing was sampled (LiveOptions::longest_silence_ns). Returns at once;
  // it never waits for a client or for a text to be made.
  virtual void add(std::shared_ptr<const Profile> profile, const Status& status) = 0;
  // The run is over: clients are told, requests under way are answered with what there is. Does not wait for them.
  virtual void end() = 0;
};

// Listens. Throws Error when it cannot, or when the options make no sense.
std::unique_ptr<LiveView> make_live_view(const LiveOptions& options, const RunInfo& run);

// Of the module that has the server's library: support/module.h.
struct LiveViewModule {
  static constexpr std::string_view module = "web";
  decltype(&make_live_view) make;
};

}  // namespace profile
