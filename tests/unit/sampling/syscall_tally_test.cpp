// Tests how the kernel's counts by CPU, table and process become one report.
#include "sampling/syscall_tally.h"

#include <doctest/doctest.h>
#include <sys/syscall.h>

#include <cerrno>

using namespace profile;

namespace {

constexpr auto read_call = static_cast<std::uint32_t>(SYS_read);
constexpr auto write_call = static_cast<std::uint32_t>(SYS_write);

std::string comm_of(std::uint32_t, std::string_view comm) { return std::string(comm); }

// `times` calls that took `each_ns`.
syscall_result result_of(std::uint64_t times, std::uint64_t each_ns, std::uint64_t failed = 0) {
  syscall_result result{};
  result.returned = times;
  result.failed = failed;
  result.total_ns = times * each_ns;
  result.min_ns = each_ns;
  result.max_ns = each_ns;
  result.histogram[Log2Histogram::bucket_of(each_ns)] = times;
  return result;
}

}  // namespace

TEST_CASE("the most frequent call is first, and equally frequent calls are sorted by name") {
  StringTable strings;
  SyscallTally tally;
  tally.add_begun(0, write_call, 5);
  tally.add_begun(0, static_cast<std::uint32_t>(SYS_getppid), 7);
  tally.add_begun(0, read_call, 2);
  tally.add_begun(0, read_call, 3);
  const auto uses = tally.take(strings, comm_of);
  REQUIRE(uses.size() == 3);
  CHECK(strings.view(uses[0].name) == "getppid");
  CHECK(strings.view(uses[1].name) == "read");
  CHECK(uses[1].count == 5);
  CHECK(uses[1].category == SyscallCategory::file_io);
  CHECK(strings.view(uses[2].name) == "write");
  CHECK(tally.take(strings, comm_of).empty());
}

TEST_CASE("results of several CPUs are added up") {
  StringTable strings;
  SyscallTally tally;
  tally.add_begun(0, read_call, 6);
  tally.add_result(0, read_call, result_of(2, 1000, 1), true);
  tally.add_result(0, read_call, result_of(0, 0), true);
  tally.add_result(0, read_call, result_of(3, 100, 2), true);
  tally.add_failures(0, read_call, EINTR, 1);
  tally.add_failures(0, read_call, EAGAIN, 1);
  tally.add_failures(0, read_call, EAGAIN, 1);
  const auto uses = tally.take(strings, comm_of);
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].count == 6);
  CHECK(uses[0].failed == 3);
  const Durations& took = uses[0].durations;
  CHECK(took.count == 5);
  CHECK(took.total_ns == 2300);
  CHECK(took.min_ns == 100);
  CHECK(took.max_ns == 1000);
  CHECK(took.histogram.count[9] == 2);  // 512 to 1023
  CHECK(took.histogram.count[6] == 3);  // 64 to 127
  REQUIRE(uses[0].errors.size() == 2);
  CHECK(uses[0].errors[0] == SyscallError{.number = EAGAIN, .count = 2});
  CHECK(uses[0].errors[1] == SyscallError{.number = EINTR, .count = 1});
}

TEST_CASE("failures have their programs, each with its process if there is one alone") {
  StringTable strings;
  SyscallTally tally;
  tally.add_failures_of(7, "cc1", read_call, ENOENT, 3);
  tally.add_failures_of(8, "cc1", read_call, ENOENT, 2);
  tally.add_failures_of(9, "ld", read_call, ENOENT, 1);
  tally.add_failures_of(9, "ld", read_call, ENOENT, 3);
  tally.add_failures_of(9, "ld", read_call, EINTR, 1);
  const auto uses = tally.take(strings, comm_of);
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].tgid == 0);
  REQUIRE(uses[0].errors.size() == 2);
  CHECK(uses[0].errors[0].count == 9);
  const auto cc1 = strings.intern("cc1");
  const auto ld = strings.intern("ld");
  CHECK(uses[0].errors[0].programs ==
        std::vector<FailingProgram>{{.name = cc1, .tgid = 0, .count = 5}, {.name = ld, .tgid = 9, .count = 4}});
  CHECK(uses[0].errors[1].programs == std::vector<FailingProgram>{{.name = ld, .tgid = 9, .count = 1}});
}

TEST_CASE("durations stay empty if they are not measured") {
  StringTable strings;
  SyscallTally tally;
  tally.add_result(0, read_call, result_of(2, 1000, 1), false);
  const auto uses = tally.take(strings, comm_of);
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].failed == 1);
  CHECK(uses[0].durations.count == 0);
  CHECK(uses[0].durations.total_ns == 0);
}

TEST_CASE("processes are kept apart in the tally, each with its name") {
  StringTable strings;
  SyscallTally tally;
  tally.add_begun(11, read_call, 1, "cat");
  tally.add_begun(12, read_call, 2, "dd");
  tally.add_begun(12, write_call, 3, "dd-worker");
  const auto uses = tally.take(strings, comm_of);
  REQUIRE(uses.size() == 3);
  CHECK(uses[0].tgid == 12);
  CHECK(strings.view(uses[0].name) == "write");
  CHECK(strings.view(uses[0].process) == "dd");
  CHECK(uses[2].tgid == 11);
  CHECK(strings.view(uses[2].process) == "cat");
}

#if defined(__x86_64__)
TEST_CASE("a call is one row for its numbers in 32-bit and 64-bit programs") {
  StringTable strings;
  SyscallTally tally;
  tally.add_begun(0, read_call, 1);
  tally.add_begun(0, SYSCALL_COMPAT << PROFILE_SYSCALL_ABI_SHIFT | 3, 2);  // i386
  tally.add_begun(0, SYSCALL_X32 << PROFILE_SYSCALL_ABI_SHIFT | 0, 4);
  const auto uses = tally.take(strings, comm_of);
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].count == 7);
}
#endif
