// Tests the history of the live view as the page reads it. A snapshot and the ticks behind it must give the sums of the
// data that was fed in, also when stacks were folded.
#include <doctest/doctest.h>
#include <malloc.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "web/history.h"
#include "web_profile.h"

using namespace profile;
using test::live_tick;
using test::LiveStack;

namespace {

// The state of the page.
class Page {
 public:
  // A snapshot replaces everything that was read before.
  void read(const std::string& text, bool is_snapshot) {
    rapidjson::Document json;
    json.Parse(text.c_str(), text.size());
    REQUIRE_FALSE(json.HasParseError());
    CHECK(text.find('\n') == std::string::npos);
    if (is_snapshot) *this = Page();
    if (!is_snapshot) REQUIRE(json["table_version"].GetUint64() == table_version_);
    table_version_ = json["table_version"].GetUint64();
    append_table(json);
    folded = json["folded"].GetUint64();
    if (!is_snapshot) {
      add_cells(json["cells"], total);
      ticks.emplace_back(json["t"].GetUint64(), std::map<std::string, std::uint64_t>());
      add_cells(json["cells"], ticks.back().second);
      return;
    }
    add_cells(json["total"], total);
    for (const auto& tick : json["ticks"].GetArray()) {
      ticks.emplace_back(tick["t"].GetUint64(), std::map<std::string, std::uint64_t>());
      add_cells(tick["cells"], ticks.back().second);
    }
  }

  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t all = 0;
    for (const auto& [stack, value] : total) all += value;
    return all;
  }
  [[nodiscard]] std::size_t nodes() const { return nodes_.size(); }

  std::map<std::string, std::uint64_t> total;  // by "dd 185;f3;f2;f1"
  std::vector<std::pair<std::uint64_t, std::map<std::string, std::uint64_t>>> ticks;
  std::uint64_t folded = 0;

 private:
  template <class Json>
  void append_table(const Json& json) {
    for (const auto& text : json["strings"].GetArray()) strings_.emplace_back(text.GetString(), text.GetStringLength());
    for (const auto& name : json["frames"]["name"].GetArray()) frames_.push_back(strings_.at(name.GetUint()));
    const auto& owners = json["owners"];
    for (unsigned i = 0; i < owners["pid"].Size(); ++i) {
      owners_.push_back(strings_.at(owners["process"][i].GetUint()) + ' ' + std::to_string(owners["pid"][i].GetUint()));
    }
    const auto& nodes = json["nodes"];
    for (unsigned i = 0; i < nodes["parent"].Size(); ++i) {
      const int parent = nodes["parent"][i].GetInt();
      REQUIRE(parent < static_cast<int>(nodes_.size()));
      nodes_.push_back((parent < 0 ? "" : nodes_[static_cast<std::size_t>(parent)]) + ';' +
                       frames_.at(nodes["frame"][i].GetUint()));
    }
  }
  template <class Json>
  void add_cells(const Json& cells, std::map<std::string, std::uint64_t>& to) {
    for (unsigned i = 0; i < cells["value"].Size(); ++i) {
      const int node = cells["node"][i].GetInt();
      to[owners_.at(cells["owner"][i].GetUint()) + (node < 0 ? "" : nodes_.at(static_cast<std::size_t>(node)))] +=
          cells["value"][i].GetUint64();
    }
  }

  std::uint64_t table_version_ = 0;
  std::vector<std::string> strings_;
  std::vector<std::string> frames_;
  std::vector<std::string> owners_;
  std::vector<std::string> nodes_;
};

LiveHistory make_history(const FlameHistory::Limits& limits = {}) { return {RunInfo{}, 1'000'000'000, 0, limits}; }

}  // namespace

TEST_CASE("a snapshot and its following ticks give the added stacks") {
  LiveHistory history = make_history();
  history.add(*live_tick(100, {{{1, 2, 3}, 5}, {{2, 3}, 7}}), {});
  Page early;
  early.read(history.snapshot(1), true);
  Page latest;
  const std::vector<std::vector<LiveStack>> fed = {
      {{{1, 2, 3}, 2}, {{4, 3}, 1}}, {}, {{{}, 9}, {{1, 2, 3}, 1, 186}}, {{{4, 3}, 3}, {{5, 4, 3}, 4}}};
  std::uint64_t second = 100;
  for (const auto& stacks : fed) {
    early.read(history.add(*live_tick(++second, stacks), {.taken = second}), false);
  }
  latest.read(history.snapshot(1), true);
  const std::map<std::string, std::uint64_t> expected = {{"dd 185;f3;f2;f1", 7}, {"dd 185;f3;f2", 7},
                                                         {"dd 185;f3;f4", 4},    {"dd 185", 9},
                                                         {"dd 186;f3;f2;f1", 1}, {"dd 185;f3;f4;f5", 4}};
  CHECK(early.total == expected);
  CHECK(latest.total == expected);
  CHECK(early.ticks == latest.ticks);
  REQUIRE(latest.ticks.size() == 5);
  CHECK(latest.ticks[1].second == std::map<std::string, std::uint64_t>{{"dd 185;f3;f2;f1", 2}, {"dd 185;f3;f4", 1}});
  CHECK(latest.ticks[4].first == 104'000);
}

TEST_CASE("a tick without new stacks has no new rows of the table") {
  LiveHistory history = make_history();
  const std::string first = history.add(*live_tick(100, {{{1, 2, 3}, 5}}), {});
  const std::string second = history.add(*live_tick(101, {{{1, 2, 3}, 5}}), {});
  CHECK(first.find("f3") != std::string::npos);
  CHECK(second.find("f3") == std::string::npos);
  CHECK(second.find(R"("strings":[])") != std::string::npos);
}

TEST_CASE("a state takes the place of the ticks before it") {
  LiveHistory history = make_history();
  std::uint64_t second = 100;
  for (const std::uint64_t in_use : {500, 800, 300}) {
    const auto tick = live_tick(++second, {{{1, 3}, in_use}, {{2, 3}, 7}});
    tick->run.is_state = true;
    history.add(*tick, {});
  }
  Page page;
  page.read(history.snapshot(1), true);
  CHECK(page.total == std::map<std::string, std::uint64_t>{{"dd 185;f3;f1", 300}, {"dd 185;f3;f2", 7}});
  CHECK(page.ticks.size() == 1);
}

TEST_CASE("the window forgets old ticks, and the total keeps them") {
  LiveHistory history = make_history({.window_s = 10});
  for (std::uint64_t second = 100; second < 150; ++second) history.add(*live_tick(second, {{{1}, 1}}), {});
  Page page;
  page.read(history.snapshot(1), true);
  CHECK(page.ticks.size() == 10);
  CHECK(page.ticks.front().first == 140'000);
  CHECK(page.sum() == 50);
}

TEST_CASE("a change of the wall clock moves no tick, no window and no duration") {
  constexpr std::uint64_t s = 1'000'000'000;
  constexpr std::uint64_t hour = 3600;
  constexpr std::uint64_t offset_s = 1'700'000'000;
  LiveHistory history(RunInfo{}, 99 * s, offset_s * s, {.window_s = 10});
  Page page;
  page.read(history.snapshot(99 * s), true);
  for (std::uint64_t second = 100; second < 160; ++second) {
    const auto tick = live_tick(second, {{{1}, 1}});
    tick->began_unix_ns += offset_s * s;
    if (second >= 115) tick->began_unix_ns -= hour * s;
    if (second >= 140) tick->began_unix_ns += 2 * hour * s;
    page.read(history.add(*tick, {}), false);
    REQUIRE(page.ticks.back().first == (offset_s + second) * 1000);
    REQUIRE(history.stacks().ticks().size() == std::min<std::size_t>(second - 99, 10));
  }
  rapidjson::Document json;
  json.Parse(history.snapshot(160 * s).c_str());
  CHECK(json["now_unix_ms"].GetUint64() == (offset_s + 160) * 1000);
  CHECK(json["run"]["began_unix_ms"].GetUint64() == (offset_s + 99) * 1000);
  CHECK(json["run"]["duration_s"].GetDouble() == 60);
  CHECK(json["ticks"][0]["t"].GetUint64() == (offset_s + 150) * 1000);
}

TEST_CASE("the window is shorter if its ticks are large") {
  LiveHistory history = make_history({.window_cells = 100});
  std::vector<LiveStack> stacks;
  for (int i = 0; i < 40; ++i) stacks.push_back({.leaf_first = {i}});
  for (std::uint64_t second = 100; second < 110; ++second) history.add(*live_tick(second, stacks), {});
  CHECK(history.stacks().ticks().size() == 2);
}

TEST_CASE("folding keeps the sums, recent stacks and large stacks") {
  LiveHistory history = make_history({.window_s = 5, .nodes = 200});
  Page page;
  page.read(history.snapshot(1), true);
  std::uint64_t fed = 0;
  int resets = 0;
  const std::uint64_t first_version = history.table_version();
  for (int i = 0; i < 1000; ++i) {
    // One stack in every tick, a large one in the first tick, and a new small one in each tick.
    std::vector<LiveStack> stacks = {{{1, 2}, 3}, {{1000 + i, 3, 2}, 1}};
    if (i == 0) stacks.push_back({{7, 8}, 5000});
    for (const LiveStack& stack : stacks) fed += stack.value;
    const std::string text = history.add(*live_tick(100 + static_cast<std::uint64_t>(i), stacks), {});
    if (text.empty()) {
      ++resets;
      page.read(history.snapshot(1), true);
      CHECK(page.nodes() <= 100);
    } else {
      page.read(text, false);
    }
    REQUIRE(page.sum() == fed);
    REQUIRE(page.total.at("dd 185;f2;f1") == 3 * static_cast<std::uint64_t>(i + 1));
    REQUIRE(page.total.contains("dd 185;f2;f3;f" + std::to_string(1000 + i)));
    CHECK(history.stacks().table().nodes().size() <= 200);
  }
  CHECK(resets > 3);
  CHECK(history.table_version() == first_version + static_cast<std::uint64_t>(resets));
  CHECK(page.total.at("dd 185;f8;f7") == 5000);
  // The value of a folded stack goes to its caller.
  CHECK(page.total.at("dd 185;f2;f3") + page.total.size() >= 1000);
  CHECK(page.folded > 500);
}

TEST_CASE("one tick that exceeds all limits is folded, too") {
  LiveHistory history = make_history({.nodes = 100, .text_bytes = 4000, .cells = 50});
  std::vector<LiveStack> stacks;
  for (int i = 0; i < 3000; ++i) stacks.push_back({.leaf_first = {i, 1}, .value = 2});
  CHECK(history.add(*live_tick(100, stacks), {}).empty());
  Page page;
  page.read(history.snapshot(1), true);
  CHECK(page.sum() == 6000);
  CHECK(page.nodes() <= 50);
  CHECK_FALSE(history.add(*live_tick(101, {{{1}, 1}}), {}).empty());
}

TEST_CASE("ended processes with one name become one entry") {
  LiveHistory history = make_history({.window_s = 5, .owners = 100});
  std::uint64_t fed = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    history.add(*live_tick(100 + i, {{{1}, 1, 200 + i}, {{1}, 5, 185}}), {});
    fed += 6;
  }
  Page page;
  page.read(history.snapshot(1), true);
  CHECK(page.sum() == fed);
  CHECK(page.total.at("dd 185;f1") == 5000);
  CHECK(page.total.at("dd 0;f1") > 800);
  CHECK(page.total.contains("dd 1199;f1"));
  CHECK(history.stacks().table().owners().size() <= 100);
}

TEST_CASE("the memory of an endless run with changing processes is limited") {
  const FlameHistory::Limits limits{.window_s = 20, .nodes = 20'000, .owners = 400, .cells = 4000};
  LiveHistory history = make_history(limits);
  const auto used = [] {
    const auto info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = used();
  std::size_t most[2] = {};
  for (std::uint32_t i = 0; i < 600; ++i) {
    std::vector<LiveStack> stacks;
    for (std::uint32_t k = 0; k < 50; ++k) {
      const int base = static_cast<int>((i * 7 + k * 13) % 900);
      stacks.push_back({{base, base + 1, static_cast<int>(k), 1}, 1, 1000 + i * 5 + k % 5});
    }
    history.add(*live_tick(100 + i, stacks), {});
    CHECK(history.stacks().total().size() <= limits.cells);
    CHECK(history.stacks().table().owners().size() <= limits.owners);
    most[i / 300] = std::max(most[i / 300], used() - std::min(before, used()));
  }
  CHECK(history.stacks().folded_nodes() > 0);
  CHECK(most[1] <= most[0] + most[0] / 8);
}

TEST_CASE("samples that could not be added are reported") {
  LiveHistory history = make_history();
  history.skip(42);
  CHECK(history.add(*live_tick(100, {}), {}).find(R"("skipped":42)") != std::string::npos);
}
