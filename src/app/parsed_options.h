// The words of the command line, split by Boost.Program_options along THE table of options, and their values by name,
// with errors that name the option and the value. What the values mean together is the business of options.cpp.
#pragma once

#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace profile {

class ParsedOptions {
 public:
  // Throws a usage Error when the words are not those of the table.
  explicit ParsedOptions(const std::vector<std::string>& arguments);

  [[nodiscard]] bool has(std::string_view name) const;  // of options that have a value
  [[nodiscard]] bool is_on(const char* name) const;     // of switches
  [[nodiscard]] bool is_given(const char* name) const;  // of either
  [[nodiscard]] std::string text(const char* name) const;
  [[nodiscard]] std::vector<std::string> texts(const char* name) const;  // of those that may be repeated
  // The value of `name` as a number of at least `lowest`, or `absent`.
  [[nodiscard]] std::uint64_t number(const char* name, std::uint64_t absent, std::uint64_t highest,
                                     std::uint64_t lowest = 1) const;
  // The ids of all occurrences of `name`: ascending, each once. `what` they are ids of is for the error.
  [[nodiscard]] std::vector<std::uint32_t> ids(const char* name, const char* what) const;
  // What stands there without an option.
  [[nodiscard]] std::vector<std::string> positional() const;

  // Throws for the first two of `names` that are both given.
  void exclude(std::initializer_list<const char*> names) const;

 private:
  boost::program_options::variables_map values_;
};

// An option as it stands in messages: "-p", "--cgroup". `long_name` is one of the table.
[[nodiscard]] std::string spelled(std::string_view long_name);
// The error of a value that will not do: "-p abc: <why>".
[[nodiscard]] Error bad_value(std::string_view option, std::string_view value, const std::string& why);
// A number of seconds above 0.
[[nodiscard]] std::optional<double> parse_seconds(std::string_view text);

}  // namespace profile
