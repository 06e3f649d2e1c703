// Tests that our formats are read back without a change. The folded lines stay the same, whichever formats a profile
// passes through.
#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "input/profile_reader.h"
#include "model/run_words.h"
#include "output/output.h"
#include "output/stream.h"

namespace {

using namespace profile;

std::string written(const Profile& profile, std::string_view format, const OutputOptions& options = {}) {
  std::ostringstream out;
  const auto output = find_output_format(format)->make(options);
  output.begin(out, profile.run);
  output.report(out, profile);
  return out.str();
}

std::string folded(const Profile& profile, bool annotate = false, bool modules = false) {
  return written(profile, "folded", {.annotate = annotate, .show_modules = modules});
}

std::vector<std::pair<std::string, Profile>> profiles() {
  std::vector<std::pair<std::string, Profile>> all;
  all.emplace_back("fixed", test::fixed_profile());
  all.emplace_back("lines", test::profile_with_lines());
  all.emplace_back("ends", test::profile_with_ends());
  all.emplace_back("wall", test::wall_profile());
  all.emplace_back("measures", test::measures_profile());
  return all;
}

}  // namespace

TEST_CASE("each measure says in JSON what it counts, so that its values belong to the same functions") {
  for (const Measure& measure : {measures::off_cpu, measures::malloc, measures::syscall_times, measures::block_io}) {
    CAPTURE(measure.title);
    Profile profile = test::fixed_profile();
    set_measure(profile.run, measure);
    const Profile read = read_profile(written(profile, "json"), "a.json");
    CHECK(read.run.counted == measure.counted);
    CHECK(read.run.tag == profile.run.tag);
  }
}

TEST_CASE("the JSON of this program is read back unchanged, with modules, marks and the ends of stacks") {
  for (const auto& [name, profile] : profiles()) {
    CAPTURE(name);
    const Profile read = read_profile(written(profile, "json"), "a.json");
    CHECK(folded(read, true, true) == folded(profile, true, true));
    CHECK(read.total() == profile.total());
    CHECK(read.run.unit == profile.run.unit);
    CHECK(read.run.event == profile.run.event);
    CHECK(read.run.frequency_hz == profile.run.frequency_hz);
    CHECK(read.account == profile.account);
    if (!profile.run.title.empty()) CHECK(read.run.counted == profile.run.counted);
    CHECK(written(read, "counted", {.top = 0}).substr(0, 40) == written(profile, "counted", {.top = 0}).substr(0, 40));
    // A profile that was read is written as it was read.
    CHECK(folded(read_profile(written(read, "json"), "b.json"), true, true) == folded(profile, true, true));
  }
}

TEST_CASE("processes of one name that were made one are one in every format that names processes, and without a pid") {
  const auto merged = [](const std::string& other) {
    Profile profile;
    test::Namer namer(profile);
    for (std::uint32_t tgid = 1; tgid <= 5; ++tgid) {
      Row row;
      row.process = profile.process(tgid, 0, tgid < 4 ? "cc1plus" : other);
      row.thread_name = profile.process(row.process).name;
      row.tid = tgid;
      row.user = profile.stack(std::vector{namer.user(row.process, 0x1000 * tgid, "main", "cc1plus", 0)});
      row.value = row.samples = tgid;
      profile.add(row);
    }
    profile.account.taken = profile.account.recorded = 15;
    profile.run.processes_by_name = true;
    profile.merge_processes();
    return profile;
  };
  CHECK(merged("make").total() == 15);
  CHECK(written(merged("make"), "residency").find("\ncc1plus\n") != std::string::npos);
  for (const std::string format : {"json", "pprof", "counted", "speedscope", "perf-script"}) {
    // A name that ends like a number must not lose its end.
    for (const std::string other : {"make", "make (2)"}) {
      CAPTURE(format);
      CAPTURE(other);
      const Profile read = read_profile(written(merged(other), format), "in");
      std::map<std::string, std::uint64_t> values;
      for (const Row& row : read.rows()) {
        values[std::string(read.strings.view(read.process(row.process).name)).substr(0, 4)] += row.value;
        CHECK(read.process(row.process).tgid == 0);
        CHECK(row.tid == 0);
      }
      // Speedscope files have the time that samples stand for.
      const std::uint64_t each = read.total() / 15;
      CHECK(read.total() == 15 * each);
      CHECK((each == 1 || format == "speedscope"));
      CHECK(values == std::map<std::string, std::uint64_t>{{"cc1p", 6 * each}, {"make", 9 * each}});
    }
  }
}

TEST_CASE("the JSON reports of several intervals are added up") {
  Profile profile = test::fixed_profile();
  profile.account.taken += 3;
  profile.account.lost_ring_full = 3;
  const std::string one = written(profile, "json");
  const Profile read = read_profile(one + one, "a.json");
  CHECK(read.total() == 2 * profile.total());
  CHECK(read.account.is_known);
  CHECK(read.account.taken == 2 * profile.account.taken);
  CHECK(read.account.lost_ring_full == 6);
  profile.account.is_known = false;
  CHECK_FALSE(read_profile(one + written(profile, "json"), "a.json").account.is_known);
}

TEST_CASE("the perf script text of this program is read back unchanged") {
  for (const auto& [name, profile] : profiles()) {
    if (name == "lines" || name == "fixed") continue;  // below, only the total of "fixed"
    CAPTURE(name);
    const Profile read = read_profile(written(profile, "perf-script"), "a.perf");
    CHECK(folded(read) == folded(profile));
    CHECK(read.total() == profile.total());
    CHECK(read.run.unit == profile.run.unit);
  }
  const Profile fixed = test::fixed_profile();
  CHECK(read_profile(written(fixed, "perf-script"), "a.perf").total() == fixed.total());
}

TEST_CASE("counted text is read back unchanged, with and without its options") {
  for (const auto& [name, profile] : profiles()) {
    CAPTURE(name);
    for (const OutputOptions& options : {OutputOptions{}, OutputOptions{.delimited = true},
                                         OutputOptions{.delimited = true, .show_addresses = true}}) {
      const Profile read = read_profile(written(profile, "counted", options), "a.txt");
      CHECK(folded(read) == folded(profile));
      // A report without stacks does not name the unit.
      if (profile.total() != 0) CHECK(read.run.unit == profile.run.unit);
    }
  }
}

TEST_CASE("a speedscope file is read back with its stacks, in its own unit") {
  for (const auto& [name, profile] : profiles()) {
    CAPTURE(name);
    const std::string text = written(profile, "speedscope");
    const Profile read = read_profile(text, "a.speedscope.json");
    const std::uint64_t factor = profile.run.unit == Unit::samples ? 20408163 : 1;
    CHECK(read.total() == profile.total() * factor);
    CHECK(read.run.unit.word() == (factor == 1 ? profile.run.unit.word() : "nanoseconds"));
    CHECK(written(read, "speedscope").size() != 0);
    // No header gives the time another unit.
    if (factor != 1) CHECK(read.run.headline.empty());
  }
}

TEST_CASE("values that are no samples are not read as a number of samples") {
  Profile faults = test::profile_with_ends();
  faults.run.title = "Sampling page-faults every 2 events";
  faults.run.unit = faults.run.event = "page-faults";
  CHECK(read_profile(written(faults, "counted"), "a.txt").rows().back().samples ==
        read_profile(written(faults, "counted"), "a.txt").rows().back().value / 2);
  Profile waits = test::profile_with_ends();
  waits.run.title = "Tracing off-CPU time in microseconds";
  waits.run.event = "off-cpu";
  waits.run.unit = "microseconds";
  waits.run.counted = "waits";
  waits.run.frequency_hz = 0;
  for (const std::string_view format : {"counted", "speedscope"}) {
    CAPTURE(format);
    const Profile read = read_profile(written(waits, format), "a");
    CHECK_FALSE(read.knows_samples());
    CHECK(read.total() == waits.total());
    for (const Row& row : read.rows()) CHECK(row.samples == 0);
    const std::string svg = written(read, "svg");
    CHECK(svg.find("microseconds in ") == svg.npos);
    // Each stack is one event, and not each microsecond.
    const Profile events = read_profile(written(read, "perf-script"), "a.perf");
    CHECK(events.total() == waits.total());
    std::uint64_t count = 0;
    for (const Row& row : events.rows()) count += row.samples;
    CHECK(count == read.rows().size());
    // The ends of the stacks stay, also in formats that count them in samples.
    for (const std::string_view next : {"pprof", "json"}) {
      const Profile again = read_profile(written(read, next), "b");
      CHECK(folded(again, true) == folded(read, true));
      CHECK_FALSE(again.knows_samples());
    }
  }
  // Samples are still samples.
  const Profile ticks = read_profile(written(test::profile_with_ends(), "counted"), "a.txt");
  for (const Row& row : ticks.rows()) CHECK(row.samples == row.value);
}

TEST_CASE("a stream in JSON or perf script text is read as the profile of its samples") {
  const Profile profile = test::profile_with_ends();
  for (const std::string_view form : {"json", "perf-script"}) {
    CAPTURE(form);
    const auto stream = find_stream_form(form)->make({});
    std::string text;
    stream->begin(text, profile.run);
    for (const Row& row : profile.rows()) {
      for (std::uint64_t i = 0; i < row.value; ++i) {
        Sample sample{.row = row, .unix_ns = 1'700'000'000'000'000'000 + i, .cpu = 1};
        sample.row.tid = 301;
        sample.row.value = sample.row.samples = 1;
        stream->append(text, profile, sample);
      }
    }
    const Profile read = read_profile(text, "stream");
    CHECK(folded(read) == folded(profile));
    CHECK(read.total() == 20);
    CHECK(read.rows().front().tid == 301);
  }
}
