// What each line and place of a function has cost: a stack counts once in a total, however often it has the place.
#include "output/function_places.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace profile;

namespace {

// A program with `walk(int)`, which calls itself and `leaf`, and in which `step` is inlined.
struct Program {
  Profile profile;
  ProcessId process = profile.process(1, 0, "program");
  BinaryId binary =
      profile.binary({.path = profile.strings.intern("/bin/program"), .build_id = profile.strings.intern("ab12")});

  FrameId frame(std::uint64_t address, std::string_view symbol, std::uint32_t line, bool is_return,
                std::vector<InlinedFunction> inlined = {}) {
    Frame frame;
    frame.address = RuntimeAddress{0x1000 + address};
    frame.space = process;
    frame.is_return = is_return;
    frame.unnamed = Unnamed::named;
    frame.symbol = profile.strings.intern(symbol);
    frame.module = profile.strings.intern("program");
    frame.source = profile.source({.at = at(line), .inlined = inlined});
    frame.binary = binary;
    frame.binary_address = ElfAddress{address};
    return profile.frame(frame);
  }
  SourceLine at(std::uint32_t line) { return {.file = profile.strings.intern("/src/a.cpp"), .line = line}; }
  InlinedFunction inlined(std::string_view symbol, std::uint32_t line) {
    return {.symbol = profile.strings.intern(symbol), .at = at(line)};
  }
  void row(const std::vector<FrameId>& leaf_first, std::uint64_t value) {
    profile.add({.process = process, .user = profile.stack(leaf_first), .value = value, .samples = value});
  }
};

std::string lines_of(const FunctionListing& function) {
  std::string text;
  for (const ListedFile& file : function.files) {
    text += file.path + ":";
    for (const ListedLine& line : file.lines) {
      text += " " + std::to_string(line.line) + "=" + std::to_string(line.value.total) + "/" +
              std::to_string(line.value.self);
    }
  }
  return text;
}

std::string places_of(const FunctionListing& function) {
  std::string text;
  for (const CodePlace& place : function.places) {
    text += " " + std::to_string(place.address.value) + (place.is_inlined ? "i" : "") + "=" +
            std::to_string(place.value.total) + "/" + std::to_string(place.value.self);
  }
  return text;
}

}  // namespace

TEST_CASE("a line of a function that calls itself counts once a stack") {
  Program program;
  const FrameId leaf = program.frame(0x10, "leaf", 30, false);
  const FrameId calls_leaf = program.frame(0x25, "walk(int)", 12, true);
  const FrameId calls_itself = program.frame(0x35, "walk(int)", 13, true);
  const FrameId own = program.frame(0x28, "walk(int)", 12, false);
  program.row({leaf, calls_leaf, calls_itself, calls_itself}, 5);
  program.row({own, calls_itself}, 2);
  std::vector<std::string> nearest;
  const auto functions = functions_named(program.profile, "walk(int)", nearest);
  REQUIRE(functions.size() == 1);
  CHECK(functions[0].module == "program");
  CHECK(functions[0].value.total == 7);
  CHECK(functions[0].value.self == 2);
  CHECK(lines_of(functions[0]) == "/src/a.cpp: 12=7/2 13=7/0");
  // A place is inside the call that returns there.
  CHECK(places_of(functions[0]) == " 36=5/0 40=2/2 52=7/0");
}

TEST_CASE("an inlined function has the lines and the places where it is inlined") {
  Program program;
  const FrameId inside = program.frame(0x40, "walk(int)", 14, false, {program.inlined("step(int)", 3)});
  const FrameId outside = program.frame(0x44, "walk(int)", 15, false);
  program.row({inside}, 4);
  program.row({outside}, 1);
  std::vector<std::string> nearest;
  const auto step = functions_named(program.profile, "step", nearest);
  REQUIRE(step.size() == 1);
  CHECK(step[0].symbol == "step(int)");
  CHECK(lines_of(step[0]) == "/src/a.cpp: 3=4/4");
  CHECK(places_of(step[0]) == " 64i=4/4");
  const auto walk = functions_named(program.profile, "walk", nearest);
  REQUIRE(walk.size() == 1);
  CHECK(lines_of(walk[0]) == "/src/a.cpp: 14=4/0 15=1/1");
  CHECK(places_of(walk[0]) == " 64=4/0 68=1/1");
  CHECK(nearest.empty());
}

TEST_CASE("a function is found by its whole name, or by its name before the parameters") {
  Program program;
  program.row({program.frame(1, "ns::f(int)", 1, false)}, 1);
  program.row({program.frame(2, "ns::f(char, long)", 2, false)}, 3);
  program.row({program.frame(3, "(anonymous namespace)::g(void (*)(int))", 3, false)}, 1);
  program.row({program.frame(4, "S::operator()(int) const", 4, false)}, 1);
  program.row({program.frame(5, "t<void (int)>(int)", 5, false)}, 1);
  std::vector<std::string> nearest;
  const auto count = [&](std::string_view name) { return functions_named(program.profile, name, nearest).size(); };
  CHECK(count("ns::f(int)") == 1);
  const auto both = functions_named(program.profile, "ns::f", nearest);
  REQUIRE(both.size() == 2);
  CHECK(both[0].name == "ns::f(char, long)");  // the larger one
  CHECK(count("(anonymous namespace)::g") == 1);
  CHECK(count("S::operator()") == 1);
  CHECK(count("t<void (int)>") == 1);
  CHECK(count("") == 0);
  nearest.clear();
  CHECK(count("ns::ff") == 0);
  REQUIRE(!nearest.empty());
  CHECK(nearest.front() == "ns::f");
}

TEST_CASE("of waits, the line that waits is the one outside the C library") {
  Program program;
  program.profile.run.counted = "waits";
  Frame frame = program.profile.frame(program.frame(0x10, "poll", 1, false));
  frame.address = RuntimeAddress{0x77};
  frame.module = program.profile.strings.intern("libc.so.6");
  const FrameId library = program.profile.frame(frame);
  program.row({library, program.frame(0x25, "serve", 12, true)}, 9);
  std::vector<std::string> nearest;
  const auto functions = functions_named(program.profile, "serve", nearest);
  REQUIRE(functions.size() == 1);
  CHECK(lines_of(functions[0]) == "/src/a.cpp: 12=9/9");
}

TEST_CASE("the largest functions are those with the most of their own, and half as many with the largest totals") {
  Program program;
  const FrameId caller = program.frame(9, "caller", 9, true);
  program.row({program.frame(1, "small", 1, false), caller}, 3);
  program.row({program.frame(2, "large", 2, false), caller}, 5);
  program.row({program.frame(3, "least", 3, false), caller}, 1);
  Frame kernel;
  kernel.kind = FrameKind::kernel;
  kernel.address = RuntimeAddress{0xffff'ffff'8100'0000};
  kernel.unnamed = Unnamed::named;
  kernel.symbol = program.profile.strings.intern("do_work");
  const std::vector<FrameId> in_kernel{program.profile.frame(kernel)};
  program.profile.add(
      {.process = program.process, .kernel = program.profile.stack(in_kernel), .value = 99, .samples = 99});
  const auto names_of = [&](std::size_t most) {
    std::string names;
    for (const FunctionListing& function : largest_functions(program.profile, most)) names += " " + function.name;
    return names;
  };
  CHECK(names_of(2) == " caller large small");
  CHECK(names_of(9) == " caller large small least");
  CHECK(names_of(0).empty());
}
