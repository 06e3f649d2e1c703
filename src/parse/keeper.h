// Forks the other children when they are needed. It has one thread and no stranger's file, so a fork of it is always
// safe and inherits nothing. Once the main process runs, a fork of it is neither.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parse/channel.h"
#include "parse/child_watch.h"
#include "support/fd.h"

namespace profile {

enum class ChildKind : std::uint8_t {
  opener,
  parser,
  parser_of_root,  // runs before other work, because the main process waits for it; a user's file may not have that
  fetcher,
  prober,
  count
};

class Keeper {
 public:
  // Forks the keeper itself. Throws Error.
  explicit Keeper(const std::vector<std::string>& debug_directories);
  // For tests: that process plays the keeper.
  Keeper(pid_t keeper, Fd channel);
  struct Child {
    pid_t pid = 0;  // only to be shown and to be looked up: another process may get it
    Fd process;
    Fd channel;  // our end of the first channel of the child
  };
  // Starts a child with a channel to this process, followed by these ends of other channels. nullopt: the keeper does
  // not answer. Throws Error.
  std::optional<Child> start(ChildKind kind, std::vector<Fd> channels = {});
  [[nodiscard]] pid_t pid() const { return times_->child(); }

 private:
  std::optional<ChildTimes> times_;  // set by the constructors
  Channel channel_;
};

}  // namespace profile
