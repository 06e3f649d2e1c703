// Tests what holds for every profile: no format loses a sample or counts it twice, and all output can be read back,
// however hostile the names. The profiles are the fixed one and random ones.
#include <doctest/doctest.h>

#include <rapidjson/document.h>

#include <cstdio>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "output/output.h"

namespace {

using namespace profile;

std::vector<std::string> report_lines(std::string_view format, const OutputOptions& options, const Profile& profile) {
  std::stringstream out;
  find_output_format(format)->make(options).report(out, profile);
  std::vector<std::string> lines;
  for (std::string line; std::getline(out, line);) lines.push_back(line);
  return lines;
}

std::optional<std::uint64_t> number(const std::string& digits) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  return std::stoull(digits);
}

// The value of a line `frame(;frame)* digits`. nullopt: a frame is empty, or the line has a control byte or another
// form.
std::optional<std::uint64_t> folded_value(const std::string& line) {
  for (const char c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return std::nullopt;
  }
  const std::size_t space = line.rfind(' ');
  if (space == std::string::npos || space == 0) return std::nullopt;
  const std::string stack = ';' + line.substr(0, space) + ';';
  if (stack.find(";;") != std::string::npos) return std::nullopt;
  return number(line.substr(space + 1));
}

// The sum of the functions' own values in the table is the profile's, within the rounding of each row and the shares of
// less than 0.05 % that it leaves out. The profile has only stacks.
void check_table(const Profile& profile) {
  const auto lines = report_lines("table", {.top = SIZE_MAX}, profile);
  REQUIRE(!lines.empty());
  const std::string unit = lines[0].substr(lines[0].rfind(' ') + 1);
  const double us = unit == "s" ? 1e6 : unit == "ms" ? 1e3 : 1;  // one where it is not a time
  double sum = 0;
  const auto total = static_cast<double>(profile.total());
  std::size_t left_out = 0;  // "Top 12 functions of 34, in us"
  if (const auto of = lines[0].find(" of "); of != std::string::npos) {
    left_out = std::stoul(lines[0].substr(of + 4)) - (lines.size() - 3);
  }
  double most_off = 0.5 + total * 0.0005 * static_cast<double>(left_out);
  for (std::size_t i = 2; i + 1 < lines.size(); ++i) {  // after the title and the headings, before the empty line
    const std::size_t begin = lines[i].find_first_not_of(' ');
    const std::string self = lines[i].substr(begin, lines[i].find(' ', begin) - begin);
    const std::size_t point = self.find('.');
    REQUIRE_MESSAGE(self.find_first_not_of("0123456789.") == std::string::npos, lines[i]);
    sum += us * std::stod(self);
    if (point != std::string::npos) most_off += us * 0.5 * std::pow(10, -static_cast<double>(self.size() - point - 1));
  }
  CHECK(std::abs(sum - total) <= most_off);
}

void check_json(const Profile& profile) {
  const auto lines = report_lines("json", {}, profile);
  REQUIRE(lines.size() == 1);
  rapidjson::Document document;
  REQUIRE_FALSE(document.Parse<rapidjson::kParseValidateEncodingFlag>(lines[0].c_str()).HasParseError());
  const auto& stacks = document["ebpf"]["profile"];
  std::uint64_t value = 0;
  std::uint64_t samples = 0;
  for (const auto& row : stacks["rows"].GetArray()) {
    value += row["value"].GetUint64();
    samples += row["samples"].GetUint64();
    for (const char* const part : {"user", "kernel"}) {
      if (row.HasMember(part) && row[part].IsUint()) CHECK(row[part].GetUint() < stacks["stacks"].Size());
    }
  }
  for (const auto& stack : stacks["stacks"].GetArray()) {
    for (const auto& frame : stack.GetArray()) CHECK(frame.GetUint() < stacks["frames"].Size());
  }
  std::uint64_t samples_there_are = 0;
  for (const Row& row : profile.rows()) samples_there_are += row.samples;
  CHECK(value == profile.total());
  CHECK(samples == samples_there_are);
  CHECK(stacks["total_value"].GetUint64() == value);
  CHECK(stacks["total_samples"].GetUint64() == samples);
  CHECK(stacks["rows"].Size() == profile.rows().size());
}

void check_properties(const Profile& profile) {
  check_table(profile);
  check_json(profile);
  for (const bool flag : {false, true}) {
    const OutputOptions options{.delimited = flag, .annotate = flag, .show_addresses = flag, .show_modules = flag};
    std::uint64_t folded = 0;
    std::uint64_t previous = 0;
    std::set<std::string> stacks;
    for (const std::string& line : report_lines("folded", options, profile)) {
      const auto value = folded_value(line);
      REQUIRE_MESSAGE(value.has_value(), line);
      CHECK_MESSAGE(stacks.insert(line.substr(0, line.rfind(' '))).second, "twice: " << line);
      CHECK(*value >= previous);
      previous = *value;
      folded += *value;
    }
    CHECK(folded == profile.total());

    std::uint64_t counted = 0;
    std::string block;
    std::set<std::string> blocks;
    for (const std::string& line : report_lines("counted", options, profile)) {
      if (line.empty()) continue;
      const auto value = line.starts_with("        ") ? number(line.substr(8)) : std::nullopt;
      if (!value) {
        CHECK(line.starts_with("    "));
        block += line + '\n';
        continue;
      }
      counted += *value;
      CHECK_MESSAGE(blocks.insert(block).second, "twice: " << block);
      block.clear();
    }
    CHECK(block.empty());
    CHECK(counted == profile.total());
  }
}

// Few names and few addresses: many frames look the same, but few are the same. Names may have any bytes.
Profile random_profile(std::mt19937& random) {
  const auto below = [&random](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  const auto name = [&] {
    std::string text(below(4), ' ');
    constexpr std::string_view often = ";\n\x1b \xc2\x9b-[]";
    for (char& c : text) c = below(2) != 0 ? often[below(often.size())] : static_cast<char>(below(256));
    return text;
  };
  Profile profile;
  const auto stack = [&](ProcessId space, FrameKind kind) {
    if (below(8) == 0) return below(2) == 0 ? StackId::none : StackId::missed;
    std::vector<std::uint64_t> addresses(below(5));
    for (auto& address : addresses) address = below(20);
    return profile.stack_of(space, kind, addresses);
  };
  for (int i = 0; i < 200; ++i) {
    Row row;
    row.process = profile.process(below(3), below(2), name());
    row.thread_name = profile.strings.intern(name());
    row.user = stack(row.process, FrameKind::user);
    row.kernel = stack(ProcessId::kernel, FrameKind::kernel);
    if (below(3) == 0) row.tag = profile.strings.intern(name());
    row.samples = below(5);
    row.value = row.samples * below(1'000'000);
    profile.add(row);
  }
  profile.run.unit = "microseconds";
  for (Frame& frame : profile.frames()) {
    frame.unnamed = static_cast<Unnamed>(below(static_cast<std::uint32_t>(Unnamed::count)));
    if (frame.unnamed == Unnamed::named) frame.symbol = profile.strings.intern(name());
    frame.module = profile.strings.intern(name());
    frame.offset = below(3);
    std::vector<InlinedFunction> inlined(below(3));
    const auto line = [&] { return SourceLine{profile.strings.intern(name()), below(3)}; };
    for (InlinedFunction& function : inlined) function = {profile.strings.intern(name()), line()};
    if (below(2) == 0) frame.source = profile.source({.at = line(), .inlined = inlined});
  }
  return profile;
}

// Checks each group of rows: its shares do not rise, and their sum is 100 % within the rounding of each row.
void check_shares(const Profile& profile) {
  std::vector<std::pair<double, int>> groups;
  double previous = 0;
  for (const std::string& line : report_lines("residency", {}, profile)) {
    double share = 0;
    int end = 0;
    if (std::sscanf(line.c_str(), "%lf%%     %n", &share, &end) != 1 || end == 0) {
      if (!line.empty() && line != "Residency Stack trace") groups.emplace_back(0.0, 0);
      previous = 100;
      continue;
    }
    CHECK(line.back() == ';');
    CHECK(line.find(";;") == std::string::npos);
    CHECK(share <= previous);
    previous = share;
    REQUIRE(!groups.empty());
    groups.back().first += share;
    ++groups.back().second;
  }
  CHECK(groups.size() >= 2);
  for (const auto& [sum, rows] : groups) {
    CHECK(sum >= 100 - 0.05 * rows - 1e-6);
    CHECK(sum <= 100 + 0.05 * rows + 1e-6);
  }
}

}  // namespace

TEST_CASE("the fixed profile has 92 samples in every format, and every folded line is valid") {
  const Profile profile = test::fixed_profile();
  CHECK(profile.total() == 92);
  check_properties(profile);
  check_shares(profile);
  const Profile with_lines = test::profile_with_lines();
  CHECK(with_lines.total() == 17);
  check_properties(with_lines);
}

TEST_CASE("every format keeps tags, values of several samples and other units") {
  Profile profile = test::wall_profile();
  profile.thread_waits.reset();  // a profile with tables does not show its functions
  CHECK(profile.total() == 4'700'000);
  check_properties(profile);
}

TEST_CASE("random profiles with names of any bytes keep their totals in every format") {
  std::mt19937 random(20240607);
  for (int i = 0; i < 50; ++i) {
    const Profile profile = random_profile(random);
    check_properties(profile);
    check_shares(profile);
  }
}

TEST_CASE("the order of the samples changes no byte of a report") {
  const auto build = [](bool turned) {
    Profile profile;
    if (turned) test::add_kernel_only(profile);
    if (turned) test::add_hostile(profile);
    test::add_dd(profile);
    if (!turned) test::add_hostile(profile);
    if (!turned) test::add_kernel_only(profile);
    return profile;
  };
  for (const OutputFormat& format : output_formats()) {
    CAPTURE(format.name);
    if (needs_times(format)) continue;
    // These formats number things in the order of the profile.
    if (format.shows == Shows::everything || format.name == "pprof" || format.name == "html") continue;
    CHECK(report_lines(format.name, {}, build(false)) == report_lines(format.name, {}, build(true)));
  }
}

TEST_CASE("rows with one value come in the order of their texts, however long the beginnings that these share") {
  std::mt19937 random(20261126);
  Profile profile;
  test::Namer name(profile);
  const ProcessId process = profile.process(1, 0, "x");
  Row row{.process = process, .thread_name = profile.strings.intern("x"), .value = 1};
  std::set<std::string> texts;
  std::uint64_t address = 1;
  for (const std::size_t shared : {0, 1, 7, 8, 9, 16, 100, 504, 512, 700}) {
    for (int i = 0; i < 40; ++i) {
      std::string text(shared, 'a');
      for (auto letters = random() % 12; letters != 0; --letters) {
        constexpr std::string_view some[] = {"a", "b", "~", "\xc3\xa9"};
        text += some[random() % 4];
      }
      if (text.empty() || !texts.insert(text).second) continue;
      row.user = profile.stack(std::vector{name.user(process, address++, text, "x", 0)});
      profile.add(row);
    }
  }
  std::vector<std::string> expected;
  expected.reserve(texts.size());
  for (const std::string& text : texts) expected.push_back("x;" + text + " 1");
  CHECK(report_lines("folded", {}, profile) == expected);
}

TEST_CASE("a kernel frame and a user frame with one name are equal without marks and different with marks") {
  Profile profile;
  test::Namer name(profile);
  const ProcessId process = profile.process(1, 0, "x");
  const FrameId user = name.user(process, 1, "copy", "x", 0);
  const FrameId kernel = name.kernel(2, "copy", "kernel", 0);
  Row row;
  row.process = process;
  row.thread_name = profile.strings.intern("x");
  row.value = 1;
  row.user = profile.stack(std::vector{user});
  profile.add(row);
  row.user = StackId::none;
  row.kernel = profile.stack(std::vector{kernel});
  profile.add(row);
  CHECK(report_lines("folded", {}, profile) == std::vector<std::string>{"x;copy 2"});
  CHECK(report_lines("folded", {.annotate = true}, profile) == std::vector<std::string>{"x;copy 1", "x;copy_[k] 1"});
}

TEST_CASE("threads and processes with one stack stay apart in formats that name them") {
  Profile profile;
  const ProcessId first = profile.process(1, 0, "a");
  const ProcessId second = profile.process(2, 0, "a");
  for (const auto& [process, thread] : {std::pair(second, "t"), std::pair(first, "u"), std::pair(first, "t")}) {
    profile.add(Row{.process = process, .thread_name = profile.strings.intern(thread), .value = 1});
  }
  const std::string dash = "    -                ";
  const std::string count = "        1";
  CHECK(report_lines("counted", {}, profile) ==
        std::vector<std::string>{dash + "t (1)", count, "", dash + "t (2)", count, "", dash + "u (1)", count, ""});
  CHECK(report_lines("folded", {}, profile) == std::vector<std::string>{"u 1", "t 2"});
}
