// Tests the screen of --top as text: the place of each part, at every size and with any names.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "terminal/page.h"
#include "terminal/text.h"
#include "terminal_profile.h"

namespace profile {
namespace {

using test::press;
using test::second_of;
using test::text_of;

std::vector<std::string> texts_of(TopModel& model, const RunInfo& run, std::size_t width = 80,
                                  std::size_t height = 24) {
  std::vector<std::string> texts;
  for (const TopLine& line : top_page(model, run, width, height, true)) texts.push_back(text_of(line));
  return texts;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("the page at 80 by 24 shows the measurement, the rates, one minute, the table and the keys") {
  const TopLocale locale("C.UTF-8");
  TopModel model;
  const Profile second = second_of({{"app", 1, {"main", "parse"}, 49}, {"dd", 2, {"main", "k:vfs_read"}, 49}});
  for (int i = 0; i < 3; ++i) model.add(second);
  const auto texts = texts_of(model, RunInfo());
  REQUIRE(texts.size() == 24);
  CHECK(texts[0] == "Sampling at 49 Hertz of all threads by user + kernel stack               0:00:03");
  CHECK(texts[1] == "2.00 CPUs busy  98 samples/s  294 samples  0 lost");
  CHECK(texts[2] == std::string(57, ' ') + "███  most 98 samples/s");
  CHECK(texts[3] == " Functions  Processes  Stacks   last 5 s                             4 functions");
  CHECK(texts[4] == "  SELF  TOTAL   SAMPLES FUNCTION                                MODULE");
  CHECK(texts[5] == " 50.0%  50.0%       147 parse                                   app");
  CHECK(texts[6] == " 50.0%  50.0%       147 vfs_read                                [kernel]");
  // Rows with equal values have a stable order, but the test does not depend on it.
  const std::set<std::string> equals = {texts[7], texts[8]};
  CHECK(equals == std::set<std::string>{"  0.0%  50.0%         0 main                                    app",
                                        "  0.0%  50.0%         0 main                                    dd"});
  CHECK(texts[9].empty());
  CHECK(texts[23] == "q quit  h help  F P S table  s sort  / filter  w time  space stop  Enter into");
}

TEST_CASE("the page shows processes with their own minute, and stacks from the leaf to the root") {
  const TopLocale locale("C.UTF-8");
  TopModel model;
  model.add(second_of({{"app", 1, {"main", "parse"}, 30}, {"dd", 22222, {"main", "k:vfs_read"}, 10}}));
  model.add(second_of({{"app", 1, {"main", "parse"}, 60}}));
  REQUIRE(press(model, U"P"));
  auto texts = texts_of(model, RunInfo());
  CHECK(texts[4] == " SHARE   SAMPLES     PID NAME");
  CHECK(texts[5] == " 90.0%        90       1 app" + std::string(50, ' ') + "▄█");
  CHECK(texts[6] == " 10.0%        10   22222 dd" + std::string(51, ' ') + "█");
  REQUIRE(press(model, U"S"));
  texts = texts_of(model, RunInfo());
  CHECK(texts[5] == " 90.0%        90 app             parse ← main");
  CHECK(texts[6] == " 10.0%        10 dd              vfs_read ← main");
  REQUIRE(model.on_key(TopKey::down));
  REQUIRE(model.on_key(TopKey::enter));
  texts = texts_of(model, RunInfo());
  CHECK(texts[7] == std::string(19, ' ') + "vfs_read" + std::string(37, ' ') + "[kernel]");
  CHECK(texts[8] == std::string(19, ' ') + "main" + std::string(41, ' ') + "dd");
}

TEST_CASE("of processes with one name the page shows how many there are") {
  const TopLocale locale("C.UTF-8");
  TopModel model;
  model.add(second_of({{"cc1plus", 1, {"main"}, 30}, {"cc1plus", 2, {"main"}, 10}}));
  REQUIRE(press(model, U"Pm"));
  const auto texts = texts_of(model, RunInfo());
  CHECK(has(texts[3], "by name"));
  CHECK(texts[4] == " SHARE   SAMPLES   COUNT NAME");
  CHECK(has(texts[5], "100.0%        40       2 cc1plus"));
}

TEST_CASE("lost samples, a stopped picture and filters are shown above the table") {
  const TopLocale locale("C.UTF-8");
  TopModel model;
  Profile second = second_of({{"app", 1, {"main"}, 30}, {"dd", 2, {"main", "k:vfs_read"}, 10}});
  second.account.taken += 3;
  second.account.lost_ring_full = 3;
  model.add(second);
  REQUIRE(press(model, U"k/vfs"));
  REQUIRE(model.on_key(TopKey::enter));
  REQUIRE(press(model, U" "));
  const std::vector<TopLine> lines = top_page(model, RunInfo(), 80, 24, true);
  const auto& rates = lines[1].spans;
  const auto lost = std::find_if(rates.begin(), rates.end(), [](const TopSpan& span) { return span.text == "3 lost"; });
  REQUIRE(lost != rates.end());
  CHECK(lost->style == TopStyle::alert);
  CHECK(text_of(lines[3]) == " Functions  Processes  Stacks   STOPPED  last 5 s  kernel only  /vfs  1 function");
  CHECK(text_of(lines[1]).ends_with("  shown: 25.0%"));
  CHECK(text_of(lines[6]).empty());
}

TEST_CASE("a large share is highlighted") {
  const TopLocale locale("C.UTF-8");
  TopModel model;
  model.add(second_of({{"app", 1, {"hot"}, 80}, {"app", 1, {"warm"}, 16}, {"app", 1, {"cool"}, 4}}));
  const std::vector<TopLine> lines = top_page(model, RunInfo(), 80, 24, true);
  const auto style_of_share = [&](std::string_view share) {
    for (const TopLine& line : lines) {
      for (const TopSpan& span : line.spans) {
        if (span.text.ends_with(share)) return span.style;
      }
    }
    return TopStyle::alert;
  };
  CHECK(style_of_share("80.0%") == TopStyle::hot);
  CHECK(style_of_share("16.0%") == TopStyle::warm);
  CHECK(style_of_share("4.0%") == TopStyle::plain);
}

TEST_CASE("time and bytes have their own units, and other events are not shown as CPUs") {
  const TopLocale locale("C.UTF-8");
  TopModel model;
  model.add(second_of({{"app", 1, {"main"}, 1'500'000}}));
  RunInfo run;
  run.event = "off-cpu";
  run.unit = "microseconds";
  run.counted = "waits";
  run.title = "Tracing off-CPU time in microseconds";
  auto texts = texts_of(model, run);
  CHECK(texts[0].starts_with("Tracing off-CPU time in microseconds of all threads"));
  CHECK(texts[1] == "1.5 s/s  1500000 waits/s  1500000 waits  1.5 s  0 lost");
  CHECK(has(texts[4], "     TIME "));
  CHECK(has(texts[5], "   1.5 s main"));
  run.unit = "page-faults";
  run.counted = "samples";
  texts = texts_of(model, run);
  CHECK(texts[1].starts_with("1500000 page-faults/s  1500000 samples/s"));
}

TEST_CASE("the page has no long line, no extra line and no control character at any size") {
  const TopLocale locale("C.UTF-8");
  TopModel model;
  Profile hostile = test::fixed_profile();
  hostile.duration_ns = 1'000'000'000;
  model.add(hostile);
  RunInfo run;
  run.command = {"sh", "-c", "\x1b[2J" + std::string(300, 'x') + "\n"};
  const std::vector<std::size_t> sizes = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 20, 24, 31, 40, 60, 79, 80, 132, 500};
  for (const auto* const keys : {U"1", U"2", U"3", U"/a", U"h"}) {
    REQUIRE(press(model, keys));
    for (const std::size_t width : sizes) {
      for (const std::size_t height : sizes) {
        for (const bool unicode : {true, false}) {
          const std::vector<TopLine> page = top_page(model, run, width, height, unicode);
          REQUIRE(page.size() <= height);
          REQUIRE(!page.empty());
          for (const TopLine& line : page) {
            const std::string text = text_of(line);
            REQUIRE(columns_of(text) <= width);
            REQUIRE(std::none_of(text.begin(), text.end(), [unicode](char c) {
              const auto byte = static_cast<unsigned char>(c);
              return byte < 0x20 || byte == 0x7f || (!unicode && byte >= 0x80);
            }));
          }
        }
      }
    }
    REQUIRE(model.on_key(TopKey::escape));
  }
}

TEST_CASE("the table stays visible on a low terminal") {
  const TopLocale locale("C.UTF-8");
  TopModel model;
  model.add(second_of({{"app", 1, {"main", "parse"}, 30}, {"app", 1, {"main", "write"}, 20}}));
  for (const std::size_t height : {1U, 2U, 3U, 5U}) {
    const auto texts = texts_of(model, RunInfo(), 20, height);
    CHECK(std::any_of(texts.begin(), texts.end(), [](const std::string& text) { return has(text, "60.0%"); }));
  }
  CHECK(texts_of(model, RunInfo(), 80, 5).size() == 5);
}

TEST_CASE("the end of the typed text is visible") {
  const TopLocale locale("C.UTF-8");
  TopModel model;
  model.add(second_of({{"app", 1, {"main"}, 1}}));
  REQUIRE(press(model, U"/abcdefghijklmnopqrstuvwxyz漢字"));
  CHECK(has(texts_of(model, RunInfo(), 20, 24).back(), "xyz漢字"));
  CHECK(has(texts_of(model, RunInfo(), 80, 24)[5], "Nothing here has"));
}

}  // namespace
}  // namespace profile
