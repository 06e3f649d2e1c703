// Fills the templates of the completion scripts from the tables.
#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <ostream>
#include <span>
#include <utility>
#include <vector>

#include "app/completion_text.h"
#include "app/options.h"
#include "app/print.h"
#include "app/subcommands.h"
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

std::string endings() {
  return joined(output_formats(), " ", [](const OutputFormat& format) { return format.ending; });
}

// The options that the command takes, in the order of the table.
std::vector<OptionRow> rows_of(const Subcommand& command) {
  std::vector<OptionRow> taken;
  std::ranges::copy_if(option_rows(), std::back_inserter(taken),
                       [&](const OptionRow& row) { return takes(command, row.long_name); });
  return taken;
}

// --- For bash --------------------------------------------------------------------------------------------------------

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
      text += "\n  local -a choices=(\n" + zsh_choices(choices) + "\n  )\n  _describe -t ";
      text.append(kind).append(" ").append(kind).append(" choices\n}\n");
    }
  }
  return text;
}

// The form that zsh's _arguments takes: "(-e --event)-e+[summary]:NAME:_profile_events".
std::string zsh_options(std::span<const OptionRow> rows) {
  std::string text;
  for (const OptionRow& row : rows) {
    const std::vector<std::string> names = spellings(row);
    const std::string before = row.repeatable ? "*" : "(" + joined(names, " ", std::identity()) + ")";
    std::string after = "]";
    if (!row.argument.empty()) {
      const std::string kind = kind_of(row);
      after +=
          (may_lack_value(row) ? "::" : ":") + placeholder(row) + ":" + (kind == "nothing" ? " " : "_profile_" + kind);
    }
    for (const std::string& name : names) {
      std::string option = before;
      option += name;
      if (row.argument.starts_with("[=")) {
        option += "=-";
      } else if (!row.argument.empty()) {
        option += name.starts_with("--") ? '=' : '+';
      }
      text += "\n    " + zsh_quoted(option + "[", summary_of(row), "\\[]", after) + " ";
    }
  }
  return text;
}

// ---------------------------------------------------------------------------------------------------------------------

using Marks = std::vector<std::pair<std::string_view, std::string>>;

// Replaces the marks in the script by their texts, which have no marks in them.
std::string filled(std::string_view script, const Marks& marks) {
  std::string text(script);
  for (const auto& [mark, words] : marks) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != text.npos; at += words.size()) {
      text.replace(at, mark.size(), words);
    }
  }
  return text;
}

Marks bash_marks() {
  const auto name = [](const Subcommand* command) { return command->name; };
  const auto options = [](const Subcommand* command) {
    return "\n    " + std::string(command->name) + ") options=(" + bash_options(rows_of(*command)) + ") ;;";
  };
  return {{"@options@", bash_options(run_option_rows())},
          {"@takes@", bash_values(option_rows(), false)},
          {"@may_take@", bash_values(option_rows(), true)},
          {"@events@", words_of(events())},
          {"@choices@", bash_choices()},
          {"@endings@", endings()},
          {"@subcommands@", joined(subcommands(), " ", name)},
          {"@subcommands_pattern@", joined(subcommands(), "|", name)},
          {"@subcommand_options@", joined(subcommands(), "", options)}};
}

Marks zsh_marks() {
  Choices names;
  std::string specs;
  for (const Subcommand* const command : subcommands()) {
    const std::string name(command->name);
    names.push_back({name, std::string(command->summary)});
    specs += "    " + name + ") specs=(" + zsh_options(rows_of(*command)) + std::string(command->files) + ") ;;\n";
  }
  return {{"@specs@", zsh_options(run_option_rows())}, {"@events@", zsh_choices(events())},
          {"@choices@", zsh_choice_functions()},       {"@endings@", endings()},
          {"@subcommands@", zsh_choices(names)},       {"@subcommand_specs@", specs}};
}

}  // namespace

Choices completion_shells() { return {{"bash", ""}, {"zsh", ""}}; }

void print_completion(std::ostream& out, std::string_view shell) {
  out << (shell == "bash" ? filled(texts::profile_bash, bash_marks()) : filled(texts::profile_zsh, zsh_marks()));
}

}  // namespace profile
