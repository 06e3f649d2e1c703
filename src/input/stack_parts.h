// What the readers of several formats share: sums that cannot wrap, processes by name, the number behind a name,
// and the removal of tids that tell nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "model/profile.h"
#include "support/text_parts.h"

namespace profile {

// A profile of a file that says neither how it was taken nor what became of every sample.
[[nodiscard]] inline Profile unknown_profile() {
  Profile profile;
  profile.run.event.clear();
  profile.run.frequency_hz = 0;
  profile.run.is_request_known = false;
  profile.account.is_known = false;
  return profile;
}

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

  // The same for files that name only threads: the first thread seen gives its name to the process. Without a number
  // each name is a process.
  ProcessId process_of_thread(std::uint32_t tgid, std::string_view thread) {
    if (tgid == 0) return process(0, thread);
    const auto [found, is_new] = of_threads_.try_emplace(tgid);
    if (is_new) found->second = process(tgid, thread);
    return found->second;
  }

 private:
  Profile& profile_;
  std::unordered_map<std::uint64_t, ProcessId> ids_;  // key: tgid << 32 | name
  std::unordered_map<std::uint32_t, ProcessId> of_threads_;
  std::unordered_map<std::uint32_t, std::uint32_t> images_;
};

// Removes " (187)" from the end of an owner's name.
inline std::optional<std::uint32_t> take_number_off(std::string_view& text) {
  const std::size_t open = text.rfind(" (");
  if (open == text.npos || text.back() != ')') return std::nullopt;
  const auto number = parse_number<std::uint32_t>(text.substr(open + 2, text.size() - open - 3));
  if (number) text = text.substr(0, open);
  return number;
}

// If the tid of every row equals its tgid, the program that wrote the file did not tell threads apart. The tids become
// 0 then.
inline void drop_tids_of_processes(Profile& profile) {
  for (const Row& row : profile.rows()) {
    if (row.tid != profile.process(row.process).tgid) return;
  }
  profile.change_rows([](Row& row) { row.tid = 0; });
}

}  // namespace profile
