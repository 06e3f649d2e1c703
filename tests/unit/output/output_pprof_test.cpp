// Tests pprof's format, read back: totals, labels, and names of any bytes.
// A reader that has the files must also find the names that this profiler did not find.
#include "pprof_reader.h"
#include "support/error.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "input/profile_reader.h"
#include "output/clean_text.h"

using namespace profile;
using test::PprofProfile;
using test::read_pprof;

namespace {

void check_golden(const Profile& profile, const std::string& file) {
  std::ifstream in(PROFILE_TEST_DATA "/" + file, std::ios::binary);
  REQUIRE_MESSAGE(in.good(), file);
  const std::string expected{std::istreambuf_iterator<char>(in), {}};
  CHECK_MESSAGE(test::dumped(read_pprof(profile)) == expected, file);
}

std::uint64_t samples_of(const Profile& profile) {
  std::uint64_t sum = 0;
  for (const Row& row : profile.rows()) sum += row.samples;
  return sum;
}

std::string bytes_of(const Profile& profile) {
  std::ostringstream out;
  find_output_format("pprof")->make({}).report(out, profile);
  return out.str();
}

const PprofProfile::Mapping& mapping_named(const PprofProfile& read, const std::string& file) {
  const auto found = std::find_if(read.mappings.begin(), read.mappings.end(),
                                  [&](const auto& mapping) { return mapping.second.file == file; });
  REQUIRE_MESSAGE(found != read.mappings.end(), file);
  return found->second;
}

}  // namespace

TEST_CASE("the pprof files of the fixed profiles equal the golden files") {
  check_golden(test::fixed_profile(), "default.pprof");
  check_golden(test::profile_with_lines(), "lines.pprof");
  check_golden(test::wall_profile(), "wall.pprof");
}

TEST_CASE("the totals of a pprof file equal those of other formats, in samples and in values") {
  for (const Profile& profile : {test::wall_profile(), test::waits_profile()}) {
    const PprofProfile read = read_pprof(profile);
    REQUIRE(read.types.size() == 2);
    CHECK(read.total(0) == static_cast<std::int64_t>(samples_of(profile)));
    CHECK(read.total(1) == static_cast<std::int64_t>(profile.total()));
    CHECK(read.samples.size() == profile.rows().size());
  }
  const PprofProfile read = read_pprof(test::fixed_profile());
  CHECK(read.total(0) == 92);
  CHECK(read.total(1) == 92 * read.period);
}

TEST_CASE("each unit has its pprof types, period and default type") {
  using Types = std::vector<PprofProfile::ValueType>;
  Profile profile = test::fixed_profile();
  const auto check = [&](const Types& types, const PprofProfile::ValueType& period_type, std::int64_t period) {
    const PprofProfile read = read_pprof(profile);
    CHECK(read.types == types);
    CHECK(read.period_type == period_type);
    CHECK(read.period == period);
    CHECK(read.default_type == types.back().first);
  };
  const PprofProfile::ValueType cpu{"cpu", "nanoseconds"};
  check({{"samples", "count"}, cpu}, cpu, 20'408'163);
  profile.run.frequency_hz = 0;
  check({{"samples", "count"}}, {}, 0);
  profile.run.period_events = 1'000'000;  // a clock counts nanoseconds
  check({{"samples", "count"}, cpu}, cpu, 1'000'000);

  profile.run.unit = profile.run.event = "page-faults";
  check({{"samples", "count"}, {"page_faults", "count"}}, {"page_faults", "count"}, 1'000'000);
  profile.run.period_events = 0;
  profile.run.frequency_hz = 99;
  check({{"samples", "count"}, {"page_faults", "count"}}, {"page_faults", "count"}, 0);
  profile.run.event = "uprobe:libc:malloc";
  profile.run.unit = "hits";
  profile.run.frequency_hz = 0;
  check({{"samples", "count"}, {"hits", "count"}}, {"hits", "count"}, 1);
  profile.run.event = "syscalls";
  profile.run.unit = profile.run.counted = "calls";
  check({{"calls", "count"}}, {"calls", "count"}, 1);
  profile.run.counted = "samples";
  profile.run.event = "malloc";
  profile.run.unit = "bytes";
  check({{"samples", "count"}, {"malloc", "bytes"}}, {"malloc", "bytes"}, 1);
  profile.run.event = "off-cpu";
  profile.run.unit = "microseconds";
  check({{"samples", "count"}, {"off_cpu", "microseconds"}}, {"off_cpu", "microseconds"}, 1);
  profile.run.event = "wall";
  profile.run.frequency_hz = 100;
  check({{"samples", "count"}, {"wall", "microseconds"}}, {"wall", "microseconds"}, 10'000);
}

TEST_CASE("an unnamed frame keeps its file and address in pprof, and a kernel frame keeps its text") {
  const PprofProfile read = read_pprof(test::fixed_profile());
  const auto in_dd = std::find_if(read.locations.begin(), read.locations.end(),
                                  [](const auto& location) { return location.second.address == 0x1234; });
  REQUIRE(in_dd != read.locations.end());
  CHECK(in_dd->second.lines.empty());
  CHECK(read.mappings.at(in_dd->second.mapping).file == "dd");
  CHECK(mapping_named(read, "dd").knows == "functions");
  CHECK(mapping_named(read, "gone.so").knows.empty());
  CHECK(mapping_named(read, "[bpf]").knows == "functions");
  bool has_hidden = false;
  for (const auto& [id, function] : read.functions) has_hidden |= function.name == "[bpf+0x40]";
  CHECK(has_hidden);
}

TEST_CASE("a return address is written to pprof as an address inside the call") {
  Profile profile;
  const ProcessId process = profile.process(1, 0, "x");
  const StackId stack = profile.stack_of(process, FrameKind::user, std::vector<std::uint64_t>{0x1000, 0x2000});
  test::Namer name(profile);
  name.user(process, 0x1000, "leaf", "x", 0);
  name.unnamed(profile.stack(stack)[1], Unnamed::no_symbol, "x", 0x500);
  profile.add({.process = process, .user = stack, .value = 1, .samples = 1});
  const PprofProfile read = read_pprof(profile);
  CHECK(read.locations.at(read.samples[0].locations[0]).address == 0x1000);
  CHECK(read.locations.at(read.samples[0].locations[1]).address == 0x4ff);
}

TEST_CASE("two files with the same address range have separate ranges in pprof, and are read back unchanged") {
  Profile profile;
  profile.account.taken = profile.account.recorded = 6;
  const ProcessId process = profile.process(1, 0, "x");
  const auto add = [&](const char* file, std::uint64_t runs_at, const CodeSegment& code, std::uint64_t value = 1) {
    const FrameId id = profile.frame(process, FrameKind::user, {runs_at});
    Frame& frame = profile.frames()[static_cast<std::size_t>(id)];
    frame.unnamed = Unnamed::no_symbol;
    frame.module = profile.strings.intern(file);
    frame.offset = 0x1234;
    frame.binary = profile.binary({.path = frame.module, .code = code});
    frame.binary_address = {0x1234};
    profile.add({.process = process, .user = profile.stack(std::vector{id}), .value = value, .samples = value});
  };
  const CodeSegment code{.start = {0x1000}, .limit = {0x3000}, .offset = {0x800}};
  add("first", 0x10234, code);
  add("second", 0x20234, code, 3);
  add("far", 0x30234, {.start = {0x1000}, .limit = {1ULL << 50}, .offset = {0}});
  add("unknown", 0x40234, {});

  const PprofProfile read = read_pprof(profile);
  std::vector<std::uint64_t> starts;
  for (const char* const file : {"first", "second"}) {
    const PprofProfile::Mapping& mapping = mapping_named(read, file);
    CHECK(mapping.limit - mapping.start == 0x2000);
    CHECK(mapping.offset == 0x800);
    CHECK(mapping.start % (1ULL << 47) == 0x1000);
    starts.push_back(mapping.start);
  }
  // The heavier mapping keeps the address of its file, because `go tool pprof` disassembles there.
  CHECK(starts[1] == 0x1000);
  CHECK(starts[0] > 1ULL << 47);
  CHECK(mapping_named(read, "far").start == 0x1000);
  CHECK(mapping_named(read, "unknown").limit == 0);
  for (const auto& [id, location] : read.locations) {
    const PprofProfile::Mapping& mapping = read.mappings.at(location.mapping);
    CHECK(location.address == mapping.start + (mapping.limit == 0 ? 0x1234 : 0x234));
  }

  CHECK(read.comments.back() == "out of the way of others by multiples of 0x800000000000: 0x800000001000");

  // In a profile made from several files, it may be unknown where each sample went.
  for (const bool is_known : {true, false}) {
    profile.account.is_known = is_known;
    const Profile again = read_profile(bytes_of(profile), "again");
    REQUIRE(again.frames().size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      const Frame& frame = again.frames()[i];
      const Frame& before = profile.frames()[i];
      if (is_known) CHECK(frame.offset == 0x1234);
      if (again.binary(frame.binary).code.is_known()) CHECK(frame.binary_address == before.binary_address);
      CHECK(again.binary(frame.binary).code == profile.binary(before.binary).code);
    }
    CHECK(bytes_of(read_profile(bytes_of(again), "third")) == bytes_of(again));
  }
}

TEST_CASE("names of any bytes become valid text in pprof, and names that become equal are one") {
  Profile profile;
  test::Namer name(profile);
  const ProcessId process = profile.process(1, 0, "a\"b\\c\x1f");
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  const std::vector frames{name.user(process, 1, every, "\xff\"mod", 0), name.user(process, 2, "x\x01", "m;", 0),
                           name.user(process, 3, "x\x02", "m;", 0),
                           name.user(process, 4, "</script>\xe2\x80\xa8;", "m;", 0)};
  profile.add({.process = process, .user = profile.stack(frames), .value = 1, .samples = 1});
  const PprofProfile read = read_pprof(profile);
  const auto shown = read.frames(read.samples[0]);
  REQUIRE(shown.size() == 4);
  CHECK(shown[0].size() == 256);
  CHECK(shown[1] == "x?");
  CHECK(shown[2] == "x?");
  CHECK(shown[3] == "</script>?;");
  CHECK(read.functions.size() == 3);
  CHECK(read.label(read.samples[0], "process") == "a\"b\\c?");
  CHECK(read.label(read.samples[0], "thread") == "[unknown]");
  for (const std::string& text : read.texts) CHECK(text == clean_text(text));
}

TEST_CASE("pprof labels separate processes and threads, with ids as numbers") {
  const PprofProfile read = read_pprof(test::wall_profile());
  for (const auto& sample : read.samples) {
    CHECK(read.label(sample, "process") == "dd");
    CHECK(read.label(sample, "pid") == "185");
    CHECK(read.label(sample, "thread") == "dd");
    CHECK(read.label(sample, "tid") == "186");
    for (const auto& label : sample.labels) CHECK(label.is_number == (label.key == "pid" || label.key == "tid"));
  }
  const PprofProfile without = read_pprof(test::fixed_profile());
  CHECK(without.label(without.samples[0], "tid").empty());
}

TEST_CASE("the pprof comments have the account and the description of the run") {
  Profile profile = test::wall_profile();
  profile.account.taken += 5;
  profile.account.lost_ring_full = 2;
  profile.account.lost_unread = 3;
  const PprofProfile read = read_pprof(profile);
  REQUIRE(read.comments.size() == 5);
  CHECK(read.comments[0].starts_with("Measuring time on and off the CPU in microseconds of PID [185]"));
  CHECK(read.comments[1] == "155 samples taken: 146 recorded, 0 idle, 4 filtered, 5 lost");
  CHECK(read.comments[2] == "2 lost: ring buffer full");
  CHECK(read.comments[3] == "3 lost: not found in the maps");
  CHECK(read.comments[4] == "process 185: wall, user and kernel stacks, 49 Hz, 5 s");
}

TEST_CASE("the pprof comments have the reasons for incomplete stacks, and no frame is invented for them") {
  const Profile profile = test::profile_with_ends();
  const PprofProfile read = read_pprof(profile);
  REQUIRE(read.comments.size() == 6);
  CHECK(read.comments[1] == "20 samples taken: 20 recorded, 0 idle, 0 filtered, 0 lost");
  CHECK(read.comments[2] == "10 user stacks whole");
  CHECK(read.comments[3] == "3 user stacks incomplete: deeper than is taken");
  CHECK(read.comments[4] == "4 user stacks incomplete: no unwind table and no frame pointer");
  CHECK(std::none_of(read.texts.begin(), read.texts.end(),
                     [](const std::string& text) { return text.starts_with("[incomplete"); }));
}

TEST_CASE("a pprof file of an empty profile can be read") {
  const PprofProfile read = read_pprof(Profile());
  CHECK(read.samples.empty());
  CHECK(read.types.size() == 2);
}

TEST_CASE("the largest pprof numbers are kept, and larger numbers are refused") {
  constexpr std::uint64_t largest = INT64_MAX;
  const auto of = [](std::uint64_t value, const char* unit) {
    Profile profile;
    profile.run.unit = unit;
    profile.add({.process = profile.process(1, 0, "x"), .value = value, .samples = value});
    return profile;
  };
  const Profile most = of(largest, "bytes");
  CHECK(read_pprof(most).samples[0].values == std::vector<std::int64_t>{INT64_MAX, INT64_MAX});
  CHECK(bytes_of(most) == bytes_of(most));
  CHECK_THROWS_AS(bytes_of(of(largest + 1, "bytes")), Error);
  // Each sample counts as 1/49 s in nanoseconds, so the sum does not fit.
  CHECK_THROWS_AS(bytes_of(of(largest, "samples")), Error);
}

TEST_CASE("memory addresses are left out of pprof on request, and file addresses stay") {
  const PprofProfile hidden = read_pprof(test::fixed_profile(), {.hide_addresses = true});
  const PprofProfile shown = read_pprof(test::fixed_profile());
  REQUIRE(hidden.locations.size() == shown.locations.size());
  std::size_t of_kernel = 0;
  for (const auto& [id, location] : shown.locations) {
    const bool is_of_kernel = location.address >= 0xffff'0000'0000'0000;
    if (is_of_kernel) CHECK(hidden.locations.at(id).address == 0);
    of_kernel += is_of_kernel ? 1 : 0;
  }
  CHECK(of_kernel > 3);
}

TEST_CASE("a pprof file with 100,000 stacks is read back whole") {
  Profile profile;
  const ProcessId process = profile.process(1, 0, "many");
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    std::vector<std::uint64_t> addresses(30, 0x1000);
    for (std::size_t depth = 0; depth < 8; ++depth) addresses[depth] = 0x1000 + ((i >> depth) % 4096) * 16;
    addresses[8] = 0x100000 + i / 64;
    profile.add(
        {.process = process, .user = profile.stack_of(process, FrameKind::user, addresses), .value = i, .samples = 1});
  }
  test::Namer name(profile);
  for (std::size_t i = 0; i < profile.frames().size(); ++i) {
    name.unnamed(static_cast<FrameId>(i), Unnamed::no_symbol, "many", i);
  }
  profile.run.unit = "bytes";
  const PprofProfile read = read_pprof(profile);
  CHECK(read.total(1) == static_cast<std::int64_t>(profile.total()));
  CHECK(read.samples.size() == profile.rows().size());
  CHECK(read.samples.size() > 90'000);
  CHECK(read.samples.back().locations.size() == 30);
}
