// Forks the other children whenever one is wanted. It has one thread and no stranger's file, so that a fork of it is
// safe at any time and inherits nothing, which cannot be said of the main process once it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parse/channel.h"

namespace profile {

enum class ChildKind : std::uint8_t { opener, parser, fetcher, prober, count };

class Keeper {
 public:
  // Forks it. Throws Error.
  explicit Keeper(const std::vector<std::string>& debug_directories);
  // A new child with these ends of channels, the first of which leads to us; its process number. nullopt: the keeper
  // does not answer.
  std::optional<pid_t> start(ChildKind kind, std::vector<Fd> channels);
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  Channel channel_;
};

}  // namespace profile
