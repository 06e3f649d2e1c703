#include "parse/answers_wire.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "dwarf/lines.h"

namespace profile {
namespace {

// The functions inlined at one address are some dozen, and the kernel runs no file with more segments than 1170.
constexpr std::size_t most_at_least = 4096;
// Of the names and paths in a chain. In some outputs they are written for each stack, and a chain may repeat the
// longest text 257 times.
constexpr std::size_t most_chain_bytes = std::size_t{256} << 10;

// Whether an answer has one element for each place that was asked for, or none if it failed.
bool has_all(FileFault failed, std::size_t count, std::size_t asked) {
  return count == (failed == FileFault::none ? asked : 0);
}

template <class Name>
bool is_any_pending(const std::vector<Name>& names) {
  return std::ranges::find(names, Unnamed::pending, &Name::unnamed) != names.end();
}

// Leaves out the innermost functions of a chain that has too many bytes.
void cut(std::vector<SourcePosition>& chain, const StringTable& strings) {
  std::size_t bytes = 0;
  auto first = chain.end();
  while (first != chain.begin()) {
    const SourcePosition& caller = *(first - 1);
    bytes += strings.view(caller.function).size() + strings.view(caller.file).size();
    if (bytes > most_chain_bytes) break;
    --first;
  }
  chain.erase(chain.begin(), first);
}

}  // namespace

std::optional<NamesOfFile> take_names(WireReader& in, std::size_t asked) {
  constexpr std::size_t most_hex_digits = 256;
  NamesOfFile names;
  in.allow_elements(std::max(asked, most_at_least));
  in.allow_strings(most_at_least + asked);
  in.read(names);
  const bool is_hex = names.build_id.size() <= most_hex_digits &&
                      names.build_id.find_first_not_of("0123456789abcdef") == std::string::npos;
  const std::size_t count = names.names.size();
  if (!in.ok() || !is_hex || !has_all(names.failed, count, asked) || is_any_pending(names.names)) return std::nullopt;
  if (names.valid_ranges.size() != count) return std::nullopt;
  return names;
}

std::optional<LinesOfFile> take_lines(WireReader& in, std::size_t asked) {
  LinesOfFile lines;
  in.allow_elements(std::max(asked, most_at_least));
  in.allow_strings(16 * (most_at_least + asked));
  in.read(lines);
  if (!in.ok() || !has_all(lines.failed, lines.chains.size(), asked)) return std::nullopt;
  for (auto& chain : lines.chains) {
    if (chain.size() > max_inlining + 1) return std::nullopt;
    cut(chain, lines.strings);
  }
  return lines;
}

std::optional<NamesOfJit> take_jit(WireReader& in, std::size_t asked) {
  NamesOfJit names;
  in.allow_elements(asked);
  in.allow_strings(most_at_least + 2 * asked);
  in.read(names);
  if (!in.ok() || !has_all(names.failed, names.names.size(), asked) || is_any_pending(names.names)) return std::nullopt;
  return names;
}

std::optional<CodeOfFile> take_code(WireReader& in, std::size_t /*asked*/) {
  CodeOfFile code;
  in.allow_elements(most_instructions);
  in.allow_text(most_source_line_bytes);
  in.read(code);
  return in.ok() ? std::optional(std::move(code)) : std::nullopt;
}

std::optional<SourceOfFile> take_source(WireReader& in, std::size_t /*asked*/) {
  SourceOfFile source;
  in.allow_elements(most_source_lines);
  in.allow_text(most_source_line_bytes);
  in.read(source);
  return in.ok() ? std::optional(std::move(source)) : std::nullopt;
}

void append_unwind(std::string& message, UnwindFault fault, const UnwindTable& table, const Interpreter& interpreter) {
  const std::string_view layout(reinterpret_cast<const char*>(&interpreter.layout), sizeof interpreter.layout);
  constexpr std::size_t most_other_bytes = 512;  // of what is no vector
  // A table of megabytes is copied once, not each time that the message grows.
  message.reserve(message.size() + table.size_bytes() + most_other_bytes);
  append_value(message, fault);
  append_value(message, static_cast<std::uint8_t>(interpreter.language));
  append_value(message, interpreter.version);
  append_value(message, interpreter.fault);
  append_value(message, layout);
  append_value(message, table);
}

std::optional<UnwindOfFile> take_unwind(WireReader& in, std::size_t /*asked*/) {
  constexpr std::size_t most_version_bytes = 32;
  UnwindOfFile unwind;
  UnwindTable& table = unwind.table;
  Interpreter& interpreter = unwind.interpreter;
  in.read(unwind.fault);
  const auto language = in.get<std::uint8_t>();
  in.read(interpreter.version, interpreter.fault);
  const std::string_view layout = in.text();
  in.read(table);
  if (!in.ok() || language >= SCRIPT_LANGUAGES || layout.size() != sizeof interpreter.layout) return std::nullopt;
  if (interpreter.version.size() > most_version_bytes) return std::nullopt;
  interpreter.language = static_cast<script_language>(language);
  std::memcpy(&interpreter.layout, layout.data(), layout.size());
  if (!interpreter.has_layout()) interpreter.layout = {};
  const bool is_of_language = interpreter.layout.language == language && is_sound(interpreter.layout);
  if (interpreter.has_layout() && !is_of_language) return std::nullopt;
  if (unwind.fault != UnwindFault::none) {
    table = {};
    interpreter = {};
    return unwind;
  }
  const bool is_arm64 = table.elf_machine == EM_AARCH64;
  if (!is_arm64 && table.elf_machine != EM_X86_64) return std::nullopt;
  table.unit_shift = is_arm64 ? UNWIND_ARM64_UNIT_SHIFT : UNWIND_X86_64_UNIT_SHIFT;
  if (!is_sound(table)) return std::nullopt;
  return unwind;
}

}  // namespace profile
