// Tests the functions of scripts that the BPF programs send: their texts, which may be of any width, and the frames
// that they become.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "abi/walk.h"
#include "sampling/script_names.h"

using namespace profile;

namespace {

void put(script_text& text, char* to, const std::string& characters, std::uint8_t width = 1) {
  text = {.bytes = static_cast<__u16>(characters.size()), .width = width, .is_cut = 0};
  std::memcpy(to, characters.data(), characters.size());
}

ring_name sent(std::uint64_t number, const std::string& name, const std::string& path, std::uint32_t line) {
  ring_name made{};
  made.frame = SCRIPT_FRAME | number;
  made.language = SCRIPT_PYTHON;
  made.line = line;
  put(made.name, made.name_text, name);
  put(made.path, made.path_text, path);
  return made;
}

std::string symbol_of(const ring_name& name) {
  ScriptNames names;
  names.keep(name);
  Profile profile;
  const Frame& frame = profile.frame(names.frame(profile, profile.process(1, 1, "a"), name.frame));
  CHECK(frame.kind == FrameKind::script);
  return std::string(profile.strings.view(frame.symbol));
}

}  // namespace

TEST_CASE("the word of a script's frame is no address and no other mark") {
  CHECK(ScriptNames::is_script(SCRIPT_FRAME | 5));
  for (const std::uint64_t other : {std::uint64_t{0x7fffffffffff}, std::uint64_t{WALK_IN_EXECVE}, std::uint64_t{0}}) {
    CHECK(!ScriptNames::is_script(other));
    CHECK(!ScriptNames::is_script(other | WALK_INTERRUPTED));
  }
}

TEST_CASE("texts of one, two and four bytes become UTF-8") {
  script_text text{};
  char characters[64] = {};
  put(text, characters, "na\xefve");
  CHECK(utf8_of(text, characters) == "na\xc3\xafve");
  put(text, characters, std::string("\x3b\x04\x60\x4f\x00\xd8", 6), 2);
  CHECK(utf8_of(text, characters) == "\xd0\xbb\xe4\xbd\xa0\xef\xbf\xbd");
  put(text, characters, std::string("\x0d\xf4\x01\x00\x00\x00\x11\x00\x61", 9), 4);
  CHECK(utf8_of(text, characters) == "\xf0\x9f\x90\x8d\xef\xbf\xbd");
  put(text, characters, "odd", 0);
  static_cast<void>(utf8_of(text, characters));
}

TEST_CASE("a function is a frame with the file and the line where it begins") {
  ScriptNames names;
  names.keep(sent(1, "Server.handle", "/srv/app/server.py", 40));
  names.keep(sent(2, "Server.handle", "/srv/other/server.py", 40));
  Profile profile;
  const ProcessId one = profile.process(1, 1, "a");
  const FrameId id = names.frame(profile, one, SCRIPT_FRAME | 1);
  const Frame frame = profile.frame(id);
  CHECK(profile.strings.view(frame.symbol) == "Server.handle");
  CHECK(profile.strings.view(frame.module) == "server.py");
  const SourceLocation source = profile.source(frame.source);
  CHECK(profile.strings.view(source.at.file) == "/srv/app/server.py");
  CHECK(source.at.line == 40);
  CHECK(frame.unnamed == Unnamed::named);
  CHECK(names.frame(profile, one, SCRIPT_FRAME | 1) == id);
  CHECK(names.frame(profile, one, SCRIPT_FRAME | 2) != id);
  // Another run gives it another number, and it is the same frame all the same.
  ScriptNames later;
  later.keep(sent(77, "Server.handle", "/srv/app/server.py", 40));
  CHECK(later.frame(profile, one, SCRIPT_FRAME | 77) == id);
}

TEST_CASE("a name that is not known is said to be lost") {
  ScriptNames names;
  Profile profile;
  const Frame& frame = profile.frame(names.frame(profile, profile.process(1, 1, "a"), SCRIPT_FRAME | 9));
  CHECK(frame.unnamed == Unnamed::name_lost);
  CHECK(frame.symbol == StringId::empty);
}

TEST_CASE("names that all scripts have get their place, and cut texts an ellipsis") {
  CHECK(symbol_of(sent(1, "<module>", "/a/app.py", 1)) == "<module app.py>");
  CHECK(symbol_of(sent(1, "<module>", "/a/app.py", 4)) == "<module app.py>");
  CHECK(symbol_of(sent(1, "<lambda>", "/a/app.py", 12)) == "<lambda app.py:12>");
  CHECK(symbol_of(sent(1, "f.<locals>.<lambda>", "/a/app.py", 12)) == "f.<locals>.<lambda>");
  CHECK(symbol_of(sent(1, "<module>", "", 1)) == "<module>");
  CHECK(symbol_of(sent(1, "<>", "/a/app.py", 1)) == "<>");
  ring_name cut = sent(1, std::string(SCRIPT_NAME_BYTES, 'x'), std::string(SCRIPT_PATH_BYTES, 'y'), 1);
  cut.name.is_cut = cut.path.is_cut = 1;
  CHECK(symbol_of(cut) == std::string(SCRIPT_NAME_BYTES, 'x') + "\u2026");
}

TEST_CASE("methods of Java have their class, without what differs between two runs") {
  const auto named = [](const std::string& of_class, const std::string& method) {
    ring_name made = sent(1, method, of_class, 0);
    made.language = SCRIPT_JAVA;
    put(made.owner, made.owner_text, "Shop.java");
    return made;
  };
  CHECK(symbol_of(named("com/shop/Shop", "sell")) == "com.shop.Shop.sell");
  CHECK(symbol_of(named("com/shop/Shop$Cart", "<init>")) == "com.shop.Shop$Cart.<init>");
  CHECK(symbol_of(named("com/shop/Shop$$Lambda$14+0x0000000800c03000", "apply")) == "com.shop.Shop$$Lambda.apply");
  CHECK(symbol_of(named("com/shop/Shop$$Lambda/0x00007f0001000400", "apply")) == "com.shop.Shop$$Lambda.apply");
  CHECK(symbol_of(named("Shop", "sell")) == "Shop.sell");
  ring_name stub = named("", "StubRoutines (1)");
  CHECK(symbol_of(stub) == "~StubRoutines (1)");
  ScriptNames names;
  names.keep(named("com/shop/Shop", "sell"));
  Profile profile;
  const Frame& frame = profile.frame(names.frame(profile, profile.process(1, 1, "a"), SCRIPT_FRAME | 1));
  CHECK(profile.strings.view(frame.module) == "Shop.java");
}

TEST_CASE("a record whose lengths are too large is left out") {
  ring_name name = sent(1, "f", "/a.py", 1);
  name.path.bytes = SCRIPT_PATH_BYTES + 1;
  CHECK(symbol_of(name).empty());
}

TEST_CASE("with lines, a frame is at the line of its position, and knows where its function begins") {
  ScriptNames names;
  names.set_lines(true);
  const std::uint64_t function = SCRIPT_FRAME | std::uint64_t{5} << SCRIPT_POSITION_BITS;
  ring_lines lines{};
  lines.frame = function;
  lines.bytes = 4;
  constexpr unsigned char table[] = {0, 1, 4, 2};  // of 3.9: line 11, and behind two instructions line 13
  std::memcpy(lines.table, table, sizeof table);
  names.keep(lines, offsetof(ring_lines, table) + sizeof table);
  ring_name name = sent(0, "f", "/srv/app.py", 10);
  name.frame = function;
  name.lines = SCRIPT_LINES_OF_BYTES;
  name.table_bytes = sizeof table;
  name.table_hash = 1;
  names.keep(name);
  ring_name direct = sent(0, "g", "/srv/app.pl", 20);
  direct.frame = function + (SCRIPT_POSITION_MASK + 1);
  direct.lines = SCRIPT_LINES_DIRECT;
  names.keep(direct);

  Profile profile;
  const ProcessId process = profile.process(1, 1, "a");
  const auto line_of = [&](std::uint64_t word) {
    const Frame frame = profile.frame(names.frame(profile, process, word));
    CHECK(frame.begins_at != 0);
    return profile.source(frame.source).at.line;
  };
  CHECK(line_of(function + 2) == 11);
  CHECK(line_of(function + 4) == 13);
  CHECK(line_of(function + 1) == 10);
  CHECK(line_of(function) == 0);
  CHECK(line_of(direct.frame + 123) == 123);
  // Two lines are two frames, two instructions of a line are one.
  CHECK(names.frame(profile, process, function + 2) == names.frame(profile, process, function + 3));
  CHECK(names.frame(profile, process, function + 2) != names.frame(profile, process, function + 4));
  CHECK(names.notes().empty());

  SUBCASE("a function whose table has not come has no lines, which is said") {
    name.frame = function + 2 * (SCRIPT_POSITION_MASK + 1);
    names.keep(name);
    CHECK(line_of(name.frame + 2) == 0);
    REQUIRE(names.notes().size() == 1);
    CHECK(names.notes()[0].starts_with("1 function of scripts has no lines"));
  }
  SUBCASE("a table that is longer than its record is none") {
    lines.frame = name.frame = function + 3 * (SCRIPT_POSITION_MASK + 1);
    lines.bytes = 5;
    names.keep(lines, offsetof(ring_lines, table) + sizeof table);
    names.keep(name);
    CHECK(line_of(name.frame + 2) == 0);
  }
  SUBCASE("an empty table stands for a function of one line") {
    name.frame = function + 4 * (SCRIPT_POSITION_MASK + 1);
    name.table_bytes = 0;
    names.keep(name);
    CHECK(line_of(name.frame + 7) == 10);
  }
}
