// Adds up the system calls since the last report, from the rows that the BPF programs keep by CPU and table.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "abi/syscalls.h"
#include "model/measures.h"
#include "sampling/syscall_names.h"

namespace profile {

class SyscallTally {
 public:
  // Returns the name of a process; `comm`: the name of one of its threads.
  using NameOf = std::function<std::string(std::uint32_t tgid, std::string_view comm)>;

  // Returns the name of a call; `call` has the form of headers/abi/syscalls.h.
  using NameOfCall = std::function<std::string(std::uint32_t call)>;

  explicit SyscallTally(NameOfCall name_of_call = syscall_name) : name_of_call_(std::move(name_of_call)) {}

  // `tgid` 0: the process is not known, or processes are not kept apart.
  void add_begun(std::uint32_t tgid, std::uint32_t call, std::uint64_t times, std::string_view comm = {});
  // `with_durations`: the BPF programs measured durations; otherwise those in `result` are ignored.
  void add_result(std::uint32_t tgid, std::uint32_t call, const syscall_result& result, bool with_durations);
  void add_failures(std::uint32_t tgid, std::uint32_t call, int error, std::uint64_t times);
  // The same where processes are not kept apart: `program` is the name of the process `tgid`, "" when unknown.
  void add_failures_of(std::uint32_t tgid, const std::string& program, std::uint32_t call, int error,
                       std::uint64_t times);

  // Calls of the same name become one, even if their numbers are in different tables. The most frequent call comes
  // first. The tally is empty afterwards.
  [[nodiscard]] std::vector<SyscallUse> take(StringTable& strings, const NameOf& name_of_process);

 private:
  struct Program {
    std::uint32_t tgid = 0;  // 0: several
    std::uint64_t count = 0;
  };
  struct Failures {
    std::uint64_t count = 0;
    std::map<std::string, Program> programs;  // by name
  };
  struct Sums {
    std::uint64_t begun = 0;
    std::uint64_t failed = 0;
    Durations durations;
    std::map<int, Failures> errors;
  };
  NameOfCall name_of_call_;
  std::map<std::pair<std::uint32_t, std::string>, Sums> sums_;  // by process and name
  std::map<std::uint32_t, std::string> comms_;                  // thread names, by process
};

}  // namespace profile
