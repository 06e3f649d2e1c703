#include "app/subcommands.h"

#include <algorithm>

#include "app/options.h"

namespace profile {

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
