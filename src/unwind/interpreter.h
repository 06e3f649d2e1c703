// Runs the DWARF instructions that describe frames (DW_CFA_...). It keeps only where the CFA, the return address and
// the registers are that a walk needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "unwind/frame_entries.h"
#include "unwind/row_writer.h"
#include "unwind/rule_list.h"

namespace profile {

// Runs the instructions of a CIE. `state` is then the state before the first instruction of an entry. False: an
// instruction is unknown or malformed.
[[nodiscard]] bool run_common(const UnwindMachine& machine, const FrameCommon& common,
                              std::span<const std::byte> instructions, FrameState& state);

// Runs the instructions of one entry and writes its rows from `from` on, which lies in `range`. After an unknown
// instruction the rest of the range has the rule "unknown".
void run_entry(const UnwindMachine& machine, const FrameCommon& common, const FrameRange& range, std::uint64_t from,
               std::span<const std::byte> instructions, RuleList& rules, RowWriter& rows);

}  // namespace profile
