// Makes seconds of a run for the tests of --top, from stacks in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fixed_profile.h"
#include "terminal/page.h"

namespace profile::test {

// One stack of one process. `functions` are root first; a name that begins with "k:" is the kernel's.
struct Seen {
  std::string process;
  std::uint32_t tgid = 0;
  std::vector<std::string> functions;
  std::uint64_t value = 1;
};

// Each call's time follows that of the call before.
inline Profile second_of(const std::vector<Seen>& seen, double seconds = 1) {
  static std::uint64_t now_ns = 1'000'000'000;
  Profile profile;
  profile.began_ns = now_ns;
  profile.duration_ns = static_cast<std::uint64_t>(seconds * 1e9);
  now_ns += profile.duration_ns;
  Namer namer(profile);
  std::uint64_t address = 0x1000;
  for (const Seen& one : seen) {
    Row row;
    row.process = profile.process(one.tgid, 0, one.process);
    row.thread_name = profile.process(row.process).name;
    std::vector<FrameId> user;
    std::vector<FrameId> kernel;
    for (auto name = one.functions.rbegin(); name != one.functions.rend(); ++name) {
      address += 16;
      if (name->starts_with("k:")) {
        kernel.push_back(namer.kernel(address, name->substr(2), "kernel", 0));
      } else {
        user.push_back(namer.user(row.process, address, *name, one.process, 0));
      }
    }
    row.user = profile.stack(user);
    row.kernel = profile.stack(kernel);
    row.value = row.samples = one.value;
    profile.add(row);
    profile.account.taken += one.value;
    profile.account.recorded += one.value;
  }
  return profile;
}

inline std::string text_of(const TopLine& line) {
  std::string text;
  for (const TopSpan& span : line.spans) text += span.text;
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// Presses a key for each character. Returns the result of the last one.
inline bool press(TopModel& model, std::u32string_view characters) {
  bool goes_on = true;
  for (const char32_t character : characters) goes_on = model.on_key(TopKey::character, character);
  return goes_on;
}

}  // namespace profile::test
