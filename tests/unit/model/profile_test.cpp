// Tests interning: equal things become one, different things stay apart, and no value is lost.
#include "model/profile.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

using namespace profile;

TEST_CASE("a process is identified by its id and its image, and keeps its first name") {
  Profile profile;
  const ProcessId sh = profile.process(7, 0, "sh");
  const ProcessId dd = profile.process(7, 1, "dd");
  CHECK(sh != dd);
  CHECK(profile.process(8, 0, "sh") != sh);
  CHECK(profile.process(7, 0, "other") == sh);
  CHECK(profile.strings.view(profile.process(sh).name) == "sh");
  CHECK(profile.process(dd).tgid == 7);
  CHECK(profile.process(dd).image == 1);
  CHECK(profile.processes().size() == 3);
}

TEST_CASE("a frame is one address in one address space") {
  Profile profile;
  const ProcessId a = profile.process(1, 0, "a");
  const ProcessId b = profile.process(2, 0, "b");
  const FrameId frame = profile.frame(a, FrameKind::user, {0x1000});
  CHECK(profile.frame(a, FrameKind::user, {0x1000}) == frame);
  CHECK(profile.frame(b, FrameKind::user, {0x1000}) != frame);
  CHECK(profile.frame(a, FrameKind::user, {0x1001}) != frame);
  CHECK(profile.frame(ProcessId::kernel, FrameKind::kernel, {0x1000}) != frame);
  CHECK(profile.frames().size() == 4);
  CHECK(profile.frame(frame).unnamed == Unnamed::pending);
  CHECK(profile.frame(frame).address == RuntimeAddress{0x1000});
}

TEST_CASE("a stack is identified by its frames in their order") {
  Profile profile;
  const ProcessId a = profile.process(1, 0, "a");
  const StackId stack = profile.stack_of(a, FrameKind::user, std::vector<std::uint64_t>{1, 2, 3});
  CHECK(profile.stack_of(a, FrameKind::user, std::vector<std::uint64_t>{1, 2, 3}) == stack);
  CHECK(profile.stack_of(a, FrameKind::user, std::vector<std::uint64_t>{3, 2, 1}) != stack);
  CHECK(profile.stack_of(a, FrameKind::user, std::vector<std::uint64_t>{1, 2}) != stack);
  REQUIRE(profile.stack(stack).size() == 3);
  CHECK(profile.frame(profile.stack(stack).front()).address.value == 1);
  CHECK(profile.frames().size() == 5);  // 1 and 3 are each there as leaf and as return address
}

TEST_CASE("a stack is identified by its frames and its end") {
  Profile profile;
  const ProcessId a = profile.process(1, 0, "a");
  const std::vector<std::uint64_t> addresses{1, 2, 3};
  const StackId untold = profile.stack_of(a, FrameKind::user, addresses);
  const StackId whole = profile.stack_of(a, FrameKind::user, addresses, StackEnd::root);
  const StackId cut = profile.stack_of(a, FrameKind::user, addresses, StackEnd::too_deep);
  CHECK(profile.stack_count() == 3);
  CHECK(profile.stack_of(a, FrameKind::user, addresses, StackEnd::too_deep) == cut);
  CHECK(profile.stack_of(a, FrameKind::user, addresses, StackEnd::unknown) == untold);
  CHECK(profile.end_of(untold) == StackEnd::unknown);
  CHECK(profile.end_of(whole) == StackEnd::root);
  CHECK(profile.end_of(cut) == StackEnd::too_deep);
  CHECK(std::ranges::equal(profile.stack(whole), profile.stack(cut)));

  Row row;
  row.process = a;
  row.user = cut;
  profile.add(row);
  profile.change_rows([&](Row& changed) { changed.kernel = StackId::missed; });
  CHECK(profile.end_of(profile.rows()[0].user) == StackEnd::too_deep);
}

TEST_CASE("a stack without frames is no stack, for every end") {
  Profile profile;
  CHECK(profile.stack({}, StackEnd::not_readable) == StackId::none);
  CHECK(profile.end_of(StackId::none) == StackEnd::unknown);
  CHECK(profile.end_of(StackId::missed) == StackEnd::unknown);
}

TEST_CASE("a part of a stack can become a separate stack") {
  Profile profile;
  const ProcessId a = profile.process(1, 0, "a");
  for (std::uint64_t first = 0; first < 100; ++first) {  // enough rounds that the storage grows meanwhile
    const StackId whole =
        profile.stack_of(a, FrameKind::user, std::vector<std::uint64_t>{first, 1000, 2000, 3000 + first});
    const StackId part = profile.stack(profile.stack(whole).subspan(1));
    REQUIRE(profile.stack(part).size() == 3);
    CHECK(profile.frame(profile.stack(part)[0]).address.value == 1000);
    CHECK(profile.frame(profile.stack(part)[2]).address.value == 3000 + first);
  }
}

TEST_CASE("a source location is a line and its inlined functions, and is stored once") {
  Profile profile;
  const SourceLine here{profile.strings.intern("a.c"), 7};
  const SourceLine there{profile.strings.intern("b.h"), 7};
  const std::vector<InlinedFunction> inlined{{profile.strings.intern("f"), there}, {profile.strings.intern("g"), here}};
  const SourceLocationId plain = profile.source({.at = here, .inlined = {}});
  const SourceLocationId deep = profile.source({.at = here, .inlined = inlined});
  CHECK(plain != SourceLocationId::none);
  CHECK(deep != plain);
  CHECK(profile.source({.at = there, .inlined = inlined}) != deep);
  CHECK(profile.source({.at = here, .inlined = std::span(inlined).first(1)}) != deep);
  CHECK(profile.source({.at = here, .inlined = inlined}) == deep);
  CHECK(profile.source({.at = here, .inlined = {}}) == plain);
  CHECK(profile.source(plain).inlined.empty());
  CHECK(profile.source(deep).at == here);
  REQUIRE(profile.source(deep).inlined.size() == 2);
  CHECK(profile.source(deep).inlined[1] == inlined[1]);
  CHECK(profile.source(SourceLocationId::none).at == SourceLine{});
  // Each of these is made from a part of another one.
  for (std::uint32_t line = 0; line < 100; ++line) {
    const SourceLocationId part =
        profile.source({.at = {here.file, 100 + line}, .inlined = profile.source(deep).inlined.last(1)});
    REQUIRE(profile.source(part).inlined.size() == 1);
    CHECK(profile.source(part).inlined[0] == inlined[1]);
  }
}

TEST_CASE("an empty list of frames gives no stack, and a missed stack has no frames") {
  Profile profile;
  CHECK(profile.stack(std::span<const FrameId>()) == StackId::none);
  CHECK(profile.stack(StackId::none).empty());
  CHECK(profile.stack(StackId::missed).empty());
}

TEST_CASE("rows that differ in more than the value stay apart") {
  Profile profile;
  const Row row{
      .process = profile.process(1, 0, "a"), .tid = 2, .thread_name = profile.strings.intern("t"), .value = 1};
  std::vector<Row> rows(6, row);
  rows[1].process = profile.process(2, 0, "b");
  rows[2].tid = 3;
  rows[3].thread_name = StringId::empty;
  rows[4].user = StackId::missed;
  rows[5].kernel = StackId::missed;
  for (int round = 0; round < 2; ++round) {
    for (const Row& each : rows) profile.add(each);
  }
  CHECK(profile.rows().size() == 6);
  for (const Row& each : profile.rows()) CHECK(each.value == 2);
  CHECK(profile.total() == 12);
}

TEST_CASE("many random rows give the same sums as a plain map") {
  std::mt19937_64 random(11);
  Profile profile;
  std::map<std::tuple<std::uint64_t, std::vector<std::uint64_t>, std::vector<std::uint64_t>>, std::uint64_t> expected;
  for (int i = 0; i < 20000; ++i) {
    const auto addresses = [&random](std::uint64_t base) {
      std::vector<std::uint64_t> stack(random() % 4);
      for (auto& address : stack) address = base + random() % 5;
      return stack;
    };
    const auto tgid = static_cast<std::uint32_t>(random() % 3);
    const auto user = addresses(0x1000);
    const auto kernel = addresses(0xffff800000000000);
    Row row;
    row.process = profile.process(tgid, 0, "p");
    row.user = profile.stack_of(row.process, FrameKind::user, user);
    row.kernel = profile.stack_of(ProcessId::kernel, FrameKind::kernel, kernel);
    row.value = 1 + random() % 3;
    profile.add(row);
    expected[{tgid, user, kernel}] += row.value;
  }
  const auto addresses_of = [&profile](StackId id) {
    std::vector<std::uint64_t> addresses;
    for (const FrameId frame : profile.stack(id)) addresses.push_back(profile.frame(frame).address.value);
    return addresses;
  };
  REQUIRE(profile.rows().size() == expected.size());
  for (const Row& row : profile.rows()) {
    CHECK(expected[{profile.process(row.process).tgid, addresses_of(row.user), addresses_of(row.kernel)}] == row.value);
  }
}

TEST_CASE("changed rows are merged as in a plain map, however many change, and more rows can be added") {
  std::mt19937_64 random(12);
  for (const std::uint64_t one_in : {1, 2, 10, 1000}) {
    CAPTURE(one_in);
    Profile profile;
    profile.apart.by_thread = true;
    std::map<std::uint32_t, std::uint64_t> expected;  // values by the thread, which is the whole key here
    const auto add_some = [&] {
      for (int i = 0; i < 500; ++i) {
        Row row;
        row.tid = static_cast<std::uint32_t>(random() % 400);
        row.value = 1 + random() % 3;
        profile.add(row);
        expected[row.tid] += row.value;
      }
    };
    for (int round = 0; round < 8; ++round) {
      add_some();
      std::map<std::uint32_t, std::uint32_t> change;
      for (const auto& [tid, value] : expected)
        change[tid] = random() % one_in == 0 ? static_cast<std::uint32_t>(random() % 400) : tid;
      profile.change_rows([&](Row& row) { row.tid = change.at(row.tid); });
      std::map<std::uint32_t, std::uint64_t> changed;
      for (const auto& [tid, value] : expected) changed[change.at(tid)] += value;
      expected = changed;
      // Every second time the rows change again before a row is added.
      if (round % 2 == 0) {
        profile.change_rows([](Row& row) { row.tid = row.tid % 7 == 0 ? 0 : row.tid; });
        changed.clear();
        for (const auto& [tid, value] : expected) changed[tid % 7 == 0 ? 0 : tid] += value;
        expected = changed;
      }
      REQUIRE(profile.rows().size() == expected.size());
      for (const Row& row : profile.rows()) REQUIRE(expected.at(row.tid) == row.value);
    }
  }
}

TEST_CASE("a moved profile keeps all its content") {
  Profile profile;
  const StringId name =
      profile.strings.intern("a name too long to be stored in place, so that it has memory of its own");
  profile.add(Row{.process = profile.process(1, 0, "a"), .thread_name = name, .value = 3});
  Profile moved;
  moved = std::move(profile);
  CHECK(moved.strings.intern("a") == moved.process(ProcessId{0}).name);
  CHECK(moved.strings.view(name).starts_with("a name too long"));
  moved.add(moved.rows()[0]);
  CHECK(moved.total() == 6);
  CHECK(moved.rows().size() == 1);
}

TEST_CASE("rows that need not be separate are merged, and the sum stays") {
  Profile fine;
  const Row row{.process = fine.process(1, 0, "a"), .thread_name = fine.strings.intern("t"), .value = 2, .samples = 1};
  for (std::uint32_t i = 0; i < 12; ++i) {
    Row one = row;
    one.tid = 10 + i % 3;
    one.cpu = i % 4;
    fine.add(one);
  }
  const auto merged = [&fine](RowsApart apart) {
    Profile profile;
    profile.apart = apart;
    profile.merge(fine);
    CHECK(profile.total() == 24);
    return profile;
  };
  CHECK(merged({}).rows().size() == 12);
  const Profile by_thread = merged({.by_thread = true, .by_cpu = false});
  REQUIRE(by_thread.rows().size() == 3);
  CHECK(by_thread.rows()[0].tid == 10);
  CHECK(by_thread.rows()[0].cpu == any_cpu);
  const Profile by_cpu = merged({.by_thread = false, .by_cpu = true});
  REQUIRE(by_cpu.rows().size() == 4);
  CHECK(by_cpu.rows()[3].tid == 0);
  CHECK(by_cpu.rows()[3].cpu == 3);
  const Profile whole = merged({.by_thread = false, .by_cpu = false});
  REQUIRE(whole.rows().size() == 1);
  CHECK(whole.rows()[0].value == 24);
  CHECK(whole.rows()[0].samples == 12);
}

TEST_CASE("the samples of a timeline follow their rows when these are changed, left out or weighed") {
  Profile profile;
  std::vector<ProcessId> processes;
  for (std::uint32_t i = 0; i < 6; ++i) processes.push_back(profile.process(i + 1, 0, i % 2 == 0 ? "even" : "odd"));
  Timeline timeline;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Row row{.process = processes[i * i % 6], .tid = static_cast<std::uint32_t>(i % 3), .value = i, .samples = 1};
    const std::uint32_t index = profile.add(row);
    timeline.samples.push_back({.time_us = i * 10, .value = i, .row = index});
  }
  profile.timeline = timeline;
  const auto agree = [&profile] {
    std::vector<std::uint64_t> sums(profile.rows().size());
    for (const TimedSample& sample : profile.timeline->samples) sums.at(sample.row) += sample.value;
    for (std::size_t i = 0; i < sums.size(); ++i) CHECK(sums[i] == profile.rows()[i].value);
  };
  agree();
  profile.change_rows([](Row& row) { row.tid = 0; });
  agree();
  CHECK(profile.timeline->samples.size() == 60);
  profile.keep_rows([&](const Row& row) { return row.process != processes[1]; });
  agree();
  CHECK(profile.timeline->samples.size() < 60);
  profile.merge_processes();
  agree();
  REQUIRE(profile.weigh(3, Unit::nanoseconds));
  agree();
  CHECK(std::is_sorted(profile.timeline->samples.begin(), profile.timeline->samples.end(),
                       [](const TimedSample& a, const TimedSample& b) { return a.time_us < b.time_us; }));
  profile.merge(Profile());
  CHECK_FALSE(profile.timeline.has_value());
}
