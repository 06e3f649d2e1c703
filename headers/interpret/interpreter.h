// Finds out whether a file holds the interpreter of a language whose functions the walk of stacks can show, and how.
// All is a constant of the file, found by its symbols; what is not known for certain is no answer.
// Pure; another user may have made the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "abi/script.h"
#include "elf/file.h"
#include "unwind/table.h"

namespace profile {

// Why the functions of an interpreter's scripts cannot be shown.
enum class InterpreterFault : std::uint8_t {
  none,
  unknown_version,  // no layout is known for this version
  unknown_build,    // a build whose structures are others: for debugging, or with free threads
  unknown_code,     // its function begins in a way that does not say where the script's frame is
  hidden_code,      // the file has no symbol for its function
  other_machine,    // code for another machine
  count
};
// Follows the version: "no layout is known for this version".
[[nodiscard]] std::string_view text_of(InterpreterFault fault);

struct Interpreter {
  script_language language = SCRIPT_NONE;  // SCRIPT_NONE: the file holds no interpreter
  std::string version;                     // "3.11.2"; empty when it is not known
  InterpreterFault fault = InterpreterFault::none;
  script_layout layout{};  // sound; all zero with a fault

  [[nodiscard]] bool has_layout() const { return language != SCRIPT_NONE && fault == InterpreterFault::none; }
};

// "python". Empty for SCRIPT_NONE.
[[nodiscard]] std::string_view name_of(script_language language);
// Which memory of the language's objects does not come from the C library's allocator, and how to see it, as a line for
// the summary. Empty: there is none.
[[nodiscard]] std::string_view hidden_memory(script_language language);
// The names of all languages, in the order of script_language, which begins with 1.
[[nodiscard]] std::vector<std::string_view> language_names();
// Whether all numbers are in range.
[[nodiscard]] bool is_sound(const script_layout& layout);

// Whether the file's name is one that interpreters have. It may hold none, and others may hold one.
[[nodiscard]] bool is_named_as_interpreter(std::string_view path);

// Marks the rows of the interpreter's function in the file's `table`, if there is a layout. `path`: the file's, whose
// name says the version of old interpreters. All work is taken from the budget that `file` was made with.
[[nodiscard]] Interpreter find_interpreter(const ElfFile& file, std::string_view path, UnwindTable& table);

}  // namespace profile
