// Splits the words of the command line with Boost.Program_options by the table of options, and gives the values by
// name. Errors name the option and the value. options.cpp decides what the values mean together.
#pragma once

#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/cpu_list.h"
#include "support/error.h"

namespace profile {

class ParsedOptions {
 public:
  // Throws a usage Error when the words do not fit the table.
  // Reads the file of --config, too; what the words give comes before it.
  explicit ParsedOptions(const std::vector<std::string>& arguments);

  [[nodiscard]] bool has(std::string_view name) const;       // for options that have a value
  [[nodiscard]] bool is_on(std::string_view name) const;     // for switches
  [[nodiscard]] bool is_given(std::string_view name) const;  // for both
  [[nodiscard]] std::string text(const char* name) const;
  // For repeatable options. With `if_empty`, which says what an empty value is, it throws a usage Error for one.
  [[nodiscard]] std::vector<std::string> texts(const char* name, const char* if_empty = nullptr) const;
  // The index of the value among the choices of the option's row. nullopt: not given.
  [[nodiscard]] std::optional<std::size_t> choice(const char* name) const;
  // The value of `name` as a number of at least `lowest`, or `absent`.
  [[nodiscard]] std::uint64_t number(const char* name, std::uint64_t absent, std::uint64_t highest,
                                     std::uint64_t lowest = 1) const;
  // The ids of all occurrences of `name`: ascending, each once. `what` ("process") is the kind of id, for the error.
  [[nodiscard]] std::vector<std::uint32_t> ids(const char* name, const char* what) const;
  // The words that belong to no option.
  [[nodiscard]] std::vector<std::string> positional() const;

  // Throws a usage Error if two of `names` are given; it names the first two.
  void exclude(std::initializer_list<const char*> names) const;

 private:
  void read_config(const std::string& path);

  boost::program_options::variables_map values_;
};

// An option as messages show it: "-p", "--cgroup". `long_name` must be in the table.
[[nodiscard]] std::string spelled(std::string_view long_name);
// The error for a bad value: "-p abc: <why>".
[[nodiscard]] Error bad_value(std::string_view option, std::string_view value, const std::string& why);
// The value of -C. Empty: not given. Throws a usage Error.
[[nodiscard]] CpuList cpus_of(const ParsedOptions& parsed);
// A number of seconds above 0.
[[nodiscard]] std::optional<double> parse_seconds(std::string_view text);
// perf's -g asks for stacks, but here stacks are always taken and -g has a PATTERN. Removes each -g from `words` that
// has no PATTERN after it, alone or among other letters as in "-ag". Returns whether there was such a -g.
[[nodiscard]] bool take_out_perf_graph(std::vector<std::string>& words);

}  // namespace profile
