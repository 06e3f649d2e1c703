// Sends profiles to the servers of --push and --store. A child process without privileges does it, so that sampling
// never waits for a network, and no server can reach the process that is root.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "children/channel.h"
#include "children/own_processes.h"
#include "model/push_counts.h"
#include "push/target.h"

namespace profile {

struct PushSettings {
  std::vector<PushTarget> targets;
  std::string spool;              // a directory; empty: what waits is kept in memory
  std::uint64_t spool_bytes = 0;  // of all targets together
  std::string credentials;        // "USER:PASSWORD" or a bearer token; empty: none
};

// The credentials in that file, or, if the path is empty, in the environment (PROFILE_PUSH_AUTH); empty: there are
// none. Throws Error if the file cannot be read or others may read it.
[[nodiscard]] std::string push_credentials(const std::string& path);

class Pusher {
 public:
  // Starts the child and waits until it is ready. Throws Error when it cannot work: the module or the spool cannot be
  // used.
  explicit Pusher(PushSettings settings);
  ~Pusher();
  Pusher(const Pusher&) = delete;
  Pusher& operator=(const Pusher&) = delete;

  // Adds a profile to what hand_over() hands over to all servers that take profiles; `samples` are in it.
  void add(std::string_view name, const PushLabels& labels, std::string_view pprof, std::uint64_t samples);
  // Adds the body of a request to one of the targets.
  void add(std::size_t target, std::string_view body, std::uint64_t samples);
  // Never waits.
  void hand_over();
  // Readable when the child has something to say.
  [[nodiscard]] int poll_fd() const { return channel_.fd(); }
  // Takes what the child says. Returns lines for the user about what is new. Call it when poll_fd() is readable, and
  // once a second.
  [[nodiscard]] std::vector<std::string> look();
  // Waits until all is sent or kept in the spool, but not longer than `patience`, and a second more for the answer to a
  // request that is under way. Returns as look().
  [[nodiscard]] std::vector<std::string> finish(std::chrono::milliseconds patience);

  [[nodiscard]] bool is_gone() const { return channel_.is_gone(); }
  [[nodiscard]] bool has_spool() const { return !settings_.spool.empty(); }
  // One for each target. What the child has not taken yet counts as waiting.
  [[nodiscard]] std::vector<PushCounts> counts() const;

 private:
  struct Target;
  struct Untaken {
    std::size_t target = 0;
    std::uint64_t requests = 0;
    std::uint64_t samples = 0;
  };
  void hand_over(std::size_t target);
  void note_trouble(std::size_t target, const std::string& trouble, std::vector<std::string>& lines);
  void order(const std::string& message, std::vector<Fd> fds, const Untaken& untaken);
  [[nodiscard]] bool is_done() const;

  PushSettings settings_;
  OwnProcess child_;
  Channel channel_;
  std::vector<Target> targets_;
  std::uint64_t orders_ = 0;          // that were sent
  std::uint64_t taken_orders_ = 0;    // that the child has taken
  std::deque<Untaken> untaken_;       // the others
  std::size_t unreceived_bytes_ = 0;  // of bodies, since the child had received all messages
  bool is_resting_ = false;           // the child sends nothing
  bool was_gone_ = false;             // and that was said
};

}  // namespace profile
