// Which service each process of a profile belongs to, for the labels of what is pushed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "model/profile.h"
#include "push/labels.h"
#include "push/workload.h"
#include "recording/recording.h"

namespace profile {

// What is known of a process when it is first seen in a profile.
struct ProcessLabels {
  PushLabels labels;
  std::string program;  // the path of its file; empty: unknown
};

class Services {
 public:
  explicit Services(AskFacts facts) : facts_(std::move(facts)) {}

  // Looks at the processes that have rows in `profile`, and forgets those of earlier profiles that have none.
  void look(const Profile& profile);
  // Of a process that has rows in the profile of the last look(). Valid until the next one.
  [[nodiscard]] const ProcessLabels& of(const Process& process) const { return known_.at(key_of(process)); }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // tgid, image
  static Key key_of(const Process& process) { return {process.tgid, process.image}; }
  [[nodiscard]] ProcessLabels labels_of_process(const Process& process, std::string_view comm) const;

  AskFacts facts_;
  PodNames pods_;
  std::map<Key, ProcessLabels> known_;
};

}  // namespace profile
