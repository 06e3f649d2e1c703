// `-T`: the live page over HTTP, and what scrapers collect: /debug/pprof/profile, /metrics, /healthz. The server runs
// on threads of its own and is handed finished profiles, so that no client, however slow, is ever waited for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/account.h"
#include "model/profile.h"

namespace profile {

// How often add() is called, and so how fine the times are that the page can choose, in seconds.
inline constexpr unsigned live_tick_s = 1;

struct LiveOptions {
  std::string address = "127.0.0.1";  // numeric, IPv4 or IPv6
  std::uint16_t port = 9090;          // 0: any that is free
  std::string path = "/";             // of the page; slashes around it are put where they are missing
  std::string version;                // of the program, for /metrics
};

class LiveView {
 public:
  // Listens. Throws Error when it cannot, or when the options make no sense.
  LiveView(const LiveOptions& options, const RunInfo& run);
  ~LiveView();  // ends all connections; clients that read have half a second to be told that the run is over
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  // "http://127.0.0.1:9090/"
  [[nodiscard]] std::string url() const;

  // Of the run up to now, for /metrics.
  struct Status {
    Account account;
    double cpu_s = 0;  // CPU time of this process
    std::uint64_t rss_bytes = 0;
    std::uint64_t bpf_ns = 0;  // run time of the BPF programs; 0: not known
    std::uint64_t bpf_runs = 0;
  };
  // What was sampled since the last call; symbolised, and shared with requests under way, so it must not change any
  // more. Called about once a second, also when nothing was sampled: who hears nothing for ten seconds takes the run
  // for stuck. Returns at once; it never waits for a client or for a text to be made.
  void add(std::shared_ptr<const Profile> profile, const Status& status);
  // The run is over: clients are told, requests under way are answered with what there is. Does not wait for them.
  void end();

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace profile
