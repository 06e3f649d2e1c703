// Measurements that some sources take besides stacks: how long threads waited, which system calls were made, how long
// requests took. A Profile carries this plain data, and each output prints it if it has a place for it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/string_table.h"

namespace profile {

// Counts values by their order of magnitude: bucket i counts those in [2^i, 2^(i+1)). Bucket 0 also counts zeros.
struct Log2Histogram {
  static constexpr std::size_t buckets = 64;
  std::array<std::uint64_t, buckets> count{};

  static constexpr std::size_t bucket_of(std::uint64_t value) {
    return value == 0 ? 0 : static_cast<std::size_t>(std::bit_width(value)) - 1;
  }
  void add(std::uint64_t value, std::uint64_t times = 1) { count[bucket_of(value)] += times; }
  Log2Histogram& operator+=(const Log2Histogram& other) {
    std::transform(count.begin(), count.end(), other.count.begin(), count.begin(), std::plus<>());
    return *this;
  }
};

// A sum of durations. The histogram is in nanoseconds.
struct Durations {
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
  std::uint64_t min_ns = 0;  // 0 when count is 0
  std::uint64_t max_ns = 0;
  Log2Histogram histogram;  // all zeros when the source has none

  Durations& operator+=(const Durations& other) {
    // A count of 0 may have a total: the part so far of what goes on.
    if (other.count != 0) min_ns = count == 0 ? other.min_ns : std::min(min_ns, other.min_ns);
    max_ns = std::max(max_ns, other.max_ns);
    count += other.count;
    total_ns += other.total_ns;
    histogram += other.histogram;
    return *this;
  }
};

// A thread and how long it was blocked.
struct ThreadWait {
  std::uint32_t tgid = 0;  // in the pid namespace of the user
  std::uint32_t tid = 0;
  StringId name = StringId::empty;
  bool is_kernel_thread = false;  // false also when the source does not know
  bool never_woke = false;        // its only wait went on at the end, of the run or of its process
  Durations waits;
};

// Durations by a key with names: requests by device and operation, locks by process and address.
struct DurationTable {
  std::string id;                         // in machine-readable outputs: "block_requests"
  std::string title;                      // for people: "Block requests"
  std::vector<std::string> column_names;  // of the labels: {"device", "operation"}
  struct Row {
    std::vector<StringId> labels;  // as many as there are columns
    Durations durations;
    std::uint64_t bytes = 0;  // moved; 0 when the source does not count them
    // A variable of a process, whose name the last label gets.
    struct Variable {
      std::uint32_t tgid = 0;
      std::uint32_t image = 0;
      std::uint64_t address = 0;
    };
    std::optional<Variable> variable = std::nullopt;
  };
  std::vector<Row> rows = {};  // the largest total first
  bool has_bytes = false;
};

// Each system call belongs to exactly one category.
enum class SyscallCategory : std::uint8_t {
  file_io,
  memory,
  process,
  signal,
  ipc,
  network,
  time,
  security,
  system,
  other
};
inline constexpr std::size_t syscall_categories = static_cast<std::size_t>(SyscallCategory::other) + 1;

// The processes of one name whose calls failed.
struct FailingProgram {
  StringId name = StringId::empty;  // empty when unknown
  std::uint32_t tgid = 0;           // 0: several processes
  std::uint64_t count = 0;
  friend bool operator==(const FailingProgram&, const FailingProgram&) = default;
};

struct SyscallError {
  int number = 0;  // errno
  std::uint64_t count = 0;
  std::vector<FailingProgram> programs = {};  // the most frequent first; empty when calls are counted by process
  friend bool operator==(const SyscallError&, const SyscallError&) = default;
};

struct SyscallUse {
  std::uint32_t tgid = 0;              // 0 unless calls are counted by process; `process` likewise
  StringId process = StringId::empty;  // its name
  StringId name = StringId::empty;     // "read"; "syscall 999" when the kernel's headers have no name for it
  SyscallCategory category = SyscallCategory::other;
  std::uint64_t count = 0;           // number of calls that began
  std::uint64_t failed = 0;          // number that returned an error; 0 when this was not measured
  Durations durations;               // of calls that returned; empty when this was not measured
  std::vector<SyscallError> errors;  // the most frequent first
};

struct SyscallReport {
  std::vector<SyscallUse> calls;  // the most frequent first
  double seconds = 0;             // how long calls were counted
  double cpus_used = 0;  // by the threads that were asked for, in CPU seconds per second: 1.0 is one CPU all the time
  bool by_process = false;
  bool has_durations = false;
  bool has_failures = false;
  bool is_partial = false;  // only some of the calls were counted, so their shares do not describe the program
};

}  // namespace profile
