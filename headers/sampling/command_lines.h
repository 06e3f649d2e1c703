// The arguments of programs, for --command-lines. Those of a program that begins during the run come from the kernel;
// those of the others are read from their memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profile {

class StackReader;

// One line of a program's arguments, each of which ends with a zero byte: "cc1plus -quiet a.cpp". The first loses its
// directories. `is_cut`: there are more. Empty when there is none.
[[nodiscard]] std::string command_line_of(std::string_view arguments, bool is_cut);

class CommandLines {
 public:
  // `time_ns`: by CLOCK_MONOTONIC, when the process `tgid` had this line.
  using OnLine = std::function<void(std::uint32_t tgid, std::uint64_t time_ns, std::string line)>;

  // From now on the lines of programs that begin are recorded. Throws Error.
  explicit CommandLines(OnLine on_line);
  ~CommandLines();
  CommandLines(const CommandLines&) = delete;
  CommandLines& operator=(const CommandLines&) = delete;

  // Hands over the lines that were recorded since the last call.
  void read();
  // Hands over those of processes that run now; `tgids` empty: of all. Waits for their memory at most as long as
  // `stacks` does.
  void read_running(StackReader& stacks, std::span<const std::uint32_t> tgids);
  // Lines for the user about what is missing.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profile
