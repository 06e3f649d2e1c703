#include <elf.h>

#include <algorithm>
#include <cstring>

#include "interpret/arm64_code.h"
#include "interpret/languages.h"

namespace profile {
namespace {

// Where the jump at that place of the code leads, from the code's first byte. nullopt: there is none. Other bytes of
// x86-64 may look like a jump.
std::optional<std::uint64_t> jump_at(std::uint16_t machine, std::span<const std::byte> code, std::size_t at) {
  if (machine == EM_AARCH64) {
    std::uint32_t word = 0;
    if (at % sizeof word != 0 || at + sizeof word > code.size()) return std::nullopt;
    std::memcpy(&word, code.data() + at, sizeof word);
    const auto by = arm64_jump(word);
    return by ? std::optional(at + static_cast<std::uint64_t>(*by)) : std::nullopt;
  }
  // jcc with 4 bytes
  constexpr std::size_t bytes = 6;
  if (at + bytes > code.size()) return std::nullopt;
  if (code[at] != std::byte{0x0f} || (code[at + 1] & std::byte{0xf0}) != std::byte{0x80}) return std::nullopt;
  std::int32_t by = 0;
  std::memcpy(&by, code.data() + at + 2, sizeof by);
  return at + bytes + static_cast<std::uint64_t>(std::int64_t{by});
}

}  // namespace

std::optional<FunctionCode> code_of(const ElfFile& file, const FoundCode& function) {
  constexpr std::uint64_t most_bytes = 1 << 20;
  const auto place = file.place_of({function.address});
  if (!place || place->bytes < function.bytes || place->offset + function.bytes > UINT32_MAX) return std::nullopt;
  FunctionCode found{.own = {.start = place->offset, .bytes = function.bytes},
                     .bias = function.address - place->offset,
                     .code = std::vector<std::byte>(std::min(function.bytes, most_bytes))};
  if (!file.read_at(place->offset, found.code)) return std::nullopt;
  return found;
}

std::optional<CodeRange> moved_code(const ElfFile& file, const CodeRange& function, const UnwindTable& table,
                                    const unwind_rule& body, std::span<const std::byte> code) {
  const std::vector<CodeRange> described = described_code(file);
  std::optional<CodeRange> moved;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const auto jump = jump_at(table.elf_machine, code, at);
    if (!jump) continue;
    const std::uint64_t target = function.start + *jump;
    if (function.holds(target)) continue;
    const auto next = std::ranges::upper_bound(described, target, {}, &CodeRange::start);
    if (next == described.begin() || !next[-1].holds(target)) continue;
    const CodeRange& range = next[-1];
    const unwind_rule first = rule_at(table, {range.start});
    if (std::memcmp(&first, &body, sizeof body) != 0) continue;
    if (moved && moved->start != range.start) return std::nullopt;
    moved = range;
  }
  return moved;
}

}  // namespace profile
