// Tests the word for a mix of system calls: each rule at its limits, and the order of the rules.
#include "model/syscall_analysis.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>

using namespace profile;

namespace {

using Mix = std::initializer_list<std::pair<SyscallCategory, std::uint64_t>>;
constexpr auto file_io = SyscallCategory::file_io;
constexpr auto memory = SyscallCategory::memory;
constexpr auto network = SyscallCategory::network;
constexpr auto process = SyscallCategory::process;

SyscallAnalysis analysis_of(Mix calls, double seconds = 1, double cpus_used = 0) {
  SyscallReport report;
  for (const auto& [category, count] : calls) {
    SyscallUse use;
    use.category = category;
    use.count = count;
    report.calls.push_back(use);
  }
  report.seconds = seconds;
  report.cpus_used = cpus_used;
  return analyse(report);
}

}  // namespace

TEST_CASE("a share of file_io above 0.6 at more than 100 calls a second is io_bound") {
  CHECK(analysis_of({{file_io, 6001}, {process, 3999}}).behavior == "io_bound");
  CHECK(analysis_of({{file_io, 6000}, {process, 4000}}).behavior == "unknown");
  CHECK(analysis_of({{file_io, 101}}).behavior == "io_bound");
  CHECK(analysis_of({{file_io, 100}}).behavior == "unknown");
  CHECK(analysis_of({{file_io, 1000}}, 10).behavior == "unknown");
  CHECK(analysis_of({{file_io, 1001}}, 10).behavior == "io_bound");
}

TEST_CASE("a share of network above 0.4 is network_bound at any rate") {
  CHECK(analysis_of({{network, 41}, {process, 59}}).behavior == "network_bound");
  CHECK(analysis_of({{network, 40}, {process, 60}}).behavior == "unknown");
  CHECK(analysis_of({{network, 1}}, 1000).behavior == "network_bound");
}

TEST_CASE("a share of memory above 0.3 is memory_bound") {
  CHECK(analysis_of({{memory, 31}, {process, 69}}).behavior == "memory_bound");
  CHECK(analysis_of({{memory, 30}, {process, 70}}).behavior == "unknown");
}

TEST_CASE("a program with fewer than 50 calls a second and more than half a CPU is cpu_bound") {
  CHECK(analysis_of({{process, 49}}, 1, 0.51).behavior == "cpu_bound");
  CHECK(analysis_of({{process, 50}}, 1, 0.51).behavior == "unknown");
  CHECK(analysis_of({{process, 49}}, 1, 0.5).behavior == "unknown");
  CHECK(analysis_of({}, 1, 3.5).behavior == "cpu_bound");
}

TEST_CASE("a share of file_io above 0.2 with a share of memory above 0.1 is mixed") {
  CHECK(analysis_of({{file_io, 21}, {memory, 11}, {process, 68}}).behavior == "mixed");
  CHECK(analysis_of({{file_io, 20}, {memory, 11}, {process, 69}}).behavior == "unknown");
  CHECK(analysis_of({{file_io, 21}, {memory, 10}, {process, 69}}).behavior == "unknown");
}

TEST_CASE("the first matching rule decides the behaviour") {
  CHECK(analysis_of({{file_io, 610}, {memory, 390}}).behavior == "io_bound");
  CHECK(analysis_of({{network, 410}, {memory, 310}, {file_io, 280}}).behavior == "network_bound");
  CHECK(analysis_of({{memory, 40}, {file_io, 60}}, 100, 1).behavior == "memory_bound");
  CHECK(analysis_of({{file_io, 21}, {memory, 11}, {process, 10}}, 1, 1).behavior == "cpu_bound");
}

TEST_CASE("each behaviour has its rule in words") {
  CHECK(analysis_of({{file_io, 1000}}).rule == "file_io share > 0.6 and more than 100 calls a second");
  CHECK(analysis_of({{network, 1}}).rule == "network share > 0.4");
  CHECK(analysis_of({{memory, 1}}).rule == "memory share > 0.3");
  CHECK(analysis_of({}, 1, 1).rule == "fewer than 50 calls a second and more than 50 % of a CPU used");
  CHECK(analysis_of({{file_io, 21}, {memory, 11}, {process, 68}}).rule == "file_io share > 0.2 and memory share > 0.1");
  CHECK(analysis_of({}).rule == "none of the rules applies");
}

TEST_CASE("the figures are shares of all calls, and calls a second") {
  const SyscallAnalysis mix = analysis_of({{file_io, 10}, {network, 5}, {file_io, 10}, {memory, 15}}, 4, 0.25);
  CHECK(mix.total == 40);
  CHECK(mix.by_category[static_cast<std::size_t>(file_io)] == 20);
  CHECK(mix.by_category[static_cast<std::size_t>(process)] == 0);
  CHECK(mix.rate_per_s == 10);
  CHECK(mix.io_intensity == 0.5);
  CHECK(mix.memory_intensity == 0.375);
  CHECK(mix.network_intensity == 0.125);
  CHECK(mix.cpu_intensity == 0.25);
}

TEST_CASE("a part of the calls gives no behaviour of the program") {
  SyscallReport report;
  report.seconds = 1;
  report.cpus_used = 0.7;
  report.is_partial = true;
  SyscallUse use;
  use.category = network;
  use.count = 10;
  report.calls.push_back(use);
  const SyscallAnalysis mix = analyse(report);
  CHECK(mix.behavior == "unknown");
  CHECK(mix.rule == "not all system calls were looked at");
  CHECK(mix.total == 10);
  CHECK(mix.rate_per_s == 10);
  CHECK(mix.cpu_intensity == 0.7);
  CHECK(mix.network_intensity == 0);
}

TEST_CASE("an empty count in zero seconds gives zero and no division by zero") {
  const SyscallAnalysis none = analysis_of({}, 0);
  CHECK(none.total == 0);
  CHECK(none.rate_per_s == 0);
  CHECK(none.io_intensity == 0);
  CHECK(none.behavior == "unknown");
}

TEST_CASE("each category of system calls has a name") {
  REQUIRE(syscall_category_names().size() == syscall_categories);
  for (std::size_t i = 0; i < syscall_categories; ++i) {
    CHECK(syscall_category_names()[i] == name_of(static_cast<SyscallCategory>(i)));
    CHECK(!syscall_category_names()[i].empty());
  }
  CHECK(name_of(SyscallCategory::file_io) == "file_io");
  CHECK(name_of(SyscallCategory::other) == "other");
}

TEST_CASE("calls of which most failed say nothing") {
  SyscallReport report;
  report.seconds = 1;
  SyscallUse use;
  use.category = file_io;
  use.count = 1000;
  use.failed = 501;
  report.calls.push_back(use);
  CHECK(analyse(report).behavior == "unknown");
  CHECK(analyse(report).rule == "more than half of the calls failed");
  CHECK(analyse(report).io_intensity == 1.0);
  report.calls.front().failed = 500;
  CHECK(analyse(report).behavior == "io_bound");
}
