// `-T`: serves the live page over HTTP, and the paths that scrapers collect: /debug/pprof/profile, /metrics, /healthz.
// The server runs on its own threads and receives finished profiles, so sampling never waits for a slow client.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/account.h"
#include "model/profile.h"
#include "model/push_counts.h"
#include "support/clock.h"
#include "web/pages.h"

namespace profile {

// The interval between calls of add(), in seconds. It is also the finest time step that the page can select.
inline constexpr unsigned live_tick_s = 1;

struct LiveOptions {
  std::string address = "127.0.0.1";  // numeric, IPv4 or IPv6
  std::uint16_t port = 9090;          // 0: any free port
  std::string path = "/";             // of the page; missing slashes at its ends are added
  // The Host headers that are answered besides addresses: names, or patterns in which * stands for any characters.
  std::vector<std::string> hosts = {};
  // If add() is not called for longer than this, /healthz reports the run as stuck.
  std::uint64_t longest_silence_ns = 2 * ns_per_s * live_tick_s;
};

class LiveView {
 public:
  virtual ~LiveView() = default;  // closes all connections; clients get half a second to read the end message

  // Begins to answer: before, clients wait. Throws Error when that fails.
  virtual void begin(const RunInfo& run) = 0;
  // "http://127.0.0.1:9090/"
  [[nodiscard]] virtual std::string url() const = 0;

  // The state of the run up to now, for /metrics.
  struct Status {
    Account account;
    double cpu_s = 0;  // CPU time of this process
    std::uint64_t rss_bytes = 0;
    double children_cpu_s = 0;  // also of those that have ended
    std::uint64_t children_rss_bytes = 0;
    std::uint64_t bpf_ns = 0;  // run time of the BPF programs; 0: unknown
    std::uint64_t bpf_runs = 0;
    std::vector<PushCounts> pushes;  // of each server of --push
  };
  // `profile` holds the samples since the last call, symbolised. Running requests share it, so it must not change
  // afterwards. Called about once a second, also when there are no samples (LiveOptions::longest_silence_ns). Returns
  // at once: it never waits for a client or for the formatting of a response.
  virtual void add(std::shared_ptr<const Profile> profile, const Status& status) = 0;
  // The run is over: clients are told, and running requests are answered with the data so far. Does not wait for them.
  virtual void end() = 0;
};

// Makes a recording of the last seconds and calls `done`, from any thread, with the bytes of its file; empty: there is
// none.
using SaveRecording = std::function<void(double last_s, std::function<void(std::string bytes)> done)>;

// Starts to listen. Without `save` the page offers no recording. Throws Error when that fails or when the options are
// not valid.
std::unique_ptr<LiveView> make_live_view(const LiveOptions& options, SaveRecording save = {});

// The interface of the module that contains the HTTP server's library (support/module.h).
struct LiveViewModule {
  static constexpr std::string_view module = "web";
  decltype(&make_live_view) make;
  decltype(&make_page_server) make_pages;
};

}  // namespace profile
