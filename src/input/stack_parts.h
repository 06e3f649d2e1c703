// What the readers of several formats share: sums that cannot wrap, processes by name, and the removal of tids that
// tell nothing.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "model/profile.h"

namespace profile {

// A sum that must not wrap around, because shares of it would be wrong.
class CheckedSum {
 public:
  // False when the sum would wrap around.
  [[nodiscard]] bool add(std::uint64_t value) { return !__builtin_add_overflow(sum_, value, &sum_); }

 private:
  std::uint64_t sum_ = 0;
};

// Processes by what a file tells of them: a tgid (0: none) and a name. Another name with the same tgid is another image
// (exec) of that process.
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

// If the tid of every row equals its tgid, the program that wrote the file did not tell threads apart. The tids become
// 0 then.
inline void drop_tids_of_processes(Profile& profile) {
  for (const Row& row : profile.rows()) {
    if (row.tid != profile.process(row.process).tgid) return;
  }
  profile.change_rows([](Row& row) { row.tid = 0; });
}

}  // namespace profile
