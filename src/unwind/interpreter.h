// Carries out the instructions by which DWARF describes frames (DW_CFA_...), of which only those matter that say where
// the CFA, the return address and the registers are that a walk needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "unwind/frame_entries.h"
#include "unwind/row_writer.h"
#include "unwind/rule_list.h"

namespace profile {

// The instructions of what many entries have in common: `state` as it is before the first of an entry's own. False: one
// of them is not known, or senseless.
[[nodiscard]] bool run_common(const UnwindMachine& machine, const FrameCommon& common,
                              std::span<const std::byte> instructions, FrameState& state);

// Those of one entry, to rows from `from` on, which lies in it. Where an instruction is not known, so is all the rest
// of the entry's code.
void run_entry(const UnwindMachine& machine, const FrameCommon& common, const FrameRange& range, std::uint64_t from,
               std::span<const std::byte> instructions, RuleList& rules, RowWriter& rows);

}  // namespace profile
