// Turns the parser's answers into messages and back. The reader trusts nothing in a message: a file may have taken over
// the parser that wrote it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parse/file_probes.h"
#include "parse/file_reader.h"
#include "parse/wire.h"
#include "support/work_budget.h"

namespace profile {

// Sets `budget` to what the parser says is left of it, but never to more than was left.
void take_cost(WireReader& in, WorkBudget& budget);

void put_names(const NamesOfFile& names, WireWriter& out);
// The answer for `asked` places. nullopt: the message is not such an answer.
[[nodiscard]] std::optional<NamesOfFile> take_names(WireReader& in, std::size_t asked);

void put_lines(const LinesOfFile& lines, WireWriter& out);
[[nodiscard]] std::optional<LinesOfFile> take_lines(WireReader& in, std::size_t asked);

void put_jit(const NamesOfJit& names, WireWriter& out);
[[nodiscard]] std::optional<NamesOfJit> take_jit(WireReader& in, std::size_t asked);

void put_unwind(UnwindFault fault, const UnwindTable& table, WireWriter& out);
// The table takes as many bytes as it needs; `asked` has no meaning.
[[nodiscard]] std::optional<UnwindOfFile> take_unwind(WireReader& in, std::size_t asked);

void put_search(const NameSearch& search, WireWriter& out);
[[nodiscard]] std::optional<NameSearch> take_search(WireReader& in);

void put_allocators(const std::vector<AllocatorFunction>& functions, WireWriter& out);
[[nodiscard]] std::optional<std::vector<AllocatorFunction>> take_allocators(WireReader& in);

}  // namespace profile
