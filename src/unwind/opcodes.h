// Numbers of the DWARF standard and of the Linux Standard Base for the description of frames. <dwarf.h> is not used,
// because it belongs to libdw, which nothing else here needs.
#pragma once

#include <cstdint>

namespace profile {

namespace cfa {  // DW_CFA_
// The upper two bits are the operation; the others are an operand.
constexpr std::uint8_t operand_mask = 0x3f;
constexpr std::uint8_t advance_loc = 0x40, offset = 0x80, restore = 0xc0;

constexpr std::uint8_t nop = 0x00, advance_loc1 = 0x02, advance_loc4 = 0x04;
constexpr std::uint8_t offset_extended = 0x05, restore_extended = 0x06, undefined = 0x07, same_value = 0x08;
constexpr std::uint8_t in_register = 0x09, remember_state = 0x0a, restore_state = 0x0b;
constexpr std::uint8_t def_cfa = 0x0c, def_cfa_register = 0x0d, def_cfa_offset = 0x0e, def_cfa_expression = 0x0f;
constexpr std::uint8_t expression = 0x10, offset_extended_sf = 0x11, def_cfa_sf = 0x12, def_cfa_offset_sf = 0x13;
constexpr std::uint8_t val_offset = 0x14, val_offset_sf = 0x15, val_expression = 0x16;
constexpr std::uint8_t negate_ra_state_with_pc = 0x2c, negate_ra_state = 0x2d;  // arm64
constexpr std::uint8_t gnu_args_size = 0x2e, gnu_negative_offset_extended = 0x2f;
}  // namespace cfa

namespace dw_op {
constexpr std::uint8_t deref = 0x06, op_and = 0x1a, plus = 0x22, shl = 0x24, ge = 0x2a;
constexpr std::uint8_t lit0 = 0x30, breg0 = 0x70, breg31 = 0x8f;
}  // namespace dw_op

namespace eh_pe {  // DW_EH_PE_: how a pointer is written, and below the upper bits what it is relative to
constexpr std::uint8_t form_mask = 0x0f, base_mask = 0xf0;
constexpr std::uint8_t absptr = 0x00, uleb128 = 0x01, udata2 = 0x02, udata4 = 0x03, udata8 = 0x04;
constexpr std::uint8_t sleb128 = 0x09, sdata2 = 0x0a, sdata4 = 0x0b, sdata8 = 0x0c;
constexpr std::uint8_t absolute = 0x00, pcrel = 0x10, aligned = 0x50;
}  // namespace eh_pe

}  // namespace profile
