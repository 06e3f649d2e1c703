// What the commands that read profiles instead of taking them have in common: which of the options they take, their
// help, and the files.
#pragma once

#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/parsed_options.h"
#include "model/profile.h"

namespace profile {

struct ReadingCommand {
  std::string_view name;                      // "report"
  std::span<const std::string_view> options;  // by their long names, in the order of the help
};

// Throws a usage Error for an option that the command does not take.
[[nodiscard]] ParsedOptions parse_reading(const ReadingCommand& command, std::span<const char* const> arguments);
// The files that are named, in their order; "-" is stdin. Throws a usage Error for an empty name, and for stdin twice.
[[nodiscard]] std::vector<std::string> files_of(const ReadingCommand& command, const ParsedOptions& parsed);
// Their lines of --help, as THE table of options words them.
void print_options(std::ostream& out, const ReadingCommand& command);

// A profile and what it is called in messages.
struct ReadProfile {
  std::string name;
  Profile profile;
};
// Lines of it that say nothing are `note`d.
[[nodiscard]] ReadProfile read_named(const std::string& path, const std::function<void(const std::string&)>& note);
// Folded lines do not say what they count: they take over what the other file says. Throws an Error that names both
// when the units differ even so; `what` cannot be done with them then ("added up").
void agree_on_unit(ReadProfile& a, ReadProfile& b, const std::string& what);

}  // namespace profile
