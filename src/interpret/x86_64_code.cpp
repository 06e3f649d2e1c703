#include "interpret/x86_64_code.h"

#include <cstring>

namespace profile {
namespace {

using Kind = MachineInstruction::Kind;

// A reader that fails for good when the code ends.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> code) : code_(code) {}

  std::optional<MachineInstruction> decode() {
    if (!read_prefixes()) return std::nullopt;
    const bool is_known = is_vex_ ? read_vector() : read_plain();
    if (!is_known || failed_) return std::nullopt;
    in_.bytes = static_cast<std::uint8_t>(at_);
    return in_;
  }

 private:
  std::uint8_t byte() {
    if (at_ >= code_.size() || at_ >= most_bytes) {
      failed_ = true;
      return 0;
    }
    return std::to_integer<std::uint8_t>(code_[at_++]);
  }
  template <class Number>
  Number number() {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) value |= std::uint64_t{byte()} << 8 * i;
    return static_cast<Number>(value);
  }
  void skip(std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) byte();
  }
  void skip_immediate() { skip(operand_16_ ? 2 : 4); }

  bool read_prefixes() {
    for (std::uint8_t next = byte(); !failed_; next = byte()) {
      switch (next) {
        case 0x66:
          operand_16_ = true;
          break;
        case 0xf2:
        case 0xf3:
          repeat_ = next;
          break;
        case 0x2e:
        case 0x3e:  // a hint for jumps, and "notrack"
          break;
        case 0x64:
        case 0x65:
          has_segment_ = true;
          break;
        case 0xc4:
          return read_long_vex();
        case 0xc5: {
          const std::uint8_t bits = byte();
          is_vex_ = true;
          reg_high_ = (bits & 0x80) == 0 ? 8 : 0;
          is_long_vector_ = (bits & 4) != 0;
          set_vex_prefix(bits & 3);
          map_ = 1;
          opcode_ = byte();
          return true;
        }
        default:
          if (next >= 0x40 && next <= 0x4f) {
            is_wide_ = (next & 8) != 0;
            reg_high_ = (next & 4) != 0 ? 8 : 0;
            has_index_bit_ = (next & 2) != 0;
            base_high_ = (next & 1) != 0 ? 8 : 0;
            next = byte();
          }
          opcode_ = next;
          return true;
      }
    }
    return false;
  }
  bool read_long_vex() {
    const std::uint8_t first = byte();
    const std::uint8_t second = byte();
    is_vex_ = true;
    reg_high_ = (first & 0x80) == 0 ? 8 : 0;
    has_index_bit_ = (first & 0x40) == 0;
    base_high_ = (first & 0x20) == 0 ? 8 : 0;
    map_ = first & 0x1f;
    is_wide_ = (second & 0x80) != 0;
    is_long_vector_ = (second & 4) != 0;
    set_vex_prefix(second & 3);
    opcode_ = byte();
    return map_ >= 1 && map_ <= 3;
  }
  void set_vex_prefix(unsigned bits) {
    operand_16_ = bits == 1;
    if (bits == 2) repeat_ = 0xf3;
    if (bits == 3) repeat_ = 0xf2;
  }

  // Reads the bytes that say what the operands are.
  void read_operands() {
    const std::uint8_t modes = byte();
    mode_ = modes >> 6;
    in_.reg = static_cast<std::uint8_t>((modes >> 3 & 7) + reg_high_);
    std::uint8_t base = modes & 7;
    extension_ = modes >> 3 & 7;
    other_ = static_cast<std::uint8_t>(base + base_high_);
    if (mode_ == 3) return;
    in_.has_base = !has_segment_;
    if (base == 4) {
      const std::uint8_t scaled = byte();
      base = scaled & 7;
      if ((scaled >> 3 & 7) != 4 || has_index_bit_) in_.has_base = false;
    }
    if (base == 5 && mode_ == 0) {  // no base, or the instruction itself
      in_.has_base = false;
      in_.displacement = number<std::int32_t>();
    } else if (mode_ == 1) {
      in_.displacement = std::int32_t{number<std::int8_t>()};
    } else if (mode_ == 2) {
      in_.displacement = number<std::int32_t>();
    }
    in_.base = static_cast<std::uint8_t>(base + base_high_);
  }
  [[nodiscard]] bool is_memory() const { return mode_ != 3; }
  void change(unsigned reg) { in_.changed |= 1U << reg; }
  void change_operands() {
    change(in_.reg);
    if (!is_memory()) change(other_);
  }
  void store(std::size_t bytes) {
    if (!is_memory()) return;
    in_.kind = Kind::store;
    in_.store_bytes = static_cast<std::uint8_t>(bytes);
  }
  [[nodiscard]] std::size_t operand_bytes() const { return is_wide_ ? 8 : operand_16_ ? 2 : 4; }

  bool read_plain() {
    if (opcode_ == 0x0f) {
      opcode_ = byte();
      if (opcode_ == 0x38 || opcode_ == 0x3a) {
        map_ = opcode_ == 0x38 ? 2 : 3;
        opcode_ = byte();
        return read_vector();
      }
      map_ = 1;
      return read_second_map();
    }
    const unsigned low = opcode_ & 7;
    if (opcode_ < 0x40) {  // eight kinds of arithmetic, in six forms
      if (low > 5) return false;
      if (low == 4) skip(1);
      if (low == 5) skip_immediate();
      if (low > 3) {
        change(x86_rax);
        return true;
      }
      read_operands();
      const bool compares = opcode_ >= 0x38;
      if (!compares) change_operands();
      if (!compares && low < 2) store(low == 0 ? 1 : operand_bytes());
      return true;
    }
    if (opcode_ >= 0x50 && opcode_ < 0x58) {
      in_.lowers_stack = 8;
      return !operand_16_;
    }
    if (opcode_ >= 0x70 && opcode_ < 0x80) {
      in_.kind = Kind::conditional;
      skip(1);
      return true;
    }
    if (opcode_ >= 0xb0 && opcode_ < 0xc0) {
      skip(opcode_ < 0xb8 ? 1 : operand_bytes());
      change(low + base_high_);
      return true;
    }
    switch (opcode_) {
      case 0x63:
        read_operands();
        change(in_.reg);
        return true;
      case 0x69:
      case 0x6b:
        read_operands();
        opcode_ == 0x69 ? skip_immediate() : skip(1);
        change(in_.reg);
        return true;
      case 0x80:
      case 0x81:
      case 0x83:
        return read_arithmetic();
      case 0x84:
      case 0x85:
        read_operands();
        in_.tests = !is_memory() && in_.reg == other_ && opcode_ == 0x85 && is_wide_;
        return true;
      case 0x88:
      case 0x89:
        read_operands();
        store(opcode_ == 0x88 ? 1 : operand_bytes());
        in_.of_register = in_.kind == Kind::store;
        in_.is_general = opcode_ == 0x89 && is_wide_;
        if (!is_memory()) move(in_.reg, other_);
        return true;
      case 0x8a:
      case 0x8b:
        read_operands();
        if (!is_memory() && opcode_ == 0x8b) {
          move(other_, in_.reg);
        } else {
          change(in_.reg);
        }
        return true;
      case 0x8d:
        read_operands();
        change(in_.reg);
        if (is_wide_ && is_memory()) {
          in_.kind = Kind::address;
          in_.to = in_.reg;
        }
        return is_memory();
      case 0x90:
        return base_high_ == 0;
      case 0x98:
      case 0x99:
        change(opcode_ == 0x98 ? x86_rax : x86_rdx);
        return true;
      case 0xa8:
      case 0xa9:
        opcode_ == 0xa8 ? skip(1) : skip_immediate();
        return true;
      case 0xc0:
      case 0xc1:
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
        read_operands();
        if (opcode_ < 0xd0) skip(1);
        change_operands();
        return true;
      case 0xc6:
      case 0xc7:
        read_operands();
        opcode_ == 0xc6 ? skip(1) : skip_immediate();
        store(opcode_ == 0xc6 ? 1 : operand_bytes());
        if (!is_memory()) change(other_);
        return extension_ == 0;
      case 0xc3:
      case 0xeb:
      case 0xe8:
      case 0xe9:
        if (opcode_ == 0xeb) skip(1);
        if (opcode_ == 0xe8 || opcode_ == 0xe9) skip(4);
        in_.kind = Kind::leaves;
        return true;
      case 0xf6:
      case 0xf7:
        read_operands();
        if (extension_ < 2) opcode_ == 0xf6 ? skip(1) : skip_immediate();
        change(x86_rax);
        change(x86_rdx);
        if (!is_memory()) change(other_);
        return true;
      case 0xfe:
      case 0xff:
        read_operands();
        if (extension_ > 1) in_.kind = Kind::leaves;
        if (!is_memory()) change(other_);
        return true;
      default:
        return false;
    }
  }
  void move(std::uint8_t from, std::uint8_t to) {
    change(to);
    if (!is_wide_) return;
    in_.kind = Kind::move;
    in_.reg = from;
    in_.to = to;
  }
  bool read_arithmetic() {
    read_operands();
    std::int64_t by = 0;
    if (opcode_ == 0x81) {
      by = operand_16_ ? number<std::int16_t>() : number<std::int32_t>();
    } else {
      by = std::int32_t{number<std::int8_t>()};
    }
    constexpr unsigned subtracts = 5;
    constexpr unsigned compares = 7;
    if (extension_ == compares) return true;
    const bool lowers_stack = extension_ == subtracts && !is_memory() && is_wide_ && other_ == x86_rsp;
    if (lowers_stack) in_.lowers_stack = by;
    if (!is_memory() && !lowers_stack) change(other_);
    store(opcode_ == 0x80 ? 1 : operand_bytes());
    return true;
  }

  bool read_second_map() {
    if (opcode_ >= 0x80 && opcode_ < 0x90) {
      in_.kind = Kind::conditional;
      skip(4);
      return !operand_16_;
    }
    if (opcode_ == 0x1e || opcode_ == 0x1f || opcode_ == 0x0d || opcode_ == 0x18) {  // they do nothing
      read_operands();
      return true;
    }
    if ((opcode_ >= 0x40 && opcode_ < 0x50) || opcode_ == 0xaf || (opcode_ >= 0xb6 && opcode_ < 0xb8) ||
        (opcode_ >= 0xbc && opcode_ < 0xc0)) {
      read_operands();
      change(in_.reg);
      return true;
    }
    if (opcode_ >= 0x90 && opcode_ < 0xa0) {
      read_operands();
      store(1);
      if (!is_memory()) change(other_);
      return true;
    }
    if (opcode_ == 0xba || opcode_ == 0xa3 || opcode_ == 0xab) {
      read_operands();
      if (opcode_ == 0xba) skip(1);
      if (!is_memory()) change(other_);
      return true;
    }
    const bool is_vector = (opcode_ >= 0x10 && opcode_ < 0x18) || (opcode_ >= 0x28 && opcode_ < 0x30) ||
                           (opcode_ >= 0x50 && opcode_ < 0x77) || opcode_ == 0x7e || opcode_ == 0x7f ||
                           opcode_ == 0xc2 || (opcode_ >= 0xc4 && opcode_ < 0xc7) || opcode_ >= 0xd0;
    return is_vector && read_vector();
  }

  // Instructions of vector registers, in all maps.
  bool read_vector() {
    if (is_vex_ && map_ == 1 && opcode_ == 0x77) return true;  // vzeroupper
    read_operands();
    const bool has_number =
        map_ == 3 ||
        (map_ == 1 && ((opcode_ >= 0x70 && opcode_ < 0x74) || opcode_ == 0xc2 || (opcode_ >= 0xc4 && opcode_ < 0xc7)));
    if (has_number) skip(1);
    if (map_ == 3) change_operands();  // few of them write a general register
    if (map_ != 1) return map_ == 3 || opcode_ < 0xf0;
    const bool to_general = opcode_ == 0x50 || opcode_ == 0x2c || opcode_ == 0x2d || opcode_ == 0xc5 || opcode_ == 0xd7;
    if (to_general) change(in_.reg);
    if (opcode_ == 0x7e && !is_memory()) change(other_);
    const std::size_t whole = is_long_vector_ ? 32 : 16;
    switch (opcode_) {
      case 0x11:
        store(repeat_ == 0xf3 ? 4 : repeat_ == 0xf2 ? 8 : whole);
        break;
      case 0x29:
      case 0x2b:
      case 0xe7:
        store(whole);
        break;
      case 0x7f:
        store(operand_16_ || repeat_ != 0 ? whole : 8);
        break;
      case 0x13:
      case 0x17:
        store(8);
        break;
      case 0xd6:
        if (operand_16_) store(8);
        break;
      case 0x7e:
        if (repeat_ == 0) store(is_wide_ ? 8 : 4);
        break;
      default:
        break;
    }
    in_.of_register = in_.kind == Kind::store;
    return true;
  }

  static constexpr std::size_t most_bytes = 15;  // of an instruction

  std::span<const std::byte> code_;
  std::size_t at_ = 0;
  bool failed_ = false;
  bool operand_16_ = false;
  bool is_wide_ = false;
  bool has_segment_ = false;
  bool has_index_bit_ = false;
  bool is_vex_ = false;
  bool is_long_vector_ = false;
  std::uint8_t repeat_ = 0;
  std::uint8_t reg_high_ = 0;
  std::uint8_t base_high_ = 0;
  unsigned map_ = 0;
  std::uint8_t opcode_ = 0;
  unsigned mode_ = 3;
  unsigned extension_ = 0;
  std::uint8_t other_ = 0;  // the second register operand
  MachineInstruction in_;
};

}  // namespace

std::optional<MachineInstruction> x86_instruction(std::span<const std::byte> code) { return Decoder(code).decode(); }

}  // namespace profile
