#include "app/subcommands.h"

#include <algorithm>

#include "app/options.h"

namespace profile {

// Each is in the file of its name. A subcommand is only that file and its row in the table. In the usage line those
// that take the same arguments are one word if they stand together.
extern const Subcommand record_command;
extern const Subcommand report_command;
extern const Subcommand diff_command;
extern const Subcommand store_command;
extern const Subcommand serve_command;

std::span<const Subcommand* const> subcommands() {
  static constexpr const Subcommand* all[] = {&record_command, &report_command, &diff_command, &store_command,
                                              &serve_command};
  return all;
}

bool takes(const Subcommand& command, std::string_view option) {
  if (command.is_run) return !option_row(option).is_for_files;
  return std::ranges::find(command.options, option) != command.options.end();
}

}  // namespace profile
