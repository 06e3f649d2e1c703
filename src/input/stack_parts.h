// What folded lines and pprof have in common: they hold one list of frames, of which a Row has two parts, the user's
// and the kernel's, and things that only stand in for frames.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "model/profile.h"

namespace profile {

// A sum that must not wrap around, for shares of it would make no sense.
class CheckedSum {
 public:
  // False when it would.
  [[nodiscard]] bool add(std::uint64_t value) { return !__builtin_add_overflow(sum_, value, &sum_); }

 private:
  std::uint64_t sum_ = 0;
};

// Processes by what files tell of them: a number, or none, and a name. Another name is another image of that number.
class NamedProcesses {
 public:
  explicit NamedProcesses(Profile& profile) : profile_(profile) {}

  ProcessId process(std::uint32_t tgid, std::string_view name) {
    const StringId id = profile_.strings.intern(name);
    const auto [found, is_new] = ids_.try_emplace(std::uint64_t{tgid} << 32 | static_cast<std::uint32_t>(id));
    if (is_new) found->second = profile_.process(tgid, images_[tgid]++, name);
    return found->second;
  }

 private:
  Profile& profile_;
  std::unordered_map<std::uint64_t, ProcessId> ids_;  // key: tgid << 32 | name
  std::unordered_map<std::uint32_t, std::uint32_t> images_;
};

// Where every thread has the number of its process, nobody kept them apart.
inline void drop_tids_of_processes(Profile& profile) {
  for (const Row& row : profile.rows()) {
    if (row.tid != profile.process(row.process).tgid) return;
  }
  profile.change_rows([](Row& row) { row.tid = 0; });
}

}  // namespace profile
