// Tests the parts of tables, and their text when there is little or no data.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "fixed_measures.h"
#include "model/error_name.h"
#include "output/tables.h"
#include "output/text_table.h"

namespace {

using namespace profile;

std::string tables(const Profile& profile, std::size_t top = 10) {
  std::ostringstream out;
  write_tables(out, profile, top);
  return out.str();
}

std::string histogram(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ns_and_times) {
  std::ostringstream out;
  write_histogram(out, test::durations_of(ns_and_times).histogram);
  return out.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("columns are as wide as their longest cell in characters, and no line ends in a space") {
  TextTable table({{"N"}, {"NAME", TextTable::Align::left}, {"VALUE"}, {"", TextTable::Align::left}});
  table.add({"1", "na\xc3\xafve", "12345678", ""});
  table.add({"100", "x", "1", "last"});
  std::ostringstream out;
  table.write(out);
  CHECK(out.str() ==
        "  N  NAME      VALUE\n"
        "  1  na\xc3\xafve  12345678\n"
        "100  x             1  last\n");
}

TEST_CASE("a share of zero is 0.0%") {
  CHECK(percent(1, 3) == "33.3%");
  CHECK(percent(0, 0) == "0.0%");
}

TEST_CASE("a histogram has the unit that makes its numbers short") {
  const auto unit = [](std::uint64_t shortest, std::uint64_t longest) {
    const std::string text = histogram({{shortest, 1}, {longest, 1}});
    const std::size_t begin = text.find_first_not_of(' ');
    return text.substr(begin, text.find(' ', begin) - begin);
  };
  CHECK(unit(0, 900'000) == "nsecs");
  CHECK(unit(300, 2'000'000) == "usecs");
  CHECK(unit(2'000, 5'000) == "usecs");
  CHECK(unit(2'000, 30'000'000'000) == "usecs");
  CHECK(unit(200'000, 2'000'000'000) == "msecs");
  CHECK(unit(5'000'000, 6'000'000) == "msecs");
}

TEST_CASE("a histogram has a line for each power of two in its range, and all lines have one width") {
  CHECK(histogram({}).empty());
  const auto lines = lines_of(histogram({{2'000, 1}, {9'000, 1'000'000}, {20'000, 500'000}}));
  CHECK(lines == std::vector<std::string>{
                     "     usecs           :    count  distribution",
                     "       1 -> 2        :        1 |.                                           |",
                     "       2 -> 4        :        0 |                                            |",
                     "       4 -> 8        :        0 |                                            |",
                     "       8 -> 16       :  1000000 |********************************************|",
                     "      16 -> 33       :   500000 |**********************                      |",
                 });
  for (const auto& wide : {histogram({{0, 1}, {UINT64_MAX, UINT64_MAX / 2}}), histogram({{1, 1}})}) {
    const auto all = lines_of(wide);
    REQUIRE(all.size() > 1);
    for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i].size() == 78);
  }
}

TEST_CASE("a duration of zero is in the first line of a histogram") {
  CHECK(lines_of(histogram({{0, 2}, {1, 3}}))[1].starts_with("       0 -> 2        :        5 |****"));
}

TEST_CASE("errors have names, even those that are internal to the kernel") {
  CHECK(error_name(2) == "ENOENT");
  CHECK(error_name(11) == "EAGAIN");
  CHECK(error_name(512) == "ERESTARTSYS");
  CHECK(error_name(516) == "ERESTART_RESTARTBLOCK");
  CHECK(error_name(4000) == "error 4000");
  CHECK(error_meaning(2) == "No such file or directory");
  CHECK(error_meaning(4000).empty());
}

TEST_CASE("a profile without tables prints none, and an empty table is reported as empty") {
  CHECK(tables({}).empty());
  Profile profile;
  profile.syscalls.emplace();
  profile.duration_tables.push_back({.id = "a", .title = "Block requests", .column_names = {"device"}, .rows = {}});
  CHECK(tables(profile) ==
        "Block requests: there were none.\n\nThere were no system calls.\n\n"
        "0 system calls in 0.00 s, 0.0 a second, 0.00 CPUs used\n"
        "behaviour: unknown (none of the rules applies)\n\n");
}

TEST_CASE("the words of a table are cleaned") {
  for (const std::string& text : {tables(test::measures_profile()), tables(test::wall_profile())}) {
    CHECK(text.find_first_of("\x1b\x7f\r\t") == std::string::npos);
    CHECK(text.find("\xe2\x80\xa8") == std::string::npos);
    CHECK(text.find("we;") != std::string::npos);  // the harmless part of the names is still there
  }
}

TEST_CASE("shares of blocked time include all threads, not only the shown threads") {
  const std::string text = tables(test::wall_profile(), 1);
  CHECK(text.starts_with("Top 1 blocking thread of 4\n"));
  CHECK(text.find("96.7%") != std::string::npos);
  CHECK(text.find("all together 3620.072 ms in 96 waits\n") != std::string::npos);
}

TEST_CASE("kernel threads are left out of the blocked threads and their shares, unless there are no others") {
  Profile profile;
  const auto wait = [&](std::uint32_t tid, const char* name, bool is_kernel_thread, std::uint64_t ns) {
    ThreadWait thread{.tgid = tid, .tid = tid, .name = profile.strings.intern(name), .waits = {}};
    thread.is_kernel_thread = is_kernel_thread;
    thread.waits = test::durations_of({{ns, 1}});
    return thread;
  };
  profile.thread_waits = {wait(2, "kthreadd", true, 9'000'000), wait(185, "dd", false, 3'000'000),
                          wait(16, "ksoftirqd/0", true, 2'000'000), wait(42, "sh", false, 1'000'000)};
  CHECK(tables(profile) ==
        "Top 2 blocking threads\n"
        "PID  TID  NAME  BLOCKED ms  SHARE  WAITS  LONGEST ms\n"
        "185  185  dd         3.000  75.0%      1       3.000\n"
        " 42   42  sh         1.000  25.0%      1       1.000\n"
        "all together 4.000 ms in 2 waits; kernel threads, 11.000 ms, are left out\n\n");
  profile.thread_waits = {wait(2, "kthreadd", true, 9'000'000)};
  CHECK(tables(profile) ==
        "Top 1 blocking thread\n"
        "PID  TID  NAME      BLOCKED ms   SHARE  WAITS  LONGEST ms\n"
        "  2    2  kthreadd       9.000  100.0%      1       9.000\n"
        "all together 9.000 ms in 1 wait\n\n");
}

TEST_CASE("a column has the unit of its longest time, and its shortest time is not lost") {
  const auto unit_of = [](std::vector<double> times_ns) { return time_unit(times_ns); };
  CHECK(unit_of({}).text(0) == "0.000");
  CHECK(unit_of({900'000, 60}).name == "us");
  CHECK(unit_of({900'000, 60}).text(60) == "0.060");
  CHECK(unit_of({1'000'000}).name == "ms");
  const TimeUnit ms = unit_of({9'999'000'000, 1488, 0});
  CHECK(ms.name == "ms");
  CHECK(ms.text(9'999'000'000) == "9999.0000");
  CHECK(ms.text(1488) == "0.0015");
  const TimeUnit s = unit_of({1e10, 80});
  CHECK(s.name == "s");
  CHECK(s.text(1e10) == "10.000000");
}

TEST_CASE("threads that never woke up stand last and have no share, unless all are such") {
  Profile profile;
  profile.duration_ns = 10'000'000;
  const auto wait = [&](std::uint32_t tid, const char* name, bool never_woke, std::uint64_t ns) {
    ThreadWait thread{.tgid = 1, .tid = tid, .name = profile.strings.intern(name), .waits = {}};
    thread.never_woke = never_woke;
    thread.waits = test::durations_of({{ns, 1}});
    return thread;
  };
  // One of them computed for half of the time before its only wait.
  profile.thread_waits = {wait(2, "pool", true, 10'000'000), wait(3, "pool", true, 9'500'000),
                          wait(4, "late", true, 5'000'000), wait(5, "busy", false, 3'000'000)};
  CHECK(tables(profile) ==
        "Top 4 blocking threads\n"
        "PID  TID  NAME  BLOCKED ms  SHARE  WAITS  LONGEST ms\n"
        "  1    4  late       5.000  62.5%      1       5.000\n"
        "  1    5  busy       3.000  37.5%      1       3.000\n"
        "  1    2  pool      10.000      -      1      10.000\n"
        "  1    3  pool       9.500      -      1       9.500\n"
        "all together 8.000 ms in 2 waits; 2 threads never woke up, 19.500 ms, and stand last\n\n");
  profile.thread_waits = {wait(2, "pool", true, 10'000'000)};
  CHECK(tables(profile) ==
        "Top 1 blocking thread\n"
        "PID  TID  NAME  BLOCKED ms   SHARE  WAITS  LONGEST ms\n"
        "  1    2  pool      10.000  100.0%      1      10.000\n"
        "all together 10.000 ms in 1 wait; 1 thread never woke up\n\n");
}

TEST_CASE("the system call table of one category shows only the counts") {
  Profile profile;
  SyscallReport report;
  report.seconds = 0.04;
  report.is_partial = true;
  report.calls.push_back({.name = profile.strings.intern("sendto"),
                          .category = SyscallCategory::network,
                          .count = 1,
                          .durations = {},
                          .errors = {}});
  profile.syscalls = report;
  const std::string text = tables(profile);
  CHECK(text.starts_with("Top 1 system call by count\n"));
  CHECK(text.find("\n1 system call in 0.04 s, 25.0 a second, ") != std::string::npos);
  CHECK(text.find("behaviour") == std::string::npos);
  CHECK(text.ends_with("network\n\n"));
}

TEST_CASE("system calls without times are sorted by count, without empty columns") {
  Profile profile;
  SyscallReport report;
  report.seconds = 2;
  report.calls.push_back({.name = profile.strings.intern("read"),
                          .category = SyscallCategory::file_io,
                          .count = 30,
                          .durations = {},
                          .errors = {}});
  report.calls.push_back({.name = profile.strings.intern("mmap"),
                          .category = SyscallCategory::memory,
                          .count = 10,
                          .durations = {},
                          .errors = {}});
  profile.syscalls = report;
  const auto lines = lines_of(tables(profile));
  REQUIRE(lines.size() == 12);
  CHECK(lines[0] == "Top 2 system calls by count");
  CHECK(lines[1] == "CALLS  CALLS/s  SYSCALL");
  CHECK(lines[2] == "   30     15.0  read");
  CHECK(lines[3] == "   10      5.0  mmap");
  CHECK(lines[5] == "40 system calls in 2.0 s, 20.0 a second, 0.00 CPUs used");
  CHECK(lines[7] == "   30     15.0  75.0%  file_io");
  CHECK(lines[10].starts_with("behaviour: "));
  CHECK(lines[11].empty());
  profile.syscalls->has_failures = true;
  CHECK(tables(profile).find("\nNo system call failed.\n") != std::string::npos);
}

TEST_CASE("a full table of timed system calls fits a terminal") {
  Profile profile;
  SyscallReport report;
  report.seconds = 10;
  report.has_durations = report.has_failures = true;
  report.calls.push_back({.name = profile.strings.intern("clock_nanosleep"),
                          .category = SyscallCategory::time,
                          .count = 1'234'567,
                          .failed = 12'345,
                          .durations = test::durations_of({{1'000'000'000, 9}}),
                          .errors = {{516, 12'345}}});
  profile.syscalls = report;
  for (const std::string& line : lines_of(tables(profile))) CHECK_MESSAGE(line.size() <= 80, line);
}

TEST_CASE("a failure names the program that most of it is of") {
  Profile profile;
  SyscallReport report;
  report.has_failures = true;
  report.calls.push_back({.name = profile.strings.intern("openat"),
                          .category = SyscallCategory::file_io,
                          .count = 400,
                          .failed = 101,
                          .durations = {},
                          .errors = {{2, 100}, {13, 1}}});
  const StringId cc1 = profile.strings.intern("cc1");
  report.calls.back().errors[0].programs = {{.name = cc1, .tgid = 0, .count = 98},
                                            {.name = profile.strings.intern("ld"), .tgid = 185, .count = 2}};
  report.calls.back().errors[1].programs = {{.name = cc1, .tgid = 7, .count = 1}};
  profile.syscalls = report;
  CHECK(tables(profile).find("Top 2 failures\n"
                             "FAILED  OF ITS CALLS  SYSCALL  ERROR   MOST BY         MEANING\n"
                             "   100         25.0%  openat   ENOENT  cc1 98.0%       No such file or directory\n"
                             "     1          0.2%  openat   EACCES  cc1 (7) 100.0%  Permission denied\n") !=
        std::string::npos);
  profile.syscalls->by_process = true;
  CHECK(tables(profile).find("MOST BY") == std::string::npos);
}
