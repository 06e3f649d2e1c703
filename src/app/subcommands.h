// The table of subcommands: the words with which a command line may begin. main, --help and the completions are made
// from it.
#pragma once

#include <span>
#include <string_view>

namespace profile {

struct Subcommand {
  std::string_view name;                      // "report"
  std::string_view summary;                   // for the completions
  std::string_view arguments;                 // its other arguments, for the usage line: "FILE..."; "" of a run
  std::string_view files;                     // the same in the form that zsh's _arguments takes
  std::span<const std::string_view> options;  // long names, in the order of its help
  // `arguments` are the words after the name. Returns the exit status; throws Error.
  int (*run)(std::span<const char* const> arguments);
  bool is_run = false;  // it samples: it takes the options of a run, and `options` is empty
};

[[nodiscard]] std::span<const Subcommand* const> subcommands();

[[nodiscard]] bool takes(const Subcommand& command, std::string_view option);

}  // namespace profile
