// Turns the parser's answers into messages and back. The reader trusts nothing in a message: a file may have taken over
// the parser that wrote it.
#pragma once

#include <cstddef>
#include <optional>
#include <tuple>

#include "children/wire.h"
#include "parse/file_probes.h"
#include "parse/file_reader.h"
#include "parse/listing_reader.h"

namespace profile {

constexpr auto wire_fields(const CodeSegment&) {
  return std::tuple(&CodeSegment::start, &CodeSegment::limit, &CodeSegment::offset);
}
constexpr auto wire_fields(const ValidRange&) { return std::tuple(&ValidRange::before, &ValidRange::after); }
constexpr auto wire_fields(const NameOfCode&) {
  return std::tuple(&NameOfCode::unnamed, &NameOfCode::symbol, &NameOfCode::start, &NameOfCode::address);
}
constexpr auto wire_fields(const NamesOfFile&) {
  return std::tuple(&NamesOfFile::failed, &NamesOfFile::build_id, &NamesOfFile::code, &NamesOfFile::strings,
                    &NamesOfFile::names, &NamesOfFile::valid_ranges);
}
constexpr auto wire_fields(const SourcePosition&) {
  return std::tuple(&SourcePosition::function, &SourcePosition::file, &SourcePosition::line);
}
constexpr auto wire_fields(const LinesOfFile&) {
  return std::tuple(&LinesOfFile::failed, &LinesOfFile::strings, &LinesOfFile::chains, &LinesOfFile::unread_splits);
}
constexpr auto wire_fields(const NameOfJit&) {
  return std::tuple(&NameOfJit::unnamed, &NameOfJit::start, &NameOfJit::position);
}
constexpr auto wire_fields(const NamesOfJit&) {
  return std::tuple(&NamesOfJit::failed, &NamesOfJit::strings, &NamesOfJit::names);
}
template <>
inline constexpr bool is_copied_whole<unwind_page> = true;
template <>
inline constexpr bool is_copied_whole<unwind_rule> = true;
// The shift follows from the machine.
constexpr auto wire_fields(const UnwindTable&) {
  return std::tuple(&UnwindTable::elf_machine, &UnwindTable::first_page, &UnwindTable::pages, &UnwindTable::rows,
                    &UnwindTable::rules);
}
constexpr auto wire_fields(const FoundSymbol&) {
  return std::tuple(&FoundSymbol::name, &FoundSymbol::address, &FoundSymbol::size_bytes, &FoundSymbol::kind,
                    &FoundSymbol::offset);
}
constexpr auto wire_fields(const NameSearch&) {
  return std::tuple(&NameSearch::places, &NameSearch::names, &NameSearch::was_given_up);
}
constexpr auto wire_fields(const AllocatorFunction&) {
  return std::tuple(&AllocatorFunction::call, &AllocatorFunction::offset, &AllocatorFunction::before_bytes,
                    &AllocatorFunction::after_bytes);
}
constexpr auto wire_fields(const AddressRange&) { return std::tuple(&AddressRange::start, &AddressRange::limit); }
constexpr auto wire_fields(const Instruction&) {
  return std::tuple(&Instruction::address, &Instruction::size_bytes, &Instruction::text);
}
constexpr auto wire_fields(const CodeOfFile&) {
  return std::tuple(&CodeOfFile::failed, &CodeOfFile::is_cut, &CodeOfFile::instructions);
}
constexpr auto wire_fields(const LineRange&) { return std::tuple(&LineRange::first, &LineRange::last); }
constexpr auto wire_fields(const SourceOfFile&) {
  return std::tuple(&SourceOfFile::failed, &SourceOfFile::why, &SourceOfFile::is_newer, &SourceOfFile::lines);
}

// The answer for `asked` places. nullopt: the message is not such an answer.
[[nodiscard]] std::optional<NamesOfFile> take_names(WireReader& in, std::size_t asked);
[[nodiscard]] std::optional<LinesOfFile> take_lines(WireReader& in, std::size_t asked);
[[nodiscard]] std::optional<NamesOfJit> take_jit(WireReader& in, std::size_t asked);
// What append_unwind() has written; `asked` has no meaning. The table takes as many bytes as it needs.
[[nodiscard]] std::optional<UnwindOfFile> take_unwind(WireReader& in, std::size_t asked);
// `asked` has no meaning for these two: their limits are fixed.
[[nodiscard]] std::optional<CodeOfFile> take_code(WireReader& in, std::size_t asked);
[[nodiscard]] std::optional<SourceOfFile> take_source(WireReader& in, std::size_t asked);
void append_unwind(std::string& message, UnwindFault fault, const UnwindTable& table, const Interpreter& interpreter);

}  // namespace profile
