// Tests the page's data, read back by a parser: it has the whole profile, and no name can break out of it.
// The tests in tests/browser check how the page looks and behaves.
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "output/clean_text.h"
#include "output/flame/data.h"
#include "output/flame/view.h"
#include "output/output.h"
#include "output/page.h"
#include "packed_letters.h"

namespace {

using namespace profile;

std::string page_of(const Profile& profile) {
  std::ostringstream out;
  find_output_format("html")->make({}).report(out, profile);
  return out.str();
}

// The text between the two fixed parts of the page.
std::string data_of(const std::string& page) {
  const std::string_view before = page_before_data(PageUse::file);
  const std::string_view after = page_after_data();
  REQUIRE(page.starts_with(before));
  REQUIRE(page.ends_with(after));
  return page.substr(before.size(), page.size() - before.size() - after.size());
}

rapidjson::Document parsed(const std::string& data) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseValidateEncodingFlag>(data.c_str());
  REQUIRE_FALSE(document.HasParseError());
  return document;
}

std::string text(const rapidjson::Value& document, unsigned id) {
  const auto& strings = document["strings"];
  REQUIRE(id < strings.Size());
  return {strings[id].GetString(), strings[id].GetStringLength()};
}

// The stack of a node, such as "main;read"; the empty text for -1.
std::string stack(const rapidjson::Value& document, int node) {
  if (node == -1) return {};
  const auto at = static_cast<unsigned>(node);
  const auto& nodes = document["nodes"];
  REQUIRE(at < nodes["parent"].Size());
  const int parent = nodes["parent"][at].GetInt();
  CHECK(parent < node);  // a parent comes before its children
  const unsigned frame = nodes["frame"][at].GetUint();
  REQUIRE(frame < document["frames"]["name"].Size());
  const std::string below = stack(document, parent);
  return (below.empty() ? "" : below + ';') + text(document, document["frames"]["name"][frame].GetUint());
}

std::uint64_t total(const rapidjson::Value& document, const rapidjson::Value& cells) {
  std::uint64_t sum = 0;
  REQUIRE(cells["owner"].Size() == cells["value"].Size());
  REQUIRE(cells["node"].Size() == cells["value"].Size());
  for (unsigned i = 0; i < cells["value"].Size(); ++i) {
    CHECK(cells["owner"][i].GetUint() < document["owners"]["pid"].Size());
    CHECK(cells["node"][i].GetInt() < static_cast<int>(document["nodes"]["parent"].Size()));
    sum += cells["value"][i].GetUint64();
  }
  return sum;
}

std::set<std::string> stacks(const rapidjson::Value& document) {
  std::set<std::string> all;
  for (const auto& node : document["cells"]["node"].GetArray()) all.insert(stack(document, node.GetInt()));
  return all;
}

// One of the numbers that write_page_samples() has written; takes it away.
std::uint64_t next_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    REQUIRE_FALSE(bytes.empty());
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 127U} << shift;
    if (byte < 128) return number;
  }
}

// All columns of a table have the same length.
void check_columns(const rapidjson::Value& table) {
  const auto size = table.MemberBegin()->value.Size();
  for (const auto& column : table.GetObject()) CHECK(column.value.Size() == size);
}

}  // namespace

TEST_CASE("the data of a page adds up to the profile's total") {
  for (const Profile& profile :
       {test::fixed_profile(), test::profile_with_lines(), test::wall_profile(), test::measures_profile(), Profile()}) {
    const auto document = parsed(data_of(page_of(profile)));
    CHECK(document["version"].GetInt() == 1);
    CHECK(total(document, document["cells"]) == profile.total());
    for (const char* const table : {"frames", "owners", "nodes"}) check_columns(document[table]);
    CHECK_FALSE(document.HasMember("before"));
  }
}

TEST_CASE("no name breaks out of the data of a page") {
  const std::string data = data_of(page_of(test::fixed_profile()));
  CHECK(data.find('<') == std::string::npos);
  CHECK(data.find("\\u003cscript>") != std::string::npos);
  CHECK(data.find('\n') == data.size() - 1);
  const auto found = stacks(parsed(data));
  CHECK(found.contains("na\xc3\xafve \xe2\x86\x92 \xce\xbb;" + test::template_name()));
}

TEST_CASE("a page has the stacks of a profile from the root, with inlined functions and their lines") {
  const auto document = parsed(data_of(page_of(test::profile_with_lines())));
  const auto found = stacks(document);
  CHECK(found.contains("__libc_start_call_main;main;outer(int);Box<int>::get(int) const;deep(int)"));
  CHECK(found.contains("__libc_start_call_main;main;outer(int);Box<int>::get(int) const;deep(int);vfs_read"));
  const auto& frames = document["frames"];
  bool has_deep = false;
  for (unsigned i = 0; i < frames["name"].Size(); ++i) {
    if (text(document, frames["name"][i].GetUint()) != "deep(int)") continue;
    has_deep = true;
    CHECK(text(document, frames["file"][i].GetUint()) == "/src/app/deep.h");
    CHECK(frames["line"][i].GetUint() == 7);
    CHECK(frames["kind"][i].GetUint() == static_cast<unsigned>(FlameKind::inlined));
  }
  CHECK(has_deep);
}

TEST_CASE("a page has the facts of its run and the account of all samples") {
  Profile profile = test::fixed_profile();
  profile.run.command_line = "profile -o 'it</script>.html'";
  profile.began_unix_ns = 1'700'000'000'123'456'789;
  profile.duration_ns = 1'500'000'000;
  profile.account = {.taken = 110, .recorded = 92, .idle = 10, .filtered = 5, .lost_ring_full = 1, .lost_unread = 2};
  const auto document = parsed(data_of(page_of(profile)));
  const auto& run = document["run"];
  CHECK(std::string(run["title"].GetString()) == "all processes: user and kernel stacks, 49 Hz, 1.5 s");
  CHECK(std::string(run["unit"].GetString()) == "samples");
  CHECK(std::string(run["command_line"].GetString()) == profile.run.command_line);
  CHECK(run["began_unix_ms"].GetUint64() == 1'700'000'000'123);
  CHECK(run["duration_s"].GetDouble() == 1.5);
  const auto& account = document["account"];
  CHECK(account["taken"].GetUint64() == 110);
  CHECK(account["lost"].GetUint64() == 3);
  CHECK(account["taken"].GetUint64() == account["recorded"].GetUint64() + account["idle"].GetUint64() +
                                            account["filtered"].GetUint64() + account["lost"].GetUint64());
  CHECK(document["notes"].Empty());
}

TEST_CASE("a page has the notes of its run, as text") {
  Profile profile = test::fixed_profile();
  profile.notes = {"3 files of \x1b[1mperl</script> have no table"};
  profile.merge(profile);
  const auto document = parsed(data_of(page_of(profile)));
  REQUIRE(document["notes"].Size() == 2);
  CHECK(std::string(document["notes"][1].GetString()) == clean_text(profile.notes.front()));
}

TEST_CASE("a page has the frames without names, the other measurements and the word for a tag") {
  Profile profile = test::fixed_profile();
  profile.run.tag = "system call";
  const auto document = parsed(data_of(page_of(profile)));
  REQUIRE(document["names"].Size() > 0);
  CHECK(std::string(document["names"][0].GetString()).find("frames have a function name; ") != std::string::npos);
  CHECK(document["tables"].Empty());
  CHECK(std::string(document["run"]["tag"].GetString()) == "system call");

  const Profile measures = test::measures_profile();
  std::ostringstream tables;
  find_output_format("table")->make({}).report(tables, measures);
  std::string lines;
  const auto with_tables = parsed(data_of(page_of(measures)));
  for (const auto& line : with_tables["tables"].GetArray()) lines += line.GetString() + std::string("\n");
  CHECK(lines == tables.str());
  CHECK(lines.find("recvfrom") != std::string::npos);
}

TEST_CASE("the page of a comparison has both profiles in one table") {
  const Profile before = test::profile_with_lines();
  const Profile now = test::fixed_profile();
  std::ostringstream out;
  write_flame_html(out, OwnFlameView(now, &before).view());
  const auto document = parsed(data_of(out.str()));
  CHECK(total(document, document["cells"]) == now.total());
  CHECK(total(document, document["before"]["cells"]) == before.total());
  CHECK(document["before"]["account"]["recorded"].GetUint64() == before.account.recorded);
}

TEST_CASE("a page of a recording has each sample with its time") {
  for (const Unit unit : {Unit::samples, Unit::microseconds}) {
    Profile profile = test::fixed_profile();
    profile.run.unit = unit;
    Timeline timeline{.begin_us = 2'000'000, .end_us = 9'000'500, .samples = {}};
    for (std::uint32_t row = 0; row < profile.rows().size(); ++row) {
      timeline.samples.push_back(
          {.time_us = 2'000'999 + row * 300'001ULL, .value = profile.rows()[row].value, .row = row});
    }
    profile.timeline = timeline;
    const std::string page = data_of(page_of(profile));
    const std::size_t end_of_data = page.find("</script>");
    REQUIRE(end_of_data != std::string::npos);
    const auto document = parsed(page.substr(0, end_of_data));
    const auto& times = document["times"];
    const std::uint64_t tick_us = unit == Unit::samples ? 1000 : 1;
    CHECK(times["tick_us"].GetUint64() == tick_us);
    CHECK(times["from"].GetUint64() == 2'000'000 / tick_us);
    CHECK(times["to"].GetUint64() == (unit == Unit::samples ? 9001 : 9'000'500));
    REQUIRE(times["samples"].GetUint64() == timeline.samples.size());
    const std::string letters = page.substr(page.find('>', end_of_data + 9) + 1);
    const std::string bytes = gunzipped(bytes_of_letters(letters), 100'000);
    std::string_view rest = bytes;
    std::uint64_t tick = 0;
    for (const TimedSample& sample : timeline.samples) CHECK((tick += next_number(rest)) == sample.time_us / tick_us);
    std::vector<std::uint64_t> sums(document["cells"]["value"].Size());
    std::vector<std::uint64_t> cells;
    for (std::size_t i = 0; i < timeline.samples.size(); ++i) cells.push_back(next_number(rest));
    for (const std::uint64_t cell : cells) sums.at(cell) += next_number(rest);
    CHECK(rest.empty());
    for (unsigned cell = 0; cell < sums.size(); ++cell) {
      CHECK(sums[cell] == document["cells"]["value"][cell].GetUint64());
    }
  }
}

TEST_CASE("the table after a mark has only what was added since then") {
  FlameTable table;
  const auto text_from = [&table](const FlameTable::Mark& from) {
    std::ostringstream out;
    JsonWriter json(out);
    json.begin_object();
    write_flame_table(json, table, from);
    json.end_object();
    json.end_document();
    return out.str();
  };
  table.add(test::profile_with_lines());
  const FlameTable::Mark mark = table.mark();
  CHECK(text_from(mark) ==
        R"({"strings":[],"frames":{"name":[],"module":[],"file":[],"line":[],"kind":[]},)"
        R"("owners":{"process":[],"pid":[],"thread":[],"tid":[],"cpu":[]},"nodes":{"parent":[],"frame":[]}})"
        "\n");
  const auto frame = table.intern_frame({.name = table.intern("fresh"), .kind = FlameKind::jit});
  table.child(FlameTable::none, frame);
  table.intern_owner({.process = table.intern("fresh"), .tgid = 5, .thread = table.intern("t"), .tid = 6, .cpu = 7});
  const auto name = std::to_string(mark.strings);
  const auto thread = std::to_string(mark.strings + 1);
  CHECK(text_from(mark) == R"({"strings":["fresh","t"],"frames":{"name":[)" + name +
                               R"(],"module":[0],"file":[0],"line":[0],"kind":[3]},"owners":{"process":[)" + name +
                               R"(],"pid":[5],"thread":[)" + thread +
                               R"(],"tid":[6],"cpu":[7]},"nodes":{"parent":[-1],"frame":[)" +
                               std::to_string(mark.frames) + "]}}\n");
}

TEST_CASE("a page in a file may connect to nothing, and the live page only to its own server") {
  CHECK(page_before_data(PageUse::file).find("connect-src 'none'") != std::string_view::npos);
  CHECK(page_before_data(PageUse::live).find("connect-src 'self'") != std::string_view::npos);
  for (const PageUse use : {PageUse::file, PageUse::live}) {
    const std::string_view head = page_before_data(use);
    CHECK(head.find("default-src 'none'") != std::string_view::npos);
    CHECK(head.find("unsafe") == std::string_view::npos);
    CHECK(head.find('@') == head.find("@media"));  // no placeholder mark is left
  }
}
