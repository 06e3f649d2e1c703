// Prints what a profile holds besides stacks as text for people: blocked threads, durations with their histograms, and
// system calls last. The format `table` prints it, `counted` prints it after the stacks, and `html` puts it into the
// page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <vector>

#include "model/profile.h"
#include "output/measures.h"
#include "output/text_table.h"

namespace profile {

// Prints each table that `profile` has, with at most `top` rows each. Prints nothing when it has no table.
void write_tables(std::ostream& out, const Profile& profile, std::size_t top);
// `profile.syscalls` must be set. Each table has at most `top` rows.
void write_syscall_tables(std::ostream& out, const Profile& profile, std::size_t top);
// Prints a table of `rows` rows, whose values `visit_row` visits. Its keys are the first columns or the last ones.
// The first column of times has a unit for `sum_ns`, too, which is told below the table; returns that unit.
enum class Keys : std::uint8_t { first, last };
TimeUnit write_rows(std::ostream& out, std::size_t rows, Keys keys,
                    const std::function<void(std::size_t row, const MeasureVisit& visit)>& visit_row,
                    std::uint64_t sum_ns = 0);
// Prints a histogram of durations in the format of bcc's tools, because many users know it. `times` is in nanoseconds;
// the output uses the unit with the shortest numbers. Writes nothing when `times` is empty.
void write_histogram(std::ostream& out, const Log2Histogram& times);

// The threads for a list of those that were blocked longest. Kernel threads wait for work all the time and would fill
// the list, so they are left out if there are other threads, and so are a runtime's own (runtime_threads.h). Threads
// that slept through the whole profile, such as those of idle pools, come last, and their time is told apart if there
// are others.
struct BlockingThreads {
  std::vector<const ThreadWait*> listed;  // longest total first; then those that slept, in the same order
  std::size_t asleep = 0;                 // how many of the listed threads slept
  std::uint64_t asleep_ns = 0;            // their total; 0 when all have slept
  std::uint64_t waits = 0;                // of the other listed threads
  std::uint64_t total_ns = 0;
  std::uint64_t left_out_ns = 0;  // of kernel threads; 0 when they are listed or there are none
  std::uint64_t runtime_ns = 0;   // of the threads that runtimes keep for themselves

  // Whether listed[i] slept and is told apart.
  [[nodiscard]] bool is_apart(std::size_t i) const { return asleep_ns != 0 && i + asleep >= listed.size(); }
};
// `profile` has thread_waits, and must outlive the result. Shares in the list are of `total_ns`.
[[nodiscard]] BlockingThreads blocking_threads(const Profile& profile);

}  // namespace profile
