// Fills the templates of the completion scripts from the tables.
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
#include "app/report_command.h"
#include "sampling/perf_events.h"

namespace profile {
namespace {

// The end of the name of the function that completes the option's value.
std::string kind_of(const OptionRow& row) {
  std::string kind(row.choices != nullptr ? row.long_name : row.completion);
  return kind.empty() ? "nothing" : kind;
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

Choices endings() {
  Choices all;
  for (const OutputFormat& format : output_formats()) {
    if (!format.ending.empty()) all.push_back({std::string(format.ending), ""});
  }
  return all;
}

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

// A function for each option whose value is one of a few words.
std::string bash_choices() {
  std::string text;
  for (const OptionRow& row : option_rows()) {
    if (row.choices == nullptr) continue;
    text += "_profile_" + kind_of(row) + "() { _profile_offer " + words_of(row.choices()) + "; }\n";
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

// As bash_choices().
std::string zsh_choice_functions() {
  std::string text;
  for (const OptionRow& row : option_rows()) {
    if (row.choices == nullptr) continue;
    const Choices choices = row.choices();
    const std::string kind = kind_of(row);
    text += "_profile_" + kind + "() {";
    if (choices.front().summary.empty()) {
      text += " compadd \"$@\" -- " + words_of(choices) + " }\n";
    } else {
      text += "\n  local -a choices=(\n" + zsh_choices(choices) + "\n  )\n  _describe -t " + kind + " " + kind +
              " choices\n}\n";
    }
  }
  return text;
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
      text.append("\n    ").append(zsh_quoted(start, summary_of(row), "\\[]", after)).append(" ");
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
          {"@choices@", bash_choices()},
          {"@endings@", words_of(endings())},
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
  return {{"@specs@", zsh_options(option_rows())}, {"@events@", zsh_choices(events())},
          {"@choices@", zsh_choice_functions()},   {"@endings@", words_of(endings())},
          {"@subcommands@", zsh_choices(names)},   {"@subcommand_specs@", specs}};
}

}  // namespace

Choices completion_shells() { return {{"bash", ""}, {"zsh", ""}}; }

void print_completion(std::ostream& out, std::string_view shell) {
  if (shell == "bash") {
    write_filled(out, texts::profile_bash, bash_marks());
  } else {
    write_filled(out, texts::profile_zsh, zsh_marks());
  }
}

}  // namespace profile
