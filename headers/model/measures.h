// What some sources measure besides stacks: how long threads waited, which system calls were made, how long requests
// took. Plain data that a Profile carries and the outputs print where they have a place for it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/string_table.h"

namespace profile {

// How many values there were of each order of magnitude: bucket i holds those of [2^i, 2^(i+1)), bucket 0 the zeros
// too.
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

// Durations, added up. The histogram is in nanoseconds.
struct Durations {
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
  std::uint64_t min_ns = 0;  // of those counted; 0 when there are none
  std::uint64_t max_ns = 0;
  Log2Histogram histogram;  // all zeros where the source keeps none

  Durations& operator+=(const Durations& other) {
    if (other.count == 0) return *this;
    min_ns = count == 0 ? other.min_ns : std::min(min_ns, other.min_ns);
    max_ns = std::max(max_ns, other.max_ns);
    count += other.count;
    total_ns += other.total_ns;
    histogram += other.histogram;
    return *this;
  }
};

// A thread and how long it was blocked.
struct ThreadWait {
  std::uint32_t tgid = 0;  // as the person sees them
  std::uint32_t tid = 0;
  StringId name = StringId::empty;
  bool is_kernel_thread = false;  // where the source can tell
  Durations waits;
};

// Durations by something that has a name: requests by device and operation, locks by process and address.
struct DurationTable {
  std::string id;                         // in machine-readable outputs: "block_requests"
  std::string title;                      // for people: "Block requests"
  std::vector<std::string> column_names;  // of the labels: {"device", "operation"}
  struct Row {
    std::vector<StringId> labels;  // as many as there are columns
    Durations durations;
    std::uint64_t bytes = 0;  // moved, where the source counts them
  };
  std::vector<Row> rows;  // the largest total first
  bool has_bytes = false;
};

// Each system call belongs to exactly one.
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

struct SyscallUse {
  std::uint32_t tgid = 0;              // 0 unless calls are told apart by process; as is `process`
  StringId process = StringId::empty;  // its name
  StringId name = StringId::empty;     // "read"; "syscall 999" where the headers knew none
  SyscallCategory category = SyscallCategory::other;
  std::uint64_t count = 0;                            // begun
  std::uint64_t failed = 0;                           // returned an error; 0 where that was not looked at
  Durations durations;                                // of those that have returned; empty where that was not looked at
  std::vector<std::pair<int, std::uint64_t>> errors;  // errno and how often, the most frequent first
};

struct SyscallReport {
  std::vector<SyscallUse> calls;  // the most frequent first
  double seconds = 0;             // how long they were counted
  double cpus_used = 0;           // of those asked for, CPU seconds a second: 1.0 is one CPU all the time
  bool by_process = false;
  bool has_durations = false;
  bool has_failures = false;
  bool is_partial = false;  // only some of the calls were looked at: shares say nothing of what a program does
};

}  // namespace profile
