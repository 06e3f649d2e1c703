// Tests which frames count as the same in a comparison.
// The same run in two formats has no change, and a function whose line moved is no change.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "input/profile_reader.h"
#include "output/flame/colours.h"
#include "output/flame/comparison.h"
#include "output/flame/graph.h"
#include "output/flame/view.h"
#include "output/output.h"

using namespace profile;

namespace {

// Writes the profile in `format` and reads it back.
Profile through(std::string_view format, const Profile& profile, const OutputOptions& options = {}) {
  std::ostringstream out;
  find_output_format(format)->make(options).report(out, profile);
  return read_profile(out.str(), std::string(format));
}

Profile folded(const std::string& text) { return read_folded(text, "x"); }

// Threads of two processes. One thread has another name than its process, and one function has several lines.
Profile profile_of_threads() {
  Profile profile;
  test::Namer name(profile);
  const auto add = [&](std::uint32_t tgid, std::string_view process, std::string_view thread, std::uint32_t line,
                       std::string_view function, std::uint64_t value) {
    Row row;
    row.process = profile.process(tgid, 0, process);
    row.thread_name = profile.strings.intern(thread);
    const std::uint64_t address = std::uint64_t{tgid} << 32 | line << 8 | static_cast<unsigned char>(thread.back());
    const FrameId work = name.user(row.process, address, function, "app", 4);
    profile.frames()[static_cast<std::size_t>(work)].source =
        profile.source({.at = {.file = profile.strings.intern("/src/app/work.cpp"), .line = line}, .inlined = {}});
    row.user = profile.stack(std::vector{work, name.user(row.process, 0x10, "main", "app", 2)});
    row.value = row.samples = value;
    profile.add(row);
  };
  add(7, "app", "worker-a", 42, "work", 5);
  add(7, "app", "worker-b", 43, "work", 6);
  add(8, "app", "worker-b", 43, "work", 1);
  add(8, "app", "odd;name", 50, "Lcom/Foo;::bar", 2);
  return profile;
}

// One text for each box whose value changed.
using Texts = std::vector<std::string>;

Texts changes(const Profile& before, const Profile& after, SameFunction same = SameFunction::by_name) {
  const OwnFlameView flames(after, &before, same);
  const FlameGraph graph(*flames.view().table, flames.view().cells, flames.view().before_cells);
  Texts found;
  if (graph.only_before() != 0) found.push_back("gone " + std::to_string(graph.only_before()));
  for (const FlameBox& box : graph.boxes()) {
    if (box.total == box.before) continue;
    found.push_back(graph.name_of(box) + ' ' + std::to_string(box.before) + " to " + std::to_string(box.total));
  }
  return found;
}

// "app /src/work.cpp:42 user" for each frame of the function `name` in a comparison.
Texts frames(const FlameTable& table, std::string_view name) {
  Texts found;
  for (const FlameTable::Frame& frame : table.frames()) {
    if (table.strings().view(frame.name) != name) continue;
    std::string text(table.strings().view(frame.module));
    text.append(" ").append(table.strings().view(frame.file)).append(":").append(std::to_string(frame.line));
    found.push_back(text + ' ' + word_of(frame.kind, RunInfo()));
  }
  return found;
}

}  // namespace

namespace doctest {
template <>
struct StringMaker<Texts> {
  static String convert(const Texts& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
    return all.c_str();
  }
};
}  // namespace doctest

TEST_CASE("one run shows no change between two formats") {
  const OutputOptions all = {.delimited = true, .annotate = true, .show_modules = true};
  for (const Profile& run : {profile_of_threads(), test::fixed_profile(), test::wall_profile()}) {
    // All comparisons begin with the profile as it is read from pprof. The reader derives return addresses from the
    // place of a frame in its stack, but the fixed profile does not.
    const Profile pprof = through("pprof", run);
    for (const OutputOptions& options : {OutputOptions{}, all}) {
      const Profile lines = through("folded", pprof, options);
      CHECK(changes(lines, pprof) == Texts{});
      CHECK(changes(pprof, lines) == Texts{});
      CHECK(changes(lines, lines) == Texts{});
    }
    CHECK(changes(pprof, pprof) == Texts{});
    CHECK(changes(through("folded", pprof, all), pprof, SameFunction::by_name_and_module) == Texts{});
  }
}

TEST_CASE("a function is the same for every line, file, module and kind") {
  const Profile before = folded("app;main main.cpp:42;work [a.so] 10\n");
  const Profile after = folded("app;main main.cpp:43;work [b.so] 5\napp;main [app] other.cpp:1;work_[k] 5\n");
  CHECK(changes(before, after) == Texts{});
  CHECK(changes(before, after, SameFunction::by_name_and_module) != Texts{});
  const FlameComparison flames = compare_flames(before, after);
  CHECK(flames.table.frames().size() == 2);
  CHECK(flames.after.size() == 1);
}

TEST_CASE("a comparison with modules separates the functions of different modules, with or without brackets") {
  const Profile before = folded("app;work [a.so];nft [nf_tables] 10\n");
  const Profile after = folded("app;work [a.so];nft [nf_tables]_[k] 4\napp;work [b.so] 6\n");
  CHECK(changes(before, after, SameFunction::by_name_and_module) ==
        Texts{"work 10 to 4", "nft 10 to 4", "work 0 to 6"});
}

TEST_CASE("the facts about a function come from the later profile, or else from the earlier profile") {
  const Profile pprof = through("pprof", profile_of_threads());
  const Profile lines = folded("worker-a;main;work 1\n");
  for (const bool turned : {false, true}) {
    const FlameComparison flames = turned ? compare_flames(pprof, lines) : compare_flames(lines, pprof);
    CHECK(frames(flames.table, "work") == Texts{"app /src/app/work.cpp:0 user"});  // two lines, so no line
    CHECK(frames(flames.table, "Lcom/Foo;::bar") == Texts{"app /src/app/work.cpp:50 user"});
  }
  const auto merged = [](const std::string& before, const std::string& after) {
    return frames(compare_flames(folded(before), folded(after)).table, "f");
  };
  CHECK(merged("t;f [a.so] a.c:4 1\n", "t;f [b.so] b.c:4 1\n") == Texts{"b.so b.c:4 user"});
  CHECK(merged("t;f [a.so] a.c:4 1\n", "t;f [b.so] b.c:5 1\n") == Texts{"b.so b.c:0 user"});
  CHECK(merged("t;f [a.so] a.c:4 1\n", "t;f 1\n") == Texts{"a.so a.c:4 user"});
  // The function has several files and modules, so the frame has none of them.
  CHECK(merged("t;f [a.so] a.c:4 1\n", "t;f [b.so] b.c:4 1\nt;g;f [c.so] c.c:4 1\n") == Texts{" :0 user"});
  CHECK(merged("t;f_[k] 1\n", "t;f 1\n") == Texts{"[kernel] :0 kernel"});
  CHECK(merged("t;f 1\n", "t;g;f_[i] 1\n") == Texts{" :0 inlined"});
  CHECK(merged("t;f 1\n", "t;g [x];f [x]_[i] 1\nt;f [x] 1\n") == Texts{"x :0 user"});
}

TEST_CASE("the threads are compared if one profile knows no processes") {
  const Profile pprof = through("pprof", profile_of_threads());
  const auto processes = [](const Profile& before, const Profile& after) {
    const FlameComparison flames = compare_flames(before, after);
    Texts names;
    for (const FlameTable::Owner& owner : flames.table.owners()) {
      names.emplace_back(flames.table.strings().view(owner.process));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  };
  const Texts threads = {"odd:name", "worker-a", "worker-b"};
  CHECK(processes(pprof, folded("worker-a;main 1\n")) == threads);
  CHECK(processes(folded("worker-a;main 1\n"), pprof) == threads);
  CHECK(processes(pprof, pprof) == Texts{"app"});
  CHECK(processes(folded(""), pprof) == Texts{"app"});
}

TEST_CASE("a comparison keeps all values of both profiles, with each pair of owner and stack once") {
  const Profile before = test::fixed_profile();
  const Profile after = through("folded", before);
  const FlameComparison flames = compare_flames(before, after);
  for (const std::vector<FlameTable::Cell>* const cells : {&flames.before, &flames.after}) {
    std::uint64_t sum = 0;
    std::vector<std::pair<FlameTable::Index, FlameTable::Index>> pairs;
    for (const FlameTable::Cell& cell : *cells) {
      sum += cell.value;
      pairs.emplace_back(cell.owner, cell.node);
    }
    CHECK(sum == before.total());
    std::sort(pairs.begin(), pairs.end());
    CHECK(std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end());
  }
}
