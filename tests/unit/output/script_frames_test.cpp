// Frames of scripts in all formats: their marks, files and lines, and that what is read back is a frame of a script
// again.
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <sstream>
#include <string>
#include <vector>

#include "input/profile_reader.h"
#include "output/flame/table.h"
#include "output/output.h"

using namespace profile;

namespace {

// main() of app.py calls work(), and that calls native code.
// `has_lines`: they run the fourth line of their functions.
Profile with_script(bool has_lines = false) {
  Profile profile;
  const ProcessId process = profile.process(7, 1, "python3");
  const auto text = [&](std::string_view words) { return profile.strings.intern(words); };
  const auto script = [&](std::string_view name, std::uint32_t line) {
    Frame frame;
    frame.kind = FrameKind::script;
    frame.space = process;
    frame.address = RuntimeAddress{script_address_bit | line};
    frame.unnamed = Unnamed::named;
    frame.symbol = text(name);
    frame.module = text("app.py");
    frame.offset = unknown_offset;
    const std::uint32_t ran = has_lines ? line + 3 : line;
    frame.begins_at = has_lines ? line : 0;
    frame.source = profile.source({.at = {.file = text("/srv/app.py"), .line = ran}, .inlined = {}});
    return profile.frame(frame);
  };
  Frame native;
  native.space = process;
  native.address = RuntimeAddress{0x401010};
  native.unnamed = Unnamed::named;
  native.symbol = text("list_sort");
  native.module = text("python3.11");
  const std::vector<FrameId> leaf_first{profile.frame(native), script("work", 12), script("main", 40)};
  Row row{.process = process};
  row.thread_name = text("python3");
  row.user = profile.stack(leaf_first, StackEnd::root);
  row.value = row.samples = 5;
  profile.add(row);
  profile.account.taken = profile.account.recorded = 5;
  return profile;
}

std::string written(const char* format, const Profile& profile, const OutputOptions& options = {}) {
  std::ostringstream out;
  find_output_format(format)->make(options).report(out, profile);
  return out.str();
}

}  // namespace

TEST_CASE("folded lines show functions of scripts by their names") {
  const Profile profile = with_script();
  CHECK(written("folded", profile) == "python3;main;work;list_sort 5\n");
  CHECK(written("folded", profile, {.annotate = true}) == "python3;main_[s];work_[s];list_sort 5\n");
  CHECK(written("folded", profile, {.show_modules = true}) ==
        "python3;main [app.py];work [app.py];list_sort [python3.11] 5\n");
}

TEST_CASE("what is read back is a frame of a script") {
  const Profile profile = with_script();
  for (const char* format : {"folded", "json", "pprof"}) {
    CAPTURE(format);
    const Profile read = read_profile(written(format, profile, {.annotate = true}), "in");
    REQUIRE(read.rows().size() == 1);
    const auto frames = read.stack(read.rows()[0].user);
    REQUIRE(frames.size() == 3);
    CHECK(read.frame(frames[0]).kind == FrameKind::user);
    CHECK(read.frame(frames[1]).kind == FrameKind::script);
    CHECK(read.strings.view(read.frame(frames[2]).symbol) == "main");
    CHECK(written("folded", read, {.annotate = true}) == "python3;main_[s];work_[s];list_sort 5\n");
    if (std::string_view(format) == "folded") continue;
    const SourceLocation source = read.source(read.frame(frames[1]).source);
    CHECK(read.strings.view(source.at.file) == "/srv/app.py");
    CHECK(source.at.line == 12);
  }
}

// As Java's methods whose lines are not known, and code that its engine has made.
TEST_CASE("what is read back is a frame of a script, also where its line or even its file is not known") {
  Profile profile = with_script();
  for (Frame& frame : profile.frames()) {
    if (frame.kind != FrameKind::script) continue;
    const bool is_main = profile.strings.view(frame.symbol) == "main";
    const SourceLine at{.file = profile.strings.intern("/srv/app.py"), .line = 0};
    frame.source = is_main ? SourceLocationId::none : profile.source({.at = at, .inlined = {}});
    if (is_main) frame.module = StringId::empty;
  }
  const std::string marked = "python3;main_[s];work_[s];list_sort 5\n";
  CHECK(written("folded", profile, {.annotate = true}) == marked);
  for (const char* format : {"folded", "json", "pprof"}) {
    CAPTURE(format);
    const Profile read = read_profile(written(format, profile, {.annotate = true}), "in");
    CHECK(written("folded", read, {.annotate = true}) == marked);
  }
}

TEST_CASE("JSON, speedscope and graphs have the file and a kind of their own") {
  const Profile profile = with_script();
  rapidjson::Document json;
  json.Parse(written("json", profile).c_str());
  REQUIRE(!json.HasParseError());
  const auto& frames = json["ebpf"]["profile"]["frames"];
  CHECK(std::string(frames[1]["kind"].GetString()) == "script");
  CHECK(std::string(frames[1]["file"].GetString()) == "/srv/app.py");
  CHECK(frames[1]["line"].GetInt() == 12);
  const std::string speedscope = written("speedscope", profile);
  CHECK(speedscope.find("\"/srv/app.py\"") != std::string::npos);

  FlameTable table;
  static_cast<void>(table.add(profile));
  const auto is_script = [](const FlameTable::Frame& frame) { return frame.kind == FlameKind::script; };
  CHECK(std::ranges::count_if(table.frames(), is_script) == 2);
}

TEST_CASE("with lines, each line of a function is a frame, also when it is read back") {
  const Profile profile = with_script(true);
  const std::string lines = "python3;main app.py:43_[s];work app.py:15_[s];list_sort 5\n";
  CHECK(written("folded", profile, {.annotate = true}) == lines);
  for (const char* format : {"json", "pprof"}) {
    CAPTURE(format);
    const Profile read = read_profile(written(format, profile), "in");
    CHECK(written("folded", read, {.annotate = true}) == lines);
    REQUIRE(read.rows().size() == 1);
    CHECK(read.frame(read.stack(read.rows()[0].user)[1]).begins_at == 12);
  }
  const Profile read = read_profile(written("folded", profile, {.annotate = true}), "in");
  CHECK(written("folded", read, {.annotate = true}) == lines);
}
