// What one transaction adds to a recording. The numbers are those of the file, so that the thread that writes it needs
// nothing of the profile from which they were made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/account.h"
#include "model/address.h"

namespace profile {

// The numbers of an event's rows: of samples, and of parts of spans that are counted in another sample.
[[nodiscard]] constexpr std::uint32_t event_number(std::size_t event, bool is_part) {
  return static_cast<std::uint32_t>(2 * event + (is_part ? 1 : 0));
}
[[nodiscard]] constexpr std::size_t event_of(std::uint32_t number) { return number / 2; }
[[nodiscard]] constexpr bool is_part(std::uint32_t number) { return number % 2 != 0; }

struct Tick {
  struct Process {
    std::uint32_t id = 0;
    std::uint32_t tgid = 0;
    std::uint32_t image = 0;
    std::string name;
    std::string cgroup;
    std::string command_line;
    std::uint64_t began_unix_ns = 0;
    std::uint64_t ended_unix_ns = 0;
  };
  // Of a process that an earlier tick has added.
  struct ChangedProcess {
    std::uint32_t id = 0;
    std::string name;
    std::uint64_t ended_unix_ns = 0;
  };
  struct Thread {
    std::uint32_t id = 0;
    std::uint32_t process = 0;
    std::uint32_t tid = 0;
    std::string name;
  };
  struct Binary {
    std::uint32_t id = 0;
    std::string path;
    std::string build_id;
    std::uint64_t code_start = 0;
    std::uint64_t code_limit = 0;
    std::uint64_t code_offset = 0;
  };
  struct Frame {
    std::uint32_t id = 0;
    std::string_view kind;     // of the schema
    std::string_view unnamed;  // a word of model/unnamed_words.h
    std::string name;
    std::string module;
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t binary = 0;    // 0: none
    std::uint64_t offset = 0;    // as of the model's Frame; unknown_offset becomes NULL
    std::uint64_t function = 0;  // likewise
    std::uint64_t address = 0;   // in the binary; 0: none
    bool is_return = false;
  };
  struct Stack {
    std::uint32_t id = 0;
    std::uint32_t callers = 0;  // 0: none
    std::uint32_t frame = 0;
  };
  struct Sample {
    std::uint64_t time_us = 0;  // since the run began
    std::uint64_t value = 0;
    std::uint32_t thread = 0;
    std::uint32_t stack = 0;  // 0: none
    std::uint32_t cpu = 0;
    std::uint32_t event = 0;
  };

  // The first number of each kind.
  struct Chapter {
    std::uint32_t process = 0;
    std::uint32_t thread = 0;
    std::uint32_t binary = 0;
    std::uint32_t frame = 0;
    std::uint32_t stack = 0;
  };

  // What is new since the last tick.
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Binary> binaries;
  std::vector<Frame> frames;
  std::vector<Stack> stacks;
  std::vector<std::uint32_t> parts;  // numbers of events; those that are no part are there from the beginning
  std::vector<Sample> samples;
  std::vector<ChangedProcess> changed_processes;
  // One for each event: of the samples since begin_us. Older ones came late, and lie in an earlier tick.
  std::vector<Account> accounts;
  std::uint64_t begin_us = 0;   // since the run began: behind the last sample of the tick before
  std::uint64_t ticked_us = 0;  // behind its last sample
  std::uint64_t end_us = 0;     // since the run began: when it was committed
  // Set if this tick and all later ones refer to no older content than to that with these first numbers.
  std::optional<Chapter> chapter;
  bool is_last = false;
};

}  // namespace profile
