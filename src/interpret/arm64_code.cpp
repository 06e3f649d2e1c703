#include "interpret/arm64_code.h"

#include <cstring>

namespace profile {
namespace {

using Kind = MachineInstruction::Kind;

constexpr std::size_t instruction_bytes = 4;

constexpr bool is(std::uint32_t word, std::uint32_t mask, std::uint32_t value) { return (word & mask) == value; }

// Bits `low` to `low` + `count` - 1.
constexpr std::uint32_t bits(std::uint32_t word, unsigned low, unsigned count) {
  return word >> low & ((1U << count) - 1);
}
constexpr std::int32_t signed_bits(std::uint32_t word, unsigned low, unsigned count) {
  return static_cast<std::int32_t>(word << (32 - low - count)) >> (32 - count);
}

constexpr bool is_jump(std::uint32_t word) { return is(word, 0xfc000000, 0x14000000); }              // b
constexpr bool is_conditional_jump(std::uint32_t word) { return is(word, 0xff000010, 0x54000000); }  // b.cond
constexpr bool is_jump_by_register(std::uint32_t word) { return is(word, 0x7e000000, 0x34000000); }  // cbz, cbnz
constexpr bool is_jump_by_bit(std::uint32_t word) { return is(word, 0x7e000000, 0x36000000); }       // tbz, tbnz

class Decoder {
 public:
  explicit Decoder(std::uint32_t word) : word_(word) { in_.bytes = instruction_bytes; }

  std::optional<MachineInstruction> decode() {
    const bool is_known = read_branch() || read_hint() || read_numbers() || read_registers() || read_memory();
    if (!is_known) return std::nullopt;
    return in_;
  }

 private:
  [[nodiscard]] bool is_word(std::uint32_t mask, std::uint32_t value) const { return is(word_, mask, value); }
  [[nodiscard]] std::uint8_t first() const { return static_cast<std::uint8_t>(bits(word_, 0, 5)); }   // Rd, Rt
  [[nodiscard]] std::uint8_t second() const { return static_cast<std::uint8_t>(bits(word_, 5, 5)); }  // Rn
  [[nodiscard]] bool is_wide() const { return word_ >> 31 != 0; }
  void change(unsigned reg) { in_.changed |= 1U << reg; }
  // 31 is no register.
  void change_unless_zero(unsigned reg) {
    if (reg != arm64_sp) change(reg);
  }
  // 31 is sp, or no register if the flags are all that comes of it.
  void change_or_set(bool sets_flags) {
    if (!sets_flags || first() != arm64_sp) change(first());
  }

  bool read_branch() {
    const bool is_by_register = is_jump_by_register(word_);
    if (is_by_register || is_conditional_jump(word_) || is_jump_by_bit(word_)) {
      constexpr std::uint32_t jumps_unless_zero = 1 << 24;
      in_.kind = Kind::conditional;
      in_.reg = first();
      in_.tests = is_by_register && is_wide() && (word_ & jumps_unless_zero) == 0 && in_.reg != arm64_sp;
      return true;
    }
    // b and bl; those to a place in a register, and ret
    if (!is_word(0x7c000000, 0x14000000) && !is_word(0xfe000000, 0xd6000000)) return false;
    in_.kind = Kind::leaves;
    return true;
  }

  bool read_hint() {
    constexpr std::uint32_t nop = 0xd503201f;
    constexpr std::uint32_t branch_targets = 0xd503241f;  // bti, of four kinds
    constexpr std::uint32_t signing = 0xd503233f;         // paciasp; with another bit, pacibsp
    if (word_ == nop || is_word(0xffffff3f, branch_targets)) return true;
    if (!is_word(0xffffffbf, signing)) return false;
    change(arm64_link);
    return true;
  }

  // With a number in the instruction.
  bool read_numbers() {
    if (is_word(0x1f000000, 0x10000000)) {  // adr, adrp
      change_unless_zero(first());
      return true;
    }
    if (is_word(0x1f800000, 0x11000000)) {
      read_sum();
      return true;
    }
    if (is_word(0x1f800000, 0x12000000)) {  // and, orr, eor, ands
      change_or_set(bits(word_, 29, 2) == 3);
      return true;
    }
    // mov of a number, and of bits
    if (!is_word(0x1f800000, 0x12800000) && !is_word(0x1f000000, 0x13000000)) return false;
    change_unless_zero(first());
    return true;
  }
  void read_sum() {
    constexpr std::uint32_t subtracts = 1 << 30;
    constexpr std::uint32_t is_shifted = 1 << 22;
    const bool sets_flags = bits(word_, 29, 1) != 0;
    auto number = static_cast<std::int32_t>(bits(word_, 10, 12));
    if ((word_ & is_shifted) != 0) number <<= 12;
    if ((word_ & subtracts) != 0) number = -number;
    if (is_wide() && !sets_flags && first() == arm64_sp && second() == arm64_sp) {
      in_.lowers_stack = -std::int64_t{number};
      return;
    }
    change_or_set(sets_flags);
    if (!is_wide() || sets_flags) return;
    in_.to = first();
    if (number == 0) {
      in_.kind = Kind::move;
      in_.reg = second();
      return;
    }
    in_.kind = Kind::address;
    in_.has_base = true;
    in_.base = second();
    in_.displacement = number;
  }

  // With registers alone.
  bool read_registers() {
    if (is_word(0xffe0ffe0, 0xaa0003e0)) {  // mov: orr with zero
      const std::uint32_t from = bits(word_, 16, 5);
      change_unless_zero(first());
      if (first() == arm64_sp) return true;
      in_.kind = Kind::move;
      in_.reg = from == arm64_sp ? zero_register : static_cast<std::uint8_t>(from);
      in_.to = first();
      return true;
    }
    const bool is_known = is_word(0x1f000000, 0x0a000000) ||  // and, orr, eor and others
                          is_word(0x1f200000, 0x0b000000) ||  // add, sub
                          is_word(0x3fe00000, 0x1a800000) ||  // csel and others
                          is_word(0x7f000000, 0x1b000000);    // madd and others
    if (is_known) change_unless_zero(first());
    if (is_word(0x1fe00000, 0x0b200000)) {  // add, sub with a part of a register
      change_or_set(bits(word_, 29, 1) != 0);
      return true;
    }
    if (is_word(0x3fe00000, 0x3a400000)) return true;  // ccmp, ccmn
    return is_known;
  }

  bool read_memory() {
    if (is_word(0x3a000000, 0x28000000)) return read_pair();
    if (is_word(0x3b000000, 0x39000000)) {
      if (!read_single()) return false;
      in_.has_base = true;
      in_.base = second();
      in_.displacement = static_cast<std::int32_t>(bits(word_, 10, 12) << scale_);
      return true;
    }
    if (is_word(0x3b200c00, 0x38200800)) return read_single();  // base + register
    if (!is_word(0x3b200000, 0x38000000)) return false;
    constexpr std::uint32_t without_privilege = 2;
    const std::uint32_t how = bits(word_, 10, 2);
    if (how == without_privilege || !read_single()) return false;
    return set_operand(signed_bits(word_, 12, 9), how == 1, how == 3);
  }
  // One register of 1 << scale_ bytes.
  bool read_single() {
    const std::uint32_t size = bits(word_, 30, 2);
    const std::uint32_t operation = bits(word_, 22, 2);
    const bool is_vector = bits(word_, 26, 1) != 0;
    const bool is_long_vector = is_vector && operation >= 2;
    if (is_long_vector && size != 0) return false;
    if (!is_vector && operation >= 2 && size + operation > 4) return false;  // among them prefetches
    scale_ = is_long_vector ? 4 : size;
    const bool stores = operation == 0 || (is_long_vector && operation == 2);
    if (stores) {
      set_store(is_vector);
    } else if (!is_vector) {
      change_unless_zero(first());
    }
    return true;
  }
  bool read_pair() {
    const std::uint32_t size = bits(word_, 30, 2);
    const bool is_vector = bits(word_, 26, 1) != 0;
    const bool loads = bits(word_, 22, 1) != 0;
    if (size == 3 || (!is_vector && size == 1 && !loads)) return false;
    scale_ = is_vector ? size + 2 : size == 2 ? 3 : 2;
    const std::uint32_t other = bits(word_, 10, 5);
    if (!loads) {
      set_store(is_vector);
      in_.is_pair = true;
      in_.second = other == arm64_sp && !is_vector ? zero_register : static_cast<std::uint8_t>(other);
    } else if (!is_vector) {
      change_unless_zero(first());
      change_unless_zero(other);
    }
    const std::uint32_t how = bits(word_, 23, 2);
    return set_operand(signed_bits(word_, 15, 7) * (1 << scale_), how == 1, how == 3);
  }
  void set_store(bool is_vector) {
    in_.kind = Kind::store;
    in_.store_bytes = static_cast<std::uint8_t>(1U << scale_);
    in_.of_register = true;
    in_.is_general = !is_vector && scale_ == 3;
    in_.reg = first() == arm64_sp && !is_vector ? zero_register : first();
  }
  // `changes_after`, `changes_before`: the base register moves by the number, after it was used or before.
  bool set_operand(std::int32_t number, bool changes_after, bool changes_before) {
    in_.has_base = true;
    in_.base = second();
    in_.displacement = changes_after ? 0 : number;
    if (!changes_after && !changes_before) return true;
    if (in_.base != arm64_sp) {
      in_.raises_base = number;
      return true;
    }
    in_.displacement = 0;
    in_.lowers_stack = -std::int64_t{number};
    return changes_before;
  }

  std::uint32_t word_;
  std::uint32_t scale_ = 0;
  MachineInstruction in_;
};

}  // namespace

std::optional<MachineInstruction> arm64_instruction(std::span<const std::byte> code) {
  std::uint32_t word = 0;
  if (code.size() < sizeof word) return std::nullopt;
  std::memcpy(&word, code.data(), sizeof word);
  return Decoder(word).decode();
}

std::optional<std::int64_t> arm64_jump(std::uint32_t word) {
  std::optional<std::int64_t> words;
  if (is_jump(word)) words = signed_bits(word, 0, 26);
  if (is_conditional_jump(word) || is_jump_by_register(word)) words = signed_bits(word, 5, 19);
  if (is_jump_by_bit(word)) words = signed_bits(word, 5, 14);
  if (!words) return std::nullopt;
  return *words * static_cast<std::int64_t>(instruction_bytes);
}

}  // namespace profile
