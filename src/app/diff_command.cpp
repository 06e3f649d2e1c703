#include "app/diff_command.h"

#include <ostream>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/output_options.h"
#include "app/print.h"
#include "app/reading.h"
#include "app/shell_words.h"
#include "app/written.h"
#include "files/destination.h"
#include "output/flame/comparison.h"
#include "output/flame/diff_table.h"
#include "output/flame/view.h"
#include "support/error.h"

namespace profile {
namespace {

constexpr std::string_view taken_options[] = {"output", "format", "modules", "top", "quiet", "help"};
constexpr ReadingCommand command{.name = "diff", .options = taken_options};

using WriteFlame = void (*)(std::ostream&, const FlameView&);

// The formats that can show two profiles: flame graphs and the table. `write` is nullptr for the table.
struct Form {
  std::string_view format;
  WriteFlame write;
};
constexpr Form forms[] = {{"table", nullptr},
                          {"html", [](std::ostream& out, const FlameView& view) { write_flame_html(out, view); }},
                          {"svg", [](std::ostream& out, const FlameView& view) { write_flame_svg(out, view); }},
                          {"png", [](std::ostream& out, const FlameView& view) { write_flame_png(out, view); }}};

void print_diff_help(std::ostream& out) {
  out << "usage: profile diff [options] BEFORE AFTER\n"
         "\nCompares two profiles, in any format that report reads: shares of their totals, so that one may have "
         "been\n"
         "taken for longer than the other. Prints the functions that gained and lost most, by what they did "
         "themselves,\n"
         "or draws the flame graph of AFTER with what changed in colour. - is stdin.\n\n";
  print_options(out, command);
  out << "\nFormats: table (.table, .txt; on stdout without -o), html, svg, png\n"
         "\nExamples:\n"
         "  profile diff monday.pb.gz tuesday.pb.gz\n"
         "  profile diff -o diff.html before.folded after.folded\n";
}

WriteFlame writer_of(const OutputRequest& output, bool is_forced) {
  const std::string_view format = output.format->name;
  for (const Form& form : forms) {
    if (form.format == format) return form.write;
  }
  // A file name that ends in ".txt" asks for readable text, so it gets the table.
  if (!is_forced && format == "counted") return nullptr;
  throw usage_error("diff: " + (is_forced ? "--format " : "-o " + output.path + ": ") + std::string(format) +
                    " cannot show a comparison; table, html, svg and png can");
}

class Comparison {
 public:
  Comparison(ReadProfile before, ReadProfile after, const DiffOptions& options)
      : before_(std::move(before)), after_(std::move(after)), options_(options) {
    after_.profile.run.headline = after_.name + " compared with " + before_.name;
  }

  void write(std::ostream& out, WriteFlame write_flame) const {
    if (write_flame == nullptr) {
      const FlameComparison flames = compare_flames(before_.profile, after_.profile, same_);
      write_diff_table(out, {.name = before_.name, .cells = flames.before},
                       {.name = after_.name, .cells = flames.after}, flames.table, options_);
    } else {
      write_flame(out, OwnFlameView(after_.profile, &before_.profile, same_).view());
    }
  }

 private:
  ReadProfile before_;
  ReadProfile after_;
  DiffOptions options_;
  SameFunction same_ = options_.show_modules ? SameFunction::by_name_and_module : SameFunction::by_name;
};

}  // namespace

const ReadingCommand& diff_command() { return command; }

int run_diff(std::span<const char* const> arguments) {
  const ParsedOptions parsed = parse_reading(command, arguments);
  if (parsed.is_on("help")) return print_on_stdout(print_diff_help);
  const std::vector<std::string> paths = files_of(command, parsed);
  if (paths.size() != 2) throw usage_error("diff: two files are compared, BEFORE and AFTER");
  const std::vector<OutputRequest> outputs = outputs_of(parsed, "table", true);
  check_outputs(outputs, false, false);
  std::vector<WriteFlame> writers;
  writers.reserve(outputs.size());
  for (const OutputRequest& output : outputs) writers.push_back(writer_of(output, parsed.has("format")));

  const bool quiet = parsed.is_on("quiet");
  const auto note = [quiet](const std::string& line) {
    if (!quiet) say("profile: " + line);
  };
  ReadProfile before = read_named(paths[0], note);
  ReadProfile after = read_named(paths[1], note);
  agree_on_unit(before, after, "compared");
  // Source lines are compared too: the pictures show the lines that both profiles have.
  before.profile.run.frames_by_line = after.profile.run.frames_by_line = true;
  after.profile.run.command_line = "profile diff " + shell_quoted(arguments);
  const OutputOptions shown = output_options_of(parsed);
  const DiffOptions options{.unit = after.profile.run.unit, .top = shown.top, .show_modules = shown.show_modules};
  const Comparison comparison(std::move(before), std::move(after), options);
  int status = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    try {
      Destination destination(only_path_of(outputs[i]));
      const auto result = destination.write([&](std::ostream& out) { comparison.write(out, writers[i]); });
      if (result != Destination::Result::written) continue;
      destination.close();
      if (!quiet && !destination.is_stdout()) say(wrote(destination, *outputs[i].format));
    } catch (const Error& error) {  // the other outputs are still written
      say(std::string("profile: ") + error.what());
      status = Error::could_not_profile;
    }
  }
  return status;
}

}  // namespace profile
