// The table of languages: how each interpreter is found in a file.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "interpret/interpreter.h"
#include "unwind/build.h"

namespace profile {

// A symbol of the file, in its own addresses.
struct FoundCode {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

struct FoundInterpreter {
  Interpreter interpreter;
  std::vector<CodeRange> code;  // of its function, ascending
};

struct Language {
  script_language number;
  std::string_view name;
  std::span<const std::string_view> files;  // how the names of its files begin
  // The file is an interpreter if it has a symbol of this name: of the function that runs the script's code, if there
  // is one.
  std::string_view function;
  // Another function that such a file has. With it and without the one above, the file hides what is needed.
  std::string_view sign;
  std::uint64_t least_bytes;  // of the former, so that few names are read
  std::uint64_t most_bytes;
  // See hidden_memory().
  std::string_view hidden_memory;
  // How far the layout is sound, besides its common fields.
  bool (*is_sound)(const script_layout& layout);
  FoundInterpreter (*find)(const ElfFile& file, std::string_view path, const UnwindTable& table,
                           const FoundCode& function);
};

// The number at that address of the file, in its own order of bytes. nullopt: there is none, or the address is 0.
template <class Number>
[[nodiscard]] std::optional<Number> number_at(const ElfFile& file, std::uint64_t address) {
  Number number = 0;
  const auto offset = file.offset_of({address});
  if (address == 0 || !offset || !file.read_at(offset->value, std::as_writable_bytes(std::span(&number, 1)))) {
    return std::nullopt;
  }
  return number;
}

// A function in the file.
struct FunctionCode {
  CodeRange own;                // in offsets of the file, which fit 32 bits
  std::uint64_t bias = 0;       // its address - its offset
  std::vector<std::byte> code;  // the first MiB
};
// nullopt: it is not in the file.
[[nodiscard]] std::optional<FunctionCode> code_of(const ElfFile& file, const FoundCode& function);

// The compiler may put rarely used code of a function elsewhere, without a symbol. It is a described range whose frame
// is that of the function's `body` from its first byte on, and only jumps of the function lead there. `code`: of the
// function. nullopt: there is none, or it cannot be told which it is.
[[nodiscard]] std::optional<CodeRange> moved_code(const ElfFile& file, const CodeRange& function,
                                                  const UnwindTable& table, const unwind_rule& body,
                                                  std::span<const std::byte> code);

[[nodiscard]] FoundInterpreter find_python(const ElfFile& file, std::string_view path, const UnwindTable& table,
                                           const FoundCode& function);
[[nodiscard]] bool is_sound_python(const script_layout& layout);
[[nodiscard]] FoundInterpreter find_php(const ElfFile& file, std::string_view path, const UnwindTable& table,
                                        const FoundCode& function);
[[nodiscard]] bool is_sound_php(const script_layout& layout);
[[nodiscard]] FoundInterpreter find_node(const ElfFile& file, std::string_view path, const UnwindTable& table,
                                         const FoundCode& function);
[[nodiscard]] bool is_sound_node(const script_layout& layout);
[[nodiscard]] FoundInterpreter find_java(const ElfFile& file, std::string_view path, const UnwindTable& table,
                                         const FoundCode& function);
[[nodiscard]] bool is_sound_java(const script_layout& layout);
[[nodiscard]] FoundInterpreter find_perl(const ElfFile& file, std::string_view path, const UnwindTable& table,
                                         const FoundCode& function);
[[nodiscard]] bool is_sound_perl(const script_layout& layout);
[[nodiscard]] FoundInterpreter find_ruby(const ElfFile& file, std::string_view path, const UnwindTable& table,
                                         const FoundCode& function);
[[nodiscard]] bool is_sound_ruby(const script_layout& layout);

}  // namespace profile
