// Forks the other children when they are needed. It has one thread and no untrusted file open, so a fork of it is
// always safe and inherits nothing. Once the main process runs, a fork of it is neither.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <vector>

#include "children/channel.h"
#include "children/child_watch.h"
#include "children/kinds.h"
#include "support/fd.h"

namespace profile {

class Keeper {
 public:
  // What a child of that kind does with its channels. Returns its exit status.
  using Work = std::function<int(ChildKind, std::vector<Fd> channels)>;
  // Forks the keeper itself, for children that do this work. Throws Error.
  explicit Keeper(const Work& work);
  // For tests: that process plays the keeper.
  Keeper(pid_t keeper, Fd channel);
  struct Child {
    ChildTimes times;
    Fd process;
    Channel channel;
  };
  // Starts a child with a channel to this process (one descriptor, or the two of ChildEnds), followed by these ends of
  // other channels. nullopt: the keeper does not answer. Throws Error.
  std::optional<Child> start(ChildKind kind, std::vector<Fd> channels = {});

 private:
  std::optional<ChildTimes> times_;  // set by the constructors
  Channel channel_;
};

}  // namespace profile
