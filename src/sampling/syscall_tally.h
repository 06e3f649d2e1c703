// What was counted of system calls since the last report, put together from the kernel's rows by CPU and table.
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
  // A process's name; `comm`: what one of its threads was called.
  using NameOf = std::function<std::string(std::uint32_t tgid, std::string_view comm)>;

  // A call's name, as it is numbered in headers/abi/syscalls.h.
  using NameOfCall = std::function<std::string(std::uint32_t call)>;

  explicit SyscallTally(NameOfCall name_of_call = syscall_name) : name_of_call_(std::move(name_of_call)) {}

  // `tgid` 0: of no process that is known, or processes are not kept apart.
  void add_begun(std::uint32_t tgid, std::uint32_t call, std::uint64_t times, std::string_view comm = {});
  // Its durations count only `with_durations`; otherwise nobody measured them.
  void add_result(std::uint32_t tgid, std::uint32_t call, const syscall_result& result, bool with_durations);
  void add_failures(std::uint32_t tgid, std::uint32_t call, int error, std::uint64_t times);

  // The calls that are named alike are one, whatever table they are numbered in. The most frequent first. Afterwards
  // nothing is left here.
  [[nodiscard]] std::vector<SyscallUse> take(StringTable& strings, const NameOf& name_of_process);

 private:
  struct Sums {
    std::uint64_t begun = 0;
    std::uint64_t failed = 0;
    Durations durations;
    std::map<int, std::uint64_t> errors;
  };
  NameOfCall name_of_call_;
  std::map<std::pair<std::uint32_t, std::string>, Sums> sums_;  // by process and name
  std::map<std::uint32_t, std::string> comms_;                  // of the processes
};

}  // namespace profile
