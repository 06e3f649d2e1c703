// `profile diff BEFORE AFTER`: shows what got slower, as a table or as a flame graph in two colours.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/file_comparison.h"
#include "app/options.h"
#include "app/output_options.h"
#include "app/print.h"
#include "app/reading.h"
#include "files/destination.h"
#include "model/wakers.h"
#include "output/flame/diff_table.h"
#include "output/flame/view.h"
#include "support/error.h"
#include "support/text_parts.h"

namespace profile {

extern const Subcommand diff_command;

namespace {

constexpr std::string_view diff_options[] = {"a",          "b",
                                             "a-version",  "b-version",
                                             "service",    "service-version",
                                             "host",       "push-auth-file",
                                             "fail-above", "from",
                                             "to",         "pid",
                                             "tid",        "comm",
                                             "cpu",        "event",
                                             "focus",      "hide",
                                             "collapse",   "merge-processes",
                                             "output",     "format",
                                             "modules",    "top",
                                             "quiet",      "help"};

constexpr int has_grown = 3;  // exit status, by --fail-above

using WriteFlame = void (*)(std::ostream&, const FlameView&);

// The formats that can show two profiles: flame graphs and the table. `write` is nullptr for the table.
struct Form {
  std::string_view format;
  WriteFlame write;
};
constexpr Form forms[] = {
    {"table", nullptr}, {"html", write_flame_html}, {"svg", write_flame_svg}, {"png", write_flame_png}};

void print_diff_help(std::ostream& out) {
  out << "usage: profile diff [options] BEFORE AFTER\n"
         "       profile diff [options] --a TIMES --b TIMES RECORDING|URL\n"
         "\nCompares two profiles, in any format that report reads: shares of their totals, so that one may have "
         "been\n"
         "taken for longer than the other. Prints the functions that gained and lost most, by what they did "
         "themselves,\n"
         "or draws the flame graph of AFTER with what changed in colour. - is stdin. Of two recordings (profile "
         "record)\n"
         "it tells which changes are sure and which may be chance, with a 95 % interval of each. One file of folded "
         "lines\n"
         "with two counts each, as difffolded.pl writes them, is both.\n\n";
  print_options(out, diff_command);
  out << "\nFormats: table (.table, .txt; on stdout without -o), html, svg, png\n"
         "\nExit status: 0 compared, 1 could not compare, 2 wrong usage, 3 a function has grown (--fail-above).\n"
         "\nExamples:\n"
         "  profile diff monday.pb.gz tuesday.pb.gz\n"
         "  profile diff -o diff.html before.folded after.folded\n"
         "  profile diff --a 0:10 --b 20:30 run.db\n"
         "  profile diff --fail-above 2% main.db branch.db\n"
         "  profile diff --service shop --a -25h..-24h --b -1h.. clickhouse+http://store:8123/profiles\n";
}

WriteFlame writer_of(const OutputRequest& output, bool is_forced) {
  const std::string_view format = output.format->name;
  const auto* const form = std::ranges::find(forms, format, &Form::format);
  if (form != std::end(forms)) return form->write;
  // A file name that ends in ".txt" asks for readable text, so it gets the table.
  if (!is_forced && format == "counted") return nullptr;
  throw usage_error("diff: " + (is_forced ? "--format " : "-o " + output.path + ": ") + std::string(format) +
                    " cannot show a comparison; table, html, svg and png can");
}

// NO_COLOR: https://no-color.org
bool is_colour_terminal() {
  const char* const refusal = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return ::isatty(STDOUT_FILENO) == 1 && (refusal == nullptr || *refusal == '\0');
}

// A file, and which of its samples are compared.
struct Side {
  std::string path;
  std::string times;  // of --a or --b; "": all
  ReadRequest request;

  [[nodiscard]] std::string name() const { return path == "-" ? "stdin" : path; }
};

Side side_of(const ParsedOptions& parsed, const std::string& path, const char* times, const char* version) {
  Side side{.path = path, .times = parsed.text(times), .request = request_of(parsed)};
  if (parsed.has(version)) {
    parsed.exclude({version, "service-version"});
    side.request.version = parsed.text(version);
  }
  if (parsed.has(version) && side.request.version.empty()) throw bad_value(version, "''", "not a version");
  if (parsed.has(times)) {
    for (const char* const bound : {"from", "to"}) parsed.exclude({times, bound});
    choose_times(side.request, times, side.times);
  }
  return side;
}

struct Sides {
  Side before;
  Side after;
  bool are_counts = false;  // of one file, with two counts a line
};

Error not_two(const std::string& why) {
  return usage_error("diff: " + why +
                     "two files are compared, BEFORE and AFTER, or two parts of one, with --a and --b");
}

Sides sides_of(const ParsedOptions& parsed) {
  const std::vector<std::string> paths = files_of(diff_command, parsed);
  const auto has_both = [&](const char* a, const char* b) { return parsed.has(a) && parsed.has(b); };
  const auto is_any = [&](const char* name) { return parsed.has(name); };
  const bool is_one_file = paths.size() == 1 && (has_both("a", "b") || has_both("a-version", "b-version"));
  constexpr const char* parts[] = {"a", "b", "a-version", "b-version"};
  const bool are_counts = paths.size() == 1 && std::ranges::none_of(parts, is_any) && !tells_times(paths.front());
  if (paths.size() != 2 && !is_one_file && !are_counts) throw not_two("");
  if (is_one_file && paths.front() == "-") throw usage_error("diff: two parts of stdin cannot be read");
  return {.before = side_of(parsed, paths.front(), "a", "a-version"),
          .after = side_of(parsed, paths.back(), "b", "b-version"),
          .are_counts = are_counts};
}

ReadProfile read_side(const Side& side, bool in_blocks, const std::function<void(const std::string&)>& note) {
  ReadProfile read =
      in_blocks ? read_in_blocks(side.path, side.request, note) : read_named(side.path, side.request, note);
  if (!side.times.empty()) read.name += " " + side.times;
  note_comparison(read, note);
  return read;
}

std::pair<ReadProfile, ReadProfile> read_counts(const Side& side, const std::function<void(const std::string&)>& note) {
  ReadProfile after = read_named(side.path, side.request, note);
  if (!after.before) throw not_two(after.name + " alone is no comparison, with two counts a line: ");
  ReadProfile before{.name = after.name + ", first counts", .profile = *std::move(after.before)};
  after.name += ", second counts";
  return {std::move(before), std::move(after)};
}

std::pair<ReadProfile, ReadProfile> read_sides(const Sides& sides, bool in_blocks,
                                               const std::function<void(const std::string&)>& note) {
  if (sides.are_counts) return read_counts(sides.after, note);
  ReadProfile before = read_side(sides.before, in_blocks, note);
  return {std::move(before), read_side(sides.after, in_blocks, note)};
}

// Why there are no intervals; "": there are.
std::string why_no_times(const Side& before, const Side& after) {
  std::vector<std::string> files;
  if (!tells_times(before.path)) files.push_back(before.name());
  if (after.path != before.path && !tells_times(after.path)) files.push_back(after.name());
  return files.empty() ? "" : without_times(files);
}

// The share of --fail-above: 0.02 for "2%".
std::optional<double> greatest_growth(const ParsedOptions& parsed) {
  if (!parsed.has("fail-above")) return std::nullopt;
  const std::string typed = parsed.text("fail-above");
  const auto points = parse_number<double>(typed.ends_with('%') ? typed.substr(0, typed.size() - 1) : typed);
  if (!points || !(*points >= 0 && *points < 100)) {
    throw bad_value("fail-above", typed.empty() ? "''" : typed, "not a share from 0% to less than 100%");
  }
  return *points / 100;
}

using BuildIds = std::map<std::string, std::string, std::less<>>;  // by module; empty where the file has several

BuildIds build_ids_of(const Profile& profile) {
  BuildIds ids;
  for (const Frame& frame : profile.frames()) {
    if (frame.binary == BinaryId::none) continue;
    const std::string_view id = profile.strings.view(profile.binary(frame.binary).build_id);
    const auto [known, is_new] = ids.try_emplace(std::string(profile.strings.view(frame.module)), id);
    if (!is_new && known->second != id) known->second.clear();
  }
  return ids;
}

// A place in a file without symbols is another function in another build of that file, so it gets the build-id.
void name_builds(Profile& profile, const BuildIds& own, const BuildIds& other) {
  constexpr std::size_t shown_digits = 8;
  for (Frame& frame : profile.frames()) {
    if (frame.unnamed == Unnamed::named || frame.module == StringId::empty) continue;
    const std::string_view module = profile.strings.view(frame.module);
    const auto id = own.find(module);
    const auto there = other.find(module);
    if (id == own.end() || there == other.end() || id->second.empty() || there->second.empty()) continue;
    if (id->second == there->second) continue;
    frame.module = profile.strings.intern(std::string(module) + " " + id->second.substr(0, shown_digits));
  }
}

int run_diff(std::span<const char* const> arguments) {
  const ParsedOptions parsed = parse_reading(diff_command, arguments);
  if (parsed.is_on("help")) return print_on_stdout(print_diff_help);
  const OutputOptions shown = output_options_of(parsed);  // first, because --top without a number takes a file for one
  const Sides sides = sides_of(parsed);
  const std::optional<double> growth = greatest_growth(parsed);
  const std::vector<OutputRequest> outputs = outputs_of(parsed, parsed.texts("output"), "table", true);
  check_outputs(outputs, false, false);
  std::vector<WriteFlame> writers;
  writers.reserve(outputs.size());
  for (const OutputRequest& output : outputs) writers.push_back(writer_of(output, parsed.has("format")));

  const bool quiet = parsed.is_on("quiet");
  std::set<std::string> noted;  // a store is read twice
  const auto note = [&](const std::string& line) {
    if (!quiet && noted.insert(line).second) say("profile: " + line);
  };
  const ReadEdits edits = edits_of(parsed);
  const std::string no_times = why_no_times(sides.before, sides.after);
  auto [before, after] = read_sides(sides, no_times.empty(), note);
  if (growth && !no_times.empty()) throw Error("--fail-above: " + no_times);
  agree_on_unit(before, after, "compared");
  const BuildIds ids_before = build_ids_of(before.profile);
  const BuildIds ids_after = build_ids_of(after.profile);
  name_builds(before.profile, ids_before, ids_after);
  name_builds(after.profile, ids_after, ids_before);
  for (ReadProfile* const file : {&before, &after}) {
    if (const std::string share = edits.apply(file->profile, file->name, note); !share.empty()) {
      file->name = share + " of " + file->name;
    }
  }
  append_wakers(before.profile);
  append_wakers(after.profile);
  // Source lines are compared too: the pictures show the lines that both profiles have.
  before.profile.run.frames_by_line = after.profile.run.frames_by_line = true;
  after.profile.run.command_line = "profile diff " + shell_quoted(arguments);
  DiffOptions options{.unit = after.profile.run.unit.word(), .top = shown.top, .show_modules = shown.show_modules};
  after.profile.run.headline = after.name + " compared with " + before.name;
  FileComparison comparison(before, after, shown.show_modules, no_times);
  int status = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    try {
      Destination destination(only_path(outputs[i].path));
      options.is_coloured = destination.is_stdout() && is_colour_terminal();
      const auto compare = [&](std::ostream& out) {
        writers[i] == nullptr ? comparison.write_table(out, options) : comparison.write_flame_graph(out, writers[i]);
      };
      const auto print = [&](std::ostream& out) { outputs[i].is_gzipped ? write_gzipped(out, compare) : compare(out); };
      if (destination.write(print) != Destination::Result::written) continue;
      destination.close();
      if (!quiet && !destination.is_stdout()) say(wrote(destination, *outputs[i].format));
    } catch (const Error& error) {  // the other outputs are still written
      say(std::string("profile: ") + error.what());
      status = Error::could_not_profile;
    }
  }
  if (!growth) return status;
  const std::vector<std::string> grown = comparison.grown_above(*growth);
  for (const std::string& line : grown) say("profile: " + line + ", surely more than " + parsed.text("fail-above"));
  return grown.empty() ? status : has_grown;
}

}  // namespace

const Subcommand diff_command{.name = "diff",
                              .summary = "compare two recorded profiles",
                              .arguments = "FILE...",
                              .files = "'1:BEFORE:_files' '2::AFTER:_files'",
                              .options = diff_options,
                              .run = run_diff};

}  // namespace profile
