// Tests merging: pieces of a recording give the same profile as the whole recording.
// No frame or process may get the name of another one.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "output/output.h"
#include "support/clock.h"

using namespace profile;

namespace {

std::string report(const Profile& profile, std::string_view format, const OutputOptions& options = {}) {
  std::ostringstream out;
  find_output_format(format)->make(options).report(out, profile);
  return out.str();
}

std::map<std::string, std::uint64_t> folded(const Profile& profile) {
  std::map<std::string, std::uint64_t> lines;
  std::istringstream in(report(profile, "folded", {.annotate = true, .show_modules = true}));
  for (std::string line; std::getline(in, line);) {
    const std::size_t space = line.rfind(' ');
    lines[line.substr(0, space)] += std::stoull(line.substr(space + 1));
  }
  return lines;
}

std::map<std::string, std::uint64_t> sum(std::map<std::string, std::uint64_t> a,
                                         const std::map<std::string, std::uint64_t>& b) {
  for (const auto& [line, value] : b) a[line] += value;
  return a;
}

// A run of 60 rows: `even` and `odd` have every second row, `whole` has all rows.
enum class Part { even, odd, whole };
Profile run_of_two_intervals(Part part) {
  Profile profile;
  test::Namer name(profile);
  for (unsigned i = 0; i < 60; ++i) {
    if (part != Part::whole && (i % 2 == 0) != (part == Part::even)) continue;
    const ProcessId process = profile.process(100 + i % 3, i % 2, i % 3 == 0 ? "web" : "db");
    Row row;
    row.process = process;
    row.thread_name = profile.strings.intern(i % 5 == 0 ? "worker" : "main");
    row.tid = 100 + i % 4;
    row.cpu = i % 2;
    row.user = StackId::missed;
    if (i % 11 != 0) {
      row.user =
          profile.stack(std::vector{name.user(process, 0x1000 + i % 7, "f" + std::to_string(i % 7), "app", i % 7),
                                    name.user(process, 0x2000, "main", "app", 4)});
    }
    if (i % 4 == 0) {
      row.kernel = profile.stack(std::vector{name.kernel(0xffffffff81000000 + i % 3, "sys_read", "kernel", i % 3)});
    }
    if (i % 6 == 0) row.tag = profile.strings.intern("[off-cpu]");
    row.value = 10 + i;
    row.samples = 1;
    profile.add(row);
    profile.account.taken += 1;
    profile.account.recorded += 1;
  }
  profile.began_unix_ns = part == Part::odd ? 2'000'000'000 : 1'000'000'000;
  profile.duration_ns = part == Part::whole ? 20 : 10;
  return profile;
}

Profile one_frame(std::uint64_t address, std::string_view symbol, std::string_view module, bool kernel = false) {
  Profile profile;
  test::Namer name(profile);
  Row row;
  row.process = profile.process(7, 0, "app");
  row.thread_name = profile.process(row.process).name;
  if (kernel) {
    row.kernel = profile.stack(std::vector{name.kernel(address, symbol, module, 0)});
  } else {
    row.user = profile.stack(std::vector{name.user(row.process, address, symbol, module, 0)});
  }
  row.value = row.samples = 3;
  profile.add(row);
  return profile;
}

}  // namespace

TEST_CASE("two merged intervals of a run equal the whole run") {
  const Profile whole = run_of_two_intervals(Part::whole);
  Profile merged = run_of_two_intervals(Part::odd);
  merged.merge(run_of_two_intervals(Part::even));
  CHECK(merged.account == whole.account);
  CHECK(merged.began_unix_ns == whole.began_unix_ns);
  CHECK(merged.duration_ns == whole.duration_ns);
  CHECK(merged.rows().size() == whole.rows().size());
  CHECK(merged.frames().size() == whole.frames().size());
  CHECK(merged.stack_count() == whole.stack_count());
  CHECK(merged.processes().size() == whole.processes().size());
  CHECK(folded(merged) == folded(whole));
  CHECK(report(merged, "counted", {.show_addresses = true}) == report(whole, "counted", {.show_addresses = true}));
  CHECK(report(merged, "residency") == report(whole, "residency"));
}

TEST_CASE("the folded lines of merged profiles are the sum of their folded lines") {
  Profile merged = test::fixed_profile();
  merged.merge(test::profile_with_lines());
  CHECK(folded(merged) == sum(folded(test::fixed_profile()), folded(test::profile_with_lines())));
  CHECK(merged.total() == 92 + 17);
  CHECK(merged.account.taken == 92 + 17);
}

TEST_CASE("an empty profile takes over everything from the other profile") {
  Profile merged;
  merged.merge(test::profile_with_lines());
  CHECK(folded(merged) == folded(test::profile_with_lines()));
  CHECK(report(merged, "counted", {.show_addresses = true}) ==
        report(test::profile_with_lines(), "counted", {.show_addresses = true}));
  merged.merge(Profile());
  CHECK(folded(merged) == folded(test::profile_with_lines()));
}

TEST_CASE("a profile merged with itself is doubled") {
  Profile profile = test::fixed_profile();
  profile.merge(test::profile_with_lines());
  const auto once = folded(profile);
  const std::size_t frames = profile.frames().size();
  const std::size_t rows = profile.rows().size();
  profile.duration_ns = 5;
  profile.merge(profile);
  CHECK(folded(profile) == sum(once, once));
  CHECK(profile.frames().size() == frames);
  CHECK(profile.rows().size() == rows);
  CHECK(profile.account.taken == 2 * (92 + 17));
  CHECK(profile.duration_ns == 10);
}

TEST_CASE("an address with two names stays two frames") {
  for (const bool kernel : {false, true}) {
    Profile merged = one_frame(0x4000, "first", "liba.so", kernel);
    merged.merge(one_frame(0x4000, "second", "liba.so", kernel));
    merged.merge(one_frame(0x4000, "first", "libb.so", kernel));
    merged.merge(one_frame(0x4000, "second", "liba.so", kernel));  // known already
    const auto lines = folded(merged);
    const std::string mark = kernel ? "_[k]" : "";
    CHECK(lines.size() == 3);
    CHECK(lines.at("app;first [liba.so]" + mark) == 3);
    CHECK(lines.at("app;second [liba.so]" + mark) == 6);
    CHECK(lines.at("app;first [libb.so]" + mark) == 3);
    CHECK(merged.frames().size() == 3);
    // There are as many frames when the source of the merge has both names.
    Profile again = one_frame(0x4000, "second", "liba.so", kernel);
    again.merge(merged);
    CHECK(folded(again).at("app;second [liba.so]" + mark) == 9);
    CHECK(again.frames().size() == 3);
  }
}

TEST_CASE("a process id of another program becomes another image, the same one each time") {
  const auto named = [](std::string_view name, std::uint32_t image) {
    Profile profile;
    Row row;
    row.process = profile.process(7, image, name);
    row.thread_name = profile.process(row.process).name;
    row.value = row.samples = 1;
    profile.add(row);
    return profile;
  };
  Profile merged = named("sh", 0);
  merged.merge(named("make", 0));
  merged.merge(named("cc", 0));
  merged.merge(named("make", 0));
  merged.merge(named("sh", 0));
  merged.merge(named("sh", 5));  // another image already before the merge
  REQUIRE(merged.processes().size() == 4);
  CHECK(folded(merged) == std::map<std::string, std::uint64_t>{{"sh", 3}, {"make", 2}, {"cc", 1}});
  CHECK(merged.rows()[0].value == 2);  // sh
  CHECK(merged.rows()[1].value == 2);  // make
}

TEST_CASE("a process without an id is identified by its name") {
  const auto named = [](const std::vector<std::string>& names) {
    Profile profile;
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      Row row;
      row.process = profile.process(0, i, names[i]);
      row.thread_name = profile.process(row.process).name;
      row.value = row.samples = 1;
      profile.add(row);
    }
    return profile;
  };
  Profile merged = named({"a", "b"});
  merged.merge(named({"b", "c", "a"}));
  CHECK(merged.processes().size() == 3);
  CHECK(merged.rows().size() == 3);
}

TEST_CASE("a merge keeps all facts about a frame and a row") {
  Profile other;
  // The target is a filled profile, so that no number is the same by chance.
  Profile merged = test::fixed_profile();
  const std::size_t frames_before = merged.frames().size();
  test::Namer name(other);
  const ProcessId app = other.process(9, 2, "app");
  const FrameId id = name.unnamed(other.frame(app, FrameKind::user, {0x77}, true), Unnamed::file_changed, "app", 0x11);
  Frame& frame = other.frames()[static_cast<std::size_t>(id)];
  frame.binary = other.binary({.path = other.strings.intern("/bin/app"), .build_id = other.strings.intern("abcd")});
  frame.binary_address = ElfAddress{0x11};
  const InlinedFunction inlined{other.strings.intern("tiny"), {other.strings.intern("/src/t.h"), 3}};
  frame.source = other.source({.at = {other.strings.intern("/src/a.c"), 7}, .inlined = std::span(&inlined, 1)});
  Row row;
  row.process = app;
  row.tid = 10;
  row.cpu = 3;
  row.thread_name = other.strings.intern("thread");
  row.tag = other.strings.intern("[off-cpu]");
  row.user = other.stack(std::vector{id});
  row.kernel = StackId::missed;
  row.value = 5;
  row.samples = 2;
  other.add(row);
  merged.merge(other);

  REQUIRE(merged.frames().size() == frames_before + 1);
  const Frame& copy = merged.frames().back();
  CHECK(copy.address == RuntimeAddress{0x77});
  CHECK(copy.is_return);
  CHECK(copy.unnamed == Unnamed::file_changed);
  CHECK(merged.strings.view(copy.module) == "app");
  CHECK(copy.offset == 0x11);
  CHECK(merged.strings.view(merged.binary(copy.binary).path) == "/bin/app");
  CHECK(merged.strings.view(merged.binary(copy.binary).build_id) == "abcd");
  CHECK(copy.binary_address == ElfAddress{0x11});
  const SourceLocation place = merged.source(copy.source);
  CHECK(merged.strings.view(place.at.file) == "/src/a.c");
  REQUIRE(place.inlined.size() == 1);
  CHECK(merged.strings.view(place.inlined[0].symbol) == "tiny");
  CHECK(merged.strings.view(place.inlined[0].at.file) == "/src/t.h");
  const Row& added = merged.rows().back();
  CHECK(merged.process(added.process).tgid == 9);
  CHECK(merged.process(added.process).image == 2);
  CHECK(copy.space == added.process);
  CHECK(added.tid == 10);
  CHECK(added.cpu == 3);
  CHECK(merged.strings.view(added.thread_name) == "thread");
  CHECK(merged.strings.view(added.tag) == "[off-cpu]");
  CHECK(added.kernel == StackId::missed);
  CHECK(added.value == 5);
  CHECK(added.samples == 2);
}

namespace {

Durations lasting(std::uint64_t count, std::uint64_t total, std::uint64_t min, std::uint64_t max) {
  Durations durations{.count = count, .total_ns = total, .min_ns = min, .max_ns = max, .histogram = {}};
  durations.histogram.add(max, count);
  return durations;
}

// Interns `first` before the other strings, so that each profile has other numbers for them.
Profile with_measures(std::string_view first, std::uint64_t times) {
  Profile profile;
  profile.strings.intern(first);
  const auto text = [&profile](std::string_view words) { return profile.strings.intern(words); };
  profile.thread_waits = {{.tgid = 1, .tid = 2, .name = text("lock"), .waits = lasting(times, 100 * times, 10, 90)}};
  profile.thread_waits->push_back({.tgid = 1, .tid = 3, .name = text(first), .waits = lasting(1, 50, 50, 50)});
  DurationTable table{.id = "requests", .title = "Requests", .column_names = {"disk"}, .rows = {}, .has_bytes = true};
  table.rows.push_back({.labels = {text("sda")}, .durations = lasting(times, 7 * times, 1, 12), .bytes = 512});
  profile.duration_tables.push_back(table);
  SyscallReport calls;
  calls.seconds = 2;
  calls.cpus_used = static_cast<double>(times);
  calls.calls.push_back(
      {.name = text("read"), .count = times, .failed = 1, .durations = {}, .errors = {{4, times}, {11, 1}}});
  const auto tgid = static_cast<std::uint32_t>(times);
  calls.calls.back().errors[0].programs = {{.name = text("cat"), .tgid = tgid, .count = times - 1},
                                           {.name = text("dd"), .tgid = 9, .count = 1}};
  profile.syscalls = calls;
  return profile;
}

}  // namespace

TEST_CASE("other measurements are added up by their keys") {
  Profile merged = with_measures("x", 2);
  merged.merge(with_measures("y", 3));
  REQUIRE(merged.thread_waits);
  REQUIRE(merged.thread_waits->size() == 3);
  CHECK(merged.thread_waits->front().waits.count == 5);
  CHECK(merged.thread_waits->front().waits.total_ns == 500);
  CHECK(merged.strings.view((*merged.thread_waits)[2].name) == "y");
  REQUIRE(merged.duration_tables.size() == 1);
  REQUIRE(merged.duration_tables[0].rows.size() == 1);
  CHECK(merged.duration_tables[0].rows[0].durations.total_ns == 35);
  CHECK(merged.duration_tables[0].rows[0].bytes == 1024);
  REQUIRE(merged.syscalls);
  REQUIRE(merged.syscalls->calls.size() == 1);
  CHECK(merged.syscalls->calls[0].count == 5);
  CHECK(merged.syscalls->calls[0].failed == 2);
  REQUIRE(merged.syscalls->calls[0].errors.size() == 2);
  CHECK(merged.syscalls->calls[0].errors[0].count == 5);
  const StringId cat = merged.strings.intern("cat");
  const StringId dd = merged.strings.intern("dd");
  CHECK(merged.syscalls->calls[0].errors[0].programs ==
        std::vector<FailingProgram>{{.name = cat, .tgid = 0, .count = 3}, {.name = dd, .tgid = 9, .count = 2}});
  CHECK(merged.syscalls->calls[0].errors[1] == SyscallError{.number = 11, .count = 2});
  CHECK(merged.syscalls->seconds == 4);
  CHECK(merged.syscalls->cpus_used == 2.5);

  Profile from_nothing;
  from_nothing.merge(merged);
  from_nothing.merge(from_nothing);
  CHECK(from_nothing.thread_waits->front().waits.count == 10);
  CHECK(from_nothing.duration_tables[0].rows[0].bytes == 2048);
  CHECK(from_nothing.syscalls->calls[0].count == 10);
}

TEST_CASE("tables of different kinds stay separate") {
  Profile merged = with_measures("x", 2);
  Profile other = with_measures("x", 2);
  other.duration_tables[0].column_names = {"device"};
  merged.merge(other);
  CHECK(merged.duration_tables.size() == 2);
}

TEST_CASE("empty durations do not change the minimum") {
  Durations sum;
  sum += lasting(1, 5, 5, 5);
  sum += Durations{};
  sum += lasting(2, 6, 3, 3);
  CHECK(sum.min_ns == 3);
  CHECK(sum.max_ns == 5);
  CHECK(sum.count == 3);
  CHECK(sum.total_ns == 11);
}

TEST_CASE("the part so far of what goes on adds to the total alone") {
  Durations sum = lasting(0, 70, 0, 0);
  sum += lasting(0, 30, 0, 0);
  CHECK(sum.total_ns == 100);
  sum += lasting(1, 10, 110, 110);
  CHECK(sum.count == 1);
  CHECK(sum.total_ns == 110);
  CHECK(sum.min_ns == 110);
  CHECK(sum.max_ns == 110);
}

TEST_CASE("a state takes the place of the one before it") {
  const auto state = [](std::uint64_t bytes, std::string_view name) {
    Profile profile;
    profile.run.is_state = true;
    profile.account = {.taken = 5, .recorded = 3, .filtered = 2};
    profile.duration_ns = 10;
    const ProcessId app = profile.process(7, 0, "app");
    profile.add({.process = app, .thread_name = profile.strings.intern(name), .value = bytes, .samples = 3});
    return profile;
  };
  Profile sum = state(100, "first");
  sum.merge(state(40, "second"));
  REQUIRE(sum.rows().size() == 1);
  CHECK(sum.rows()[0].value == 40);
  CHECK(sum.strings.view(sum.rows()[0].thread_name) == "second");
  CHECK(sum.duration_ns == 20);
  CHECK(sum.account.recorded == 3);
  CHECK(sum.account.filtered == 4);
  CHECK(sum.account.balanced());
}

TEST_CASE("the end of a stack stays with it, and two ends are two stacks") {
  const auto run = [](StackEnd end) {
    Profile profile;
    Row row;
    row.process = profile.process(1, 0, "app");
    row.user = profile.stack_of(row.process, FrameKind::user, std::vector<std::uint64_t>{1, 2}, end);
    row.value = row.samples = 1;
    profile.add(row);
    return profile;
  };
  Profile whole = run(StackEnd::root);
  whole.merge(run(StackEnd::no_cfi));
  whole.merge(run(StackEnd::no_cfi));
  whole.merge(run(StackEnd::unknown));
  REQUIRE(whole.rows().size() == 3);
  CHECK(whole.end_of(whole.rows()[0].user) == StackEnd::root);
  CHECK(whole.end_of(whole.rows()[1].user) == StackEnd::no_cfi);
  CHECK(whole.rows()[1].samples == 2);
  CHECK(whole.end_of(whole.rows()[2].user) == StackEnd::unknown);
}

TEST_CASE("a hundred thousand rows are merged in seconds") {
  const auto large = [](std::uint64_t seed) {
    Profile profile;
    test::Namer name(profile);
    const ProcessId app = profile.process(1, 0, "app");
    std::vector<FrameId> frames;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      frames.push_back(name.user(app, i * 16, "function_" + std::to_string(i), "app", 0));
    }
    for (std::uint64_t i = 0; i < 100'000; ++i) {
      std::vector<FrameId> stack;
      for (std::uint64_t depth = 0; depth < 30; ++depth) {
        stack.push_back(frames[(i / 5000 * seed + i * (depth + seed) + depth * depth * 7919) % frames.size()]);
      }
      Row row;
      row.process = app;
      row.user = profile.stack(stack);
      row.value = row.samples = 1;
      profile.add(row);
    }
    return profile;
  };
  Profile merged = large(1);
  const Profile other = large(2);
  const std::uint64_t begin_ns = thread_cpu_ns();
  merged.merge(other);
  const double took = to_seconds(thread_cpu_ns() - begin_ns);
  MESSAGE("took " << took << " s");
  CHECK(merged.total() == 200'000);
  CHECK(merged.stack_count() > 150'000);
  CHECK(took < 20);  // only a quadratic merge takes longer
}

TEST_CASE("the first of two profiles is decided by the monotonic clock") {
  Profile first;
  first.began_ns = 1000;
  first.began_unix_ns = 9'000'000'000;
  Profile second;
  second.began_ns = 2000;
  second.began_unix_ns = 5'000'000'000;  // the wall clock was set back
  for (const auto& [one, other] : {std::pair(&first, &second), std::pair(&second, &first)}) {
    Profile merged;
    merged.merge(*one);
    merged.merge(*other);
    CHECK(merged.began_ns == 1000);
    CHECK(merged.began_unix_ns == 9'000'000'000);
  }
}
