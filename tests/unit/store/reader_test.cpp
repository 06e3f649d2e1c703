// Tests what is asked of a store, and what is made of its answers, whatever they are.
#include "store/reader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "store/row_binary.h"
#include "support/error.h"

using namespace profile;

namespace {

constexpr std::int64_t now_s = 1'700'000'000;
constexpr std::uint32_t first_s = 1'699'999'000;

// A server with one service of two processes, which run main;leaf and main;[kernel] read, and a stack that nobody has
// sent.
struct FakeStore {
  std::string kinds, frames, stacks, samples;
  bool is_distributed = false;
  std::uint64_t stack_count = 2;  // that the store says it has
  std::size_t piece_bytes = 1000;
  std::vector<std::string> asked;
  std::vector<std::string> notes;
  std::uint64_t most_bytes = 0;  // that were allowed of any answer

  FakeStore() {
    add_kind("cpu-clock", "", "samples", 49, 12);
    add_frame(1, "end", "root");
    add_frame(2, "user", "main");
    add_frame(3, "user", "leaf");
    add_frame(4, "inlined", "tiny");
    add_frame(5, "kernel", "read");
    add_stack(10, {1, 2, 3, 4});
    add_stack(11, {1, 2, 5});
    add_sample(0, "one", 10, 49, 5);
    add_sample(0, "two", 10, 49, 3);
    add_sample(1, "one", 11, 49, 4);
  }
  void add_kind(const char* event, const char* title, const char* unit, std::uint32_t frequency_hz, std::uint64_t sum) {
    for (const char* const word : {event, title, unit}) append_text(kinds, word);
    append_number(kinds, frequency_hz);
    append_number(kinds, std::uint64_t{0});
    append_number(kinds, sum);
    append_number(kinds, first_s);
    append_number(kinds, first_s + 10);
    append_number(kinds, std::uint32_t{10'000});
  }
  void add_frame(std::uint64_t id, const char* kind, const char* name) {
    append_number(frames, id);
    append_text(frames, kind);
    append_text(frames, name);
    append_text(frames, "");
    const bool is_code = std::string(kind) == "user";
    append_text(frames, is_code ? "/usr/bin/shop" : "");
    append_text(frames, is_code ? "1f2e" : "");
    for (const std::uint64_t number : {0, 0, 0, 7, 0, 64}) append_number(frames, number);
    append_number(frames, std::uint8_t{1});
    append_text(frames, "");
    append_text(frames, "shop.c");
    append_number(frames, std::uint32_t{12});
  }
  void add_stack(std::uint64_t id, const std::vector<std::uint64_t>& path) {
    append_number(stacks, id);
    append_size(stacks, path.size());
    for (const std::uint64_t frame : path) append_number(stacks, frame);
  }
  void add_sample(std::uint32_t block, const char* process, std::uint64_t stack, std::uint32_t frequency_hz,
                  std::uint64_t value) {
    append_number(samples, block);
    append_text(samples, process);
    append_number(samples, stack);
    append_number(samples, frequency_hz);
    append_number(samples, std::uint64_t{0});
    append_number(samples, value);
    append_number(samples, value);
  }

  Profile read(const ReadRequest& request = {}, const OnStoredSample& on_sample = {}, std::int64_t at_s = now_s) {
    const AskStore ask = [this](const std::string& sql, std::uint64_t most, const auto& take) {
      asked.push_back(sql);
      most_bytes = std::max(most_bytes, most);
      std::string count;
      const bool is_of_tables = sql.find("system.tables") != std::string::npos;
      append_number(count, is_of_tables ? std::uint64_t{is_distributed ? 1U : 0U} : stack_count);
      const auto asks_for = [&](const char* begin) { return sql.starts_with(begin); };
      const std::string& answer = asks_for("SELECT count()") ? count
                                  : asks_for("SELECT event") ? kinds
                                  : asks_for("SELECT frame") ? frames
                                  : asks_for("SELECT stack") ? stacks
                                                             : samples;
      for (std::size_t at = 0; at < answer.size(); at += piece_bytes) take(answer.substr(at, piece_bytes));
    };
    return read_store(ask, "the store", request, on_sample, at_s,
                      [this](const std::string& line) { notes.push_back(line); });
  }
  std::string failure(const ReadRequest& request = {}) {
    try {
      static_cast<void>(read(request));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

ReadRequest asking(const std::function<void(ReadRequest&)>& set) {
  ReadRequest request;
  set(request);
  return request;
}

std::string name_of(const Profile& profile, StackId stack, std::size_t index) {
  return std::string(profile.strings.view(profile.frame(profile.stack(stack)[index]).symbol));
}

}  // namespace

TEST_CASE("a store gives the rows that a file gives, whatever the pieces of its answers") {
  for (const std::size_t piece_bytes : {1, 7, 1000}) {
    CAPTURE(piece_bytes);
    FakeStore store;
    store.piece_bytes = piece_bytes;
    const Profile profile = store.read();
    REQUIRE(profile.rows().size() == 3);
    CHECK(profile.total() == 12);
    CHECK(profile.run.event == "cpu-clock");
    CHECK(profile.run.unit == Unit::samples);
    CHECK(profile.run.frequency_hz == 49);
    CHECK(profile.duration_ns == 20'000'000'000);
    CHECK(profile.began_unix_ns == first_s * std::uint64_t{1'000'000'000});
    CHECK_FALSE(profile.account.is_known);
    const Row& row = profile.rows()[0];
    CHECK(profile.strings.view(profile.process(row.process).name) == "one");
    CHECK(profile.end_of(row.user) == StackEnd::root);
    REQUIRE(profile.stack(row.user).size() == 2);
    CHECK(name_of(profile, row.user, 0) == "leaf");
    const Frame& leaf = profile.frame(profile.stack(row.user)[0]);
    CHECK(profile.strings.view(leaf.module) == "shop");
    CHECK(leaf.binary_address.value == 64);
    const SourceLocation source = profile.source(leaf.source);
    CHECK(source.at.line == 12);
    REQUIRE(source.inlined.size() == 1);
    CHECK(profile.strings.view(source.inlined[0].symbol) == "tiny");
    const Row& in_kernel = profile.rows()[2];
    CHECK(name_of(profile, in_kernel.kernel, 0) == "read");
    CHECK(store.notes.empty());
  }
}

TEST_CASE("ticks are told in the order of time") {
  FakeStore store;
  std::vector<std::uint64_t> seconds;
  const Profile profile = store.read({}, [&](Profile& sum, const Sample& sample) {
    sum.add(sample.row);
    seconds.push_back((sample.unix_ns - sum.began_unix_ns) / 1'000'000'000);
  });
  CHECK(seconds == std::vector<std::uint64_t>{0, 0, 10});
  CHECK(profile.tick_ns == 10'000'000'000);
  CHECK(profile.total() == 12);
  CHECK(store.asked[2].find("intDiv(toUInt32(time) - 1699999000, 10)") != std::string::npos);
  CHECK(store.asked[2].find(" ORDER BY block FORMAT RowBinary") != std::string::npos);
}

TEST_CASE("samples of different rates are what they are worth") {
  FakeStore store;
  store.add_kind("cpu-clock", "", "samples", 100, 2);
  store.add_sample(0, "one", 10, 100, 2);
  const Profile profile = store.read();
  CHECK(profile.run.unit == Unit::nanoseconds);
  CHECK(profile.total() == 12 * std::uint64_t{20'408'163} + 2 * std::uint64_t{10'000'000});
  CHECK(profile.rows().size() == 3);
}

TEST_CASE("the event is the one asked for, or the CPU's") {
  FakeStore store;
  store.kinds.clear();
  store.add_kind("off-cpu", "Tracing off-CPU time in microseconds", "microseconds", 0, 900);
  store.add_kind("cpu-clock", "", "samples", 49, 12);
  CHECK(store.read().run.event == "cpu-clock");
  const Profile waits = store.read(asking([](ReadRequest& to) { to.event = "off-cpu"; }));
  CHECK(waits.run.counted == "waits");
  CHECK(waits.run.unit == Unit::microseconds);
  CHECK(store.failure(asking([](ReadRequest& to) { to.event = "x'y"; })) ==
        "the store: it has samples of off-cpu, cpu-clock, not of x'y");
  store.add_kind("cpu", "", "samples", 49, 1);
  CHECK(store.failure(asking([](ReadRequest& to) { to.event = "x"; })) ==
        "the store: it has samples of off-cpu, cpu-clock, cpu, not of x");
  store.kinds.clear();
  CHECK(store.failure() == "the store: it has no samples of what is asked for");
}

TEST_CASE("what is typed is text in the SQL, and never more") {
  FakeStore store;
  ReadRequest request;
  request.service = "shop' OR 1 = 1 --";
  request.host = "web-*";
  request.version = "1f_\\";
  request.names = {"a'", "b%*"};
  static_cast<void>(store.read(request));
  for (const std::string& sql : store.asked) {
    if (sql.find("system.tables") != std::string::npos) continue;
    CHECK(sql.find("service = 'shop\\' OR 1 = 1 --'") != std::string::npos);
    if (sql.find("FROM samples") == std::string::npos) continue;
    CHECK(sql.find(" AND host LIKE 'web-%'") != std::string::npos);
    CHECK(sql.find(" AND version LIKE '1f\\\\_\\\\\\\\%'") != std::string::npos);
    CHECK(sql.find(" AND (process = 'a\\'' OR process LIKE 'b\\\\%%')") != std::string::npos);
    // What was found first is what is read, whatever comes meanwhile.
    const bool is_first = sql.starts_with("SELECT event");
    CHECK(sql.find(is_first ? "time >= toDateTime(1699996401) AND time < toDateTime(1700000001)"
                            : "time >= toDateTime(1699999000) AND time < toDateTime(1699999011)") != std::string::npos);
  }
  CHECK(sql_matches("host", "a*b") == "host LIKE 'a%b'");
}

TEST_CASE("a cluster is read through its Distributed tables") {
  FakeStore store;
  store.is_distributed = true;
  store.stack_count = 1'000'000;
  static_cast<void>(store.read());
  for (std::size_t i = 1; i < store.asked.size(); ++i) {
    CHECK(store.asked[i].find(" FROM all_") != std::string::npos);
    CHECK(store.asked[i].find(" FROM samples") == std::string::npos);
    const std::size_t in = store.asked[i].find(" IN (");
    if (in != std::string::npos) CHECK(store.asked[i].substr(in - 7, 7) == " GLOBAL");
  }
  const auto chooses = [](const std::string& sql) { return sql.find(" IN (") != std::string::npos; };
  CHECK(std::ranges::count_if(store.asked, chooses) == 2);
}

TEST_CASE("of many stacks, those are read that the samples have") {
  const auto chooses = [](const std::string& sql) { return sql.find(" IN (") != std::string::npos; };
  FakeStore store;
  store.stack_count = 50'000;
  static_cast<void>(store.read());
  CHECK(std::ranges::none_of(store.asked, chooses));
  store.asked.clear();
  store.stack_count = 50'001;
  CHECK(store.read().total() == 12);
  CHECK(store.asked[4].find(" AND frame IN (SELECT arrayJoin(frames) FROM stacks WHERE day >= ") != std::string::npos);
  CHECK(store.asked[5].find(" AND stack IN (SELECT stack FROM samples WHERE time >= ") != std::string::npos);
}

TEST_CASE("a store cannot answer what it does not keep") {
  FakeStore store;
  CHECK(store.failure(asking([](ReadRequest& to) { to.from_s = 5; })).find("a store has no first second") !=
        std::string::npos);
  CHECK(store.failure(asking([](ReadRequest& to) { to.tgids = {1}; }))
            .find("a store does not tell processes by number") != std::string::npos);
  CHECK(store.failure(asking([](ReadRequest& to) { to.cgroup = "/x"; })).find("cgroups") != std::string::npos);
  CHECK(store.failure(asking([](ReadRequest& to) {
    to.from_s = now_s;
    to.to_s = now_s - 9;
    to.from_clock = to.to_clock = ClockKind::since_1970;
  })) == "the store: the part that is asked for ends before it begins");
}

TEST_CASE("times of the day are the last ones, and midnight may be between them") {
  // What is asked for at `now`, in seconds since a midnight.
  const auto part = [](double from, double to, std::int64_t now) {
    constexpr std::int64_t midnight_s = 1'700'006'400;
    FakeStore store;
    static_cast<void>(store.read(asking([&](ReadRequest& request) {
                                   request.from_s = from * 3600;
                                   request.to_s = to * 3600;
                                   request.from_clock = request.to_clock = ClockKind::of_day;
                                 }),
                                 {}, midnight_s + now));
    const std::string& sql = store.asked[1];
    const auto hours = [&](const char* before) {
      const std::int64_t time_s = std::stoll(sql.substr(sql.find(before) + std::string(before).size()));
      return static_cast<double>(time_s - midnight_s) / 3600;
    };
    return std::pair(hours("time >= toDateTime("), hours("time < toDateTime("));
  };
  const char* const zone = std::getenv("TZ");
  const std::string before = zone == nullptr ? "" : zone;
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  CHECK(part(23, 1, 2 * 3600) == std::pair(-1.0, 1.0));
  CHECK(part(23, 1, 1800) == std::pair(-1.0, 1.0));
  CHECK(part(14, 15, 14 * 3600 + 1800) == std::pair(14.0, 15.0));
  CHECK(part(14, 15, 13 * 3600) == std::pair(-10.0, -9.0));
  zone == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", before.c_str(), 1);
  ::tzset();
}

TEST_CASE("a store with a flood of names of processes is refused") {
  FakeStore store;
  for (std::uint32_t i = 0; i <= 1U << 18; ++i) store.add_sample(0, std::to_string(i).c_str(), 10, 49, 1);
  store.piece_bytes = std::size_t{1} << 16;
  CHECK(store.failure() == "the store: it has too many names of processes");
}

TEST_CASE("stacks of more frames than fit into memory are refused") {
  // Few bytes of an answer: one deep stack of many processes.
  constexpr std::uint64_t depth = 16'384;
  FakeStore store;
  std::vector<std::uint64_t> path;
  for (std::uint64_t frame = 100; frame < 100 + depth; ++frame) {
    store.add_frame(frame, "user", ("f" + std::to_string(frame)).c_str());
    path.push_back(frame);
  }
  store.add_stack(12, path);
  for (int i = 0; i < 300; ++i) store.add_sample(0, std::to_string(i).c_str(), 12, 49, 1);
  store.piece_bytes = std::size_t{1} << 16;
  CHECK(store.failure() ==
        "the store: its stacks have more frames than fit into memory; --from, --to and --service choose a part");
  path.push_back(1);
  FakeStore deeper;
  deeper.add_stack(13, path);
  CHECK(deeper.failure() == "the store: what it answers makes no sense");
}

TEST_CASE("a stack that is not there is missed, and told") {
  FakeStore store;
  store.add_sample(1, "one", 12, 49, 6);
  store.add_stack(12, {1, 2, 99});
  const Profile profile = store.read();
  CHECK(profile.total() == 18);
  CHECK(std::ranges::any_of(profile.rows(),
                            [](const Row& row) { return row.user == StackId::missed && row.value == 6; }));
  CHECK(store.notes == std::vector<std::string>{"the store: 6 samples have a stack that the store does not have"});
}

TEST_CASE("an answer that is cut off or makes no sense is an error, and never more") {
  const FakeStore whole;
  for (std::string FakeStore::*const part :
       {&FakeStore::kinds, &FakeStore::frames, &FakeStore::stacks, &FakeStore::samples}) {
    for (std::size_t bytes = 1; bytes < (whole.*part).size(); bytes += 3) {
      FakeStore store;
      (store.*part).resize(bytes);
      const std::string why = store.failure();
      // At the end of a row it is another answer.
      if (!why.empty()) CHECK(why.starts_with("the store: "));
    }
    FakeStore store;
    (store.*part) = "Code: 241, e.displayText() = DB::Exception: Memory limit exceeded, e.what() = DB::Exception";
    CHECK(store.failure() == "the store: Memory limit exceeded");
    FakeStore later;
    (later.*part) += "Code: 241, e.displayText() = DB::Exception: Memory limit exceeded, e.what() = DB::Exception";
    CHECK(later.failure() == "the store: Memory limit exceeded");
    CHECK(store.most_bytes <= std::uint64_t{1} << 28);
  }
  std::minstd_rand random(7);
  for (int round = 0; round < 300; ++round) {
    FakeStore store;
    for (std::string FakeStore::*const part :
         {&FakeStore::kinds, &FakeStore::frames, &FakeStore::stacks, &FakeStore::samples}) {
      for (int i = 0; i < 3; ++i) (store.*part)[random() % (store.*part).size()] = static_cast<char>(random());
    }
    const std::string why = store.failure();
    if (!why.empty()) CHECK(why.starts_with("the store: "));
  }
}
