// Answers of the parser, which an attacker may control. An answer is read completely or not at all, and its values are
// within the bounds that the main process relies on.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "parse/answers_wire.h"

using namespace profile;

namespace {

constexpr std::size_t most_asked = 64;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_names(std::string_view bytes, std::size_t asked) {
  WireReader in(bytes);
  const auto names = take_names(in, asked);
  if (!names) return;
  require(names->failed == FileFault::none ? names->names.size() == asked : names->names.empty());
  require(names->valid_ranges.size() == names->names.size());
  for (const NameOfCode& name : names->names) {
    require(name.unnamed < Unnamed::count && name.unnamed != Unnamed::pending);
    require(static_cast<std::size_t>(name.symbol) < names->strings.size());
  }
  const std::string again = message_of(*names);
  WireReader back(again);
  require(take_names(back, asked).has_value() && back.is_whole());
}

void check_lines(std::string_view bytes, std::size_t asked) {
  WireReader in(bytes);
  const auto lines = take_lines(in, asked);
  if (!lines) return;
  require(lines->failed == FileFault::none ? lines->chains.size() == asked : lines->chains.empty());
  for (const auto& chain : lines->chains) {
    for (const SourcePosition& line : chain) {
      require(static_cast<std::size_t>(std::max(line.function, line.file)) < lines->strings.size());
    }
  }
}

void check_jit(std::string_view bytes, std::size_t asked) {
  WireReader in(bytes);
  const auto names = take_jit(in, asked);
  if (!names) return;
  require(names->failed == FileFault::none ? names->names.size() == asked : names->names.empty());
  for (const NameOfJit& name : names->names) {
    require(name.unnamed < Unnamed::count && name.unnamed != Unnamed::pending);
    require(static_cast<std::size_t>(std::max(name.position.function, name.position.file)) < names->strings.size());
  }
}

void check_listings(std::string_view bytes) {
  WireReader in(bytes);
  if (const auto code = take_code(in, 0)) {
    require(code->failed < FileFault::count && code->instructions.size() <= most_instructions);
    for (const Instruction& one : code->instructions) require(one.text.size() <= most_source_line_bytes);
  }
  WireReader again(bytes);
  if (const auto source = take_source(again, 0)) {
    require(source->failed < FileFault::count && source->lines.size() <= most_source_lines);
    for (const std::string& line : source->lines) require(line.size() <= most_source_line_bytes);
  }
}

void check_unwind(std::string_view bytes) {
  WireReader in(bytes);
  const auto unwind = take_unwind(in, 0);
  if (!unwind) return;
  const Interpreter& interpreter = unwind->interpreter;
  require(interpreter.language < SCRIPT_LANGUAGES && interpreter.fault < InterpreterFault::count);
  require(!interpreter.has_layout() || is_sound(interpreter.layout));
  require(unwind->fault == UnwindFault::none ? is_sound(unwind->table) : unwind->table.size_bytes() == 0);
  for (std::uint64_t offset = 0; offset < UINT32_MAX; offset += 1 << 20) {
    require(rule_at(unwind->table, {offset}).cfa <= UNWIND_CFA_UNKNOWN);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t asked = data[0] % most_asked;
  check_names(bytes, asked);
  check_lines(bytes, asked);
  check_jit(bytes, asked);
  check_listings(bytes);
  check_unwind(bytes);
  const auto search = WireReader(bytes).get<NameSearch>();
  for (const FoundSymbol& place : search.places) require(place.kind < FoundSymbol::Kind::count);
  const auto allocators = WireReader(bytes).get<std::vector<AllocatorFunction>>();
  for (const AllocatorFunction& function : allocators) require(function.call < AllocatorCall::count);
  return 0;
}
