// Lists the functions with the largest values, for any event source and unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "model/profile.h"

namespace profile {

struct HotFunction {
  std::string name;         // all texts here are clean
  std::string module;       // "libc.so.6", "[kernel]"; empty when not known
  std::uint64_t self = 0;   // sum over the rows that belong to it: it is the leaf or, of a wait, who waits
  std::uint64_t total = 0;  // sum over the rows that have it; recursion counts once
  // What `self` is made of, the two largest parts: "fsync", "read 61%, write 38%". Empty: not known.
  std::string calls = {};  // of a wait or an allocation: what the function called
  std::string lines = {};  // of a run with source lines: where in the function
};

// `profile` must be symbolised. The largest self value comes first; all self values add up to the profile's total.
[[nodiscard]] std::vector<HotFunction> hottest_functions(const Profile& profile);
// Writes a title and a table of the first `most` of these functions, the largest self value first. Those whose share
// would be 0.0 % are left out. Shares are of `whole`; times get a unit that makes it short.
void write_function_table(std::ostream& out, const RunUnit& unit, std::span<const HotFunction> functions,
                          std::size_t most, bool with_modules, std::uint64_t whole);
// The first `most` functions as a table with a title, one line each, without newlines. Empty when nothing was recorded.
// Of waits it leaves out those of kernel threads if the list of threads does (output/tables.h).
[[nodiscard]] std::vector<std::string> hottest_lines(const Profile& profile, std::size_t most);

}  // namespace profile
