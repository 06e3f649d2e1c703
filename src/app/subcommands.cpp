#include "app/subcommands.h"

#include <algorithm>

namespace profile {

std::span<const Subcommand* const> subcommands() {
  static constexpr const Subcommand* all[] = {&report_command, &diff_command};
  return all;
}

bool takes(const Subcommand& command, std::string_view option) {
  return std::ranges::find(command.options, option) != command.options.end();
}

}  // namespace profile
