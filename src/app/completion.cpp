// Fills the templates of the completion scripts. All contents come from the tables, except the kind of value that an
// option takes: no table has it, so it stands here.
#include "app/completion.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ostream>
#include <span>
#include <utility>
#include <vector>

#include "app/completion_text.h"
#include "app/diff_command.h"
#include "app/options.h"
#include "app/parsed_options.h"
#include "app/report_command.h"
#include "model/syscall_analysis.h"
#include "sampling/perf_events.h"

namespace profile {
namespace {

// A word that can be completed, and its meaning.
struct Choice {
  std::string word;
  std::string summary;
};
using Choices = std::vector<Choice>;

// The kind of an option's value: the function _profile_<kind> of both scripts completes it.
std::string kind_of(const OptionRow& row) {
  constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {"event", "events"},    {"state", "states"},      {"category", "categories"},
      {"pid", "pids"},        {"tid", "tids"},          {"comm", "names"},
      {"cpu", "cpus"},        {"cgroup", "cgroups"},    {"cgroupmap", "pinned"},
      {"mntnsmap", "pinned"}, {"format", "formats"},    {"stream", "forms"},
      {"output", "outputs"},  {"completion", "shells"}, {"unwind", "ways"}};
  for (const auto& [name, kind] : kinds) {
    if (row.long_name == name) return std::string(kind);
  }
  if (row.argument == "DIR") return "directories";
  if (row.argument == "FILE" || row.argument == "PATTERN") return "files";
  return "nothing";
}

bool may_lack_value(const OptionRow& row) { return row.argument.starts_with('['); }

// "FORM" for "[=FORM]".
std::string placeholder(const OptionRow& row) {
  std::string text(row.argument);
  std::erase_if(text, [](char c) { return c == '[' || c == '=' || c == ']'; });
  return text;
}

// --- The tables ------------------------------------------------------------------------------------------------------

// The names of events. Families of events are left to the scripts: their names have a placeholder in capitals.
Choices events() {
  Choices all;
  for (const SourceKind& kind : source_kinds()) {
    if (std::any_of(kind.name.begin(), kind.name.end(), [](unsigned char c) { return std::isupper(c) != 0; })) continue;
    all.push_back({std::string(kind.name), std::string(kind.summary)});
    if (!kind.alias.empty()) all.push_back({std::string(kind.alias), std::string(kind.summary)});
  }
  for (std::string& name : cache_event_names()) all.push_back({std::move(name), ""});
  return all;
}

Choices formats() {
  Choices all;
  for (const OutputFormat& format : output_formats()) {
    all.push_back({std::string(format.name), std::string(format.summary)});
  }
  return all;
}

Choices endings() {
  Choices all;
  for (const OutputFormat& format : output_formats()) {
    if (!format.ending.empty()) all.push_back({std::string(format.ending), ""});
  }
  return all;
}

Choices forms() {
  Choices all;
  for (const StreamForm& form : stream_forms()) all.push_back({std::string(form.name), std::string(form.summary)});
  return all;
}

Choices categories() {
  Choices all;
  for (std::size_t i = 0; i < syscall_categories; ++i) {
    all.push_back({std::string(name_of(static_cast<SyscallCategory>(i))), ""});
  }
  return all;
}

Choices states() { return {{"any", ""}, {"preempted", ""}, {"interruptible", ""}, {"uninterruptible", ""}}; }

Choices ways() { return {{"auto", ""}, {"cfi", ""}, {"fp", ""}}; }

// A command that reads profiles: the options that it takes, by long names, and its other arguments.
struct Subcommand {
  std::string_view name;
  std::string_view summary;
  std::string_view files;  // in the form that zsh's _arguments takes
  std::span<const std::string_view> options;

  [[nodiscard]] std::vector<OptionRow> rows() const {
    std::vector<OptionRow> taken;
    for (const OptionRow& row : option_rows()) {
      if (std::find(options.begin(), options.end(), row.long_name) != options.end()) taken.push_back(row);
    }
    return taken;
  }
};

std::vector<Subcommand> subcommands() {
  return {{"report", "write recorded profiles in any format", "'*:FILE:_files'", report_command().options},
          {"diff", "compare two recorded profiles", "'1:BEFORE:_files' '2:AFTER:_files'", diff_command().options}};
}

Choices shell_names() { return {{"bash", ""}, {"zsh", ""}}; }

// --- For bash --------------------------------------------------------------------------------------------------------

template <class Range, class Word>
std::string joined(const Range& range, std::string_view between, Word word) {
  std::string text;
  for (const auto& item : range) text += (text.empty() ? "" : std::string(between)) + std::string(word(item));
  return text;
}

std::string words_of(const Choices& choices) {
  return joined(choices, " ", [](const Choice& choice) { return choice.word; });
}

// Both spellings of an option.
std::vector<std::string> spellings(const OptionRow& row) {
  std::vector<std::string> all;
  if (row.short_name != 0) all.push_back({'-', row.short_name});
  all.push_back("--" + std::string(row.long_name));
  return all;
}

std::string bash_options(std::span<const OptionRow> rows) {
  std::string text;
  for (const OptionRow& row : rows) {
    for (const std::string& spelling : spellings(row)) text += "\n    " + spelling;
    if (row.argument.starts_with("[=")) text += "\n    --" + std::string(row.long_name) + "=";
  }
  return text;
}

// "[-e]=events [--event]=events" for options whose value is required, or (`may_lack`) for options whose value is
// optional.
std::string bash_values(std::span<const OptionRow> rows, bool may_lack) {
  std::string text;
  for (const OptionRow& row : rows) {
    if (row.argument.empty() || may_lack_value(row) != may_lack) continue;
    for (const std::string& spelling : spellings(row)) text += "\n    [" + spelling + "]=" + kind_of(row);
  }
  return text;
}

// --- For zsh ---------------------------------------------------------------------------------------------------------

// Quotes the text for the shell, with a backslash before each character of `special` in `text`.
std::string zsh_quoted(std::string_view before, std::string_view text, std::string_view special,
                       std::string_view after) {
  std::string quoted = "'" + std::string(before);
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) quoted += '\\';
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return quoted + std::string(after) + "'";
}

// The form that zsh's _describe takes: the word, a colon, its meaning.
std::string zsh_choices(const Choices& choices) {
  return joined(choices, "\n", [](const Choice& choice) {
    return "    " + zsh_quoted(choice.word, choice.summary.empty() ? "" : ":" + choice.summary, "\\", "");
  });
}

// The form that zsh's _arguments takes: "(-e --event)-e+[summary]:NAME:_profile_events".
std::string zsh_options(std::span<const OptionRow> rows) {
  const auto as_it_is = [](const std::string& name) { return name; };
  std::string text;
  for (const OptionRow& row : rows) {
    const std::vector<std::string> names = spellings(row);
    std::string before = row.repeatable ? "*" : "(" + joined(names, " ", as_it_is) + ")";
    std::string after = "]";
    if (!row.argument.empty()) {
      const std::string kind = kind_of(row);
      after +=
          (may_lack_value(row) ? "::" : ":") + placeholder(row) + ":" + (kind == "nothing" ? " " : "_profile_" + kind);
    }
    for (const std::string& name : names) {
      std::string how;
      if (row.argument.starts_with("[=")) {
        how = "=-";
      } else if (!row.argument.empty()) {
        how = name.starts_with("--") ? "=" : "+";
      }
      const std::string start = joined(std::array<std::string, 4>{before, name, how, "["}, "", as_it_is);
      text.append("\n    ").append(zsh_quoted(start, row.summary, "\\[]", after)).append(" ");
    }
  }
  return text;
}

// ---------------------------------------------------------------------------------------------------------------------

using Marks = std::vector<std::pair<std::string_view, std::string>>;

void write_filled(std::ostream& out, std::string_view script, const Marks& marks) {
  while (!script.empty()) {
    // Find the first mark in the rest of the script.
    std::size_t first = script.size();
    const std::pair<std::string_view, std::string>* found = nullptr;
    for (const auto& mark : marks) {
      const std::size_t at = script.find(mark.first);
      if (at >= first) continue;
      first = at;
      found = &mark;
    }
    out << script.substr(0, first);
    script.remove_prefix(first);
    if (found == nullptr) continue;
    out << found->second;
    script.remove_prefix(found->first.size());
  }
}

Marks bash_marks() {
  const auto name = [](const Subcommand& command) { return command.name; };
  const auto options = [](const Subcommand& command) {
    return "\n    " + std::string(command.name) + ") options=(" + bash_options(command.rows()) + ") ;;";
  };
  return {{"@options@", bash_options(option_rows())},
          {"@takes@", bash_values(option_rows(), false)},
          {"@may_take@", bash_values(option_rows(), true)},
          {"@events@", words_of(events())},
          {"@states@", words_of(states())},
          {"@ways@", words_of(ways())},
          {"@categories@", words_of(categories())},
          {"@formats@", words_of(formats())},
          {"@endings@", words_of(endings())},
          {"@forms@", words_of(forms())},
          {"@shells@", words_of(shell_names())},
          {"@subcommands@", joined(subcommands(), " ", name)},
          {"@subcommands_pattern@", joined(subcommands(), "|", name)},
          {"@subcommand_options@", joined(subcommands(), "", options)}};
}

Marks zsh_marks() {
  Choices names;
  std::string specs;
  for (const Subcommand& command : subcommands()) {
    const std::string name(command.name);
    names.push_back({name, std::string(command.summary)});
    specs += "    " + name + ") specs=(" + zsh_options(command.rows()) + std::string(command.files) + ") ;;\n";
  }
  return {{"@specs@", zsh_options(option_rows())},
          {"@events@", zsh_choices(events())},
          {"@ways@", words_of(ways())},
          {"@states@", words_of(states())},
          {"@categories@", words_of(categories())},
          {"@formats@", zsh_choices(formats())},
          {"@endings@", words_of(endings())},
          {"@forms@", zsh_choices(forms())},
          {"@shells@", words_of(shell_names())},
          {"@subcommands@", zsh_choices(names)},
          {"@subcommand_specs@", specs}};
}

}  // namespace

std::string completion_shell(const std::string& typed) {
  for (const Choice& shell : shell_names()) {
    if (typed == shell.word) return typed;
  }
  throw bad_value(
      "completion", typed.empty() ? "''" : typed,
      "no such shell; there are " + joined(shell_names(), ", ", [](const Choice& one) { return one.word; }));
}

void print_completion(std::ostream& out, std::string_view shell) {
  if (shell == "bash") {
    write_filled(out, texts::profile_bash, bash_marks());
  } else {
    write_filled(out, texts::profile_zsh, zsh_marks());
  }
}

}  // namespace profile
