// Numbers of processes for formats whose readers know a process by its number alone. A process from outside of the pid
// namespace has none there, and in some files no process has one: each name gets a number that no process can have.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "model/profile.h"
#include "output/clean_text.h"

namespace profile {

class ProcessNumbers {
 public:
  // Stays the same with another profile. An idle CPU has 0, as in the kernel.
  std::uint32_t of(const Profile& profile, const Process& program) {
    if (program.tgid != 0) return program.tgid;
    const std::string name = clean_name(profile.strings.view(program.name));
    if (name.starts_with("swapper")) return 0;
    const auto next = static_cast<std::uint32_t>(highest_pid + 1 + numbers_.size());
    return numbers_.try_emplace(name, next).first->second;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;  // by name
};

}  // namespace profile
