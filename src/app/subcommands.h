// The table of subcommands: the words with which a command line may begin. main, --help and the completions are made
// from it, so a new one is a file of its own and a row here.
#pragma once

#include <span>
#include <string_view>

namespace profile {

struct Subcommand {
  std::string_view name;                      // "report"
  std::string_view summary;                   // for the completions
  std::string_view files;                     // its other arguments, in the form that zsh's _arguments takes
  std::span<const std::string_view> options;  // long names, in the order of its help
  // `arguments` are the words after the name. Returns the exit status; throws Error.
  int (*run)(std::span<const char* const> arguments);
  bool is_run = false;       // it samples: it takes the options of a run, and `options` is empty
  bool is_of_store = false;  // it takes a URL, and no files
};

[[nodiscard]] std::span<const Subcommand* const> subcommands();

// `profile record`: a run that writes each sample into a recording.
extern const Subcommand record_command;
// `profile report FILE...`: reads recorded profiles, also from other tools, and writes them in any format. So
// recording and viewing can be separate.
extern const Subcommand report_command;
// `profile diff BEFORE AFTER`: shows what got slower, as a table or as a flame graph in two colours.
extern const Subcommand diff_command;
// `profile store init URL` makes the tables of a fleet's store, or checks those that are there; `profile store list
// URL` tells what it has.
extern const Subcommand store_command;
// `profile serve URL`: the pages of a fleet's store.
extern const Subcommand serve_command;

[[nodiscard]] bool takes(const Subcommand& command, std::string_view option);

}  // namespace profile
