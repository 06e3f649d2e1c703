// What the parser says, as a message. The reader trusts nothing in it: whoever wrote it may have taken the parser over.
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

// What is left of `budget`, as the parser says; never more than there was.
void take_cost(WireReader& in, WorkBudget& budget);

void put_names(const NamesOfFile& names, WireWriter& out);
// Of `asked` places; nullopt when it is no such message.
[[nodiscard]] std::optional<NamesOfFile> take_names(WireReader& in, std::size_t asked);

void put_lines(const LinesOfFile& lines, WireWriter& out);
[[nodiscard]] std::optional<LinesOfFile> take_lines(WireReader& in, std::size_t asked);

void put_jit(const NamesOfJit& names, WireWriter& out);
[[nodiscard]] std::optional<NamesOfJit> take_jit(WireReader& in, std::size_t asked);

void put_unwind(UnwindFault fault, const UnwindTable& table, WireWriter& out);
// As many bytes as they need; `asked` has no meaning.
[[nodiscard]] std::optional<UnwindOfFile> take_unwind(WireReader& in, std::size_t asked);

void put_search(const NameSearch& search, WireWriter& out);
[[nodiscard]] std::optional<NameSearch> take_search(WireReader& in);

void put_allocators(const std::vector<AllocatorFunction>& functions, WireWriter& out);
[[nodiscard]] std::optional<std::vector<AllocatorFunction>> take_allocators(WireReader& in);

}  // namespace profile
