#include "unwind/interpreter.h"

#include <algorithm>
#include <array>

#include "dwarf/cursor.h"
#include "unwind/opcodes.h"

namespace profile {
namespace {

// For DW_CFA_remember_state; compilers nest two or three.
constexpr std::size_t most_remembered = 32;
constexpr std::int32_t word_bytes = 8;
constexpr RegisterRule lost{.kind = UNWIND_LOST, .offset = 0};

class Interpreter {
 public:
  Interpreter(const UnwindMachine& machine, const FrameCommon& common, std::span<const std::byte> instructions,
              FrameState& state)
      : machine_(machine), common_(common), in_(instructions), instructions_(instructions), state_(state) {}

  // Calls advance(bytes) at each step forward in the code, until it returns false or the instructions end. False: an
  // instruction is unknown or malformed.
  template <class Advance>
  bool run(Advance advance) {
    while (in_.left() != 0) {
      const std::uint8_t byte = in_.u8();
      const std::uint8_t low = byte & cfa::operand_mask;
      switch (byte & ~cfa::operand_mask) {
        case cfa::advance_loc:
          if (!advance(low * common_.code_step)) return true;
          continue;
        case cfa::offset:
          set(low, at_cfa(in_.uleb()));
          continue;
        case cfa::restore:
          restore(low);
          continue;
        default:
          break;
      }
      if (byte >= cfa::advance_loc1 && byte <= cfa::advance_loc4) {
        const std::uint64_t steps = in_.fixed(1U << (byte - cfa::advance_loc1));
        if (in_.failed()) return false;
        if (!advance(steps * common_.code_step)) return true;
      } else if (!is_cfa(byte) && !is_register(byte)) {
        return false;
      }
      if (in_.failed()) return false;
    }
    return !in_.failed();
  }

 private:
  using Member = RegisterRule FrameState::*;
  // Where a state keeps the register; nullptr: a register that no walk needs.
  [[nodiscard]] Member member_of(std::uint64_t number) const {
    if (number == common_.ra_register) return &FrameState::ra;
    if (number == machine_.fp) return &FrameState::fp;
    return number == machine_.extra ? &FrameState::extra : nullptr;
  }
  void set(std::uint64_t number, RegisterRule place) {
    if (const Member kept = member_of(number); kept != nullptr) state_.*kept = place;
  }
  void restore(std::uint64_t number) {
    if (const Member kept = member_of(number); kept != nullptr) state_.*kept = common_.start.*kept;
  }

  // An offset that does not fit leads to no stack, so the register is lost.
  RegisterRule at_cfa(std::uint64_t factored) const {
    return at_cfa_signed(factored > INT32_MAX ? INT64_MAX : static_cast<std::int64_t>(factored));
  }
  RegisterRule at_cfa_signed(std::int64_t factored) const {
    std::int64_t offset = 0;
    if (__builtin_mul_overflow(factored, common_.data_step, &offset) || !fits(offset)) return lost;
    return {.kind = UNWIND_AT_CFA, .offset = static_cast<std::int32_t>(offset)};
  }
  static bool fits(std::int64_t offset) { return offset >= INT32_MIN && offset <= INT32_MAX; }

  void define_cfa(std::uint64_t number, std::int64_t offset) {
    state_.cfa = number < 128 && fits(offset) ? UNWIND_CFA_REGISTER : UNWIND_CFA_UNKNOWN;
    state_.cfa_register = static_cast<std::uint8_t>(number & 127);
    state_.cfa_offset = static_cast<std::int32_t>(offset);
  }
  // Has no effect unless the CFA is a register and an offset.
  void change_cfa(std::uint64_t number, std::int64_t offset) {
    if (state_.cfa == UNWIND_CFA_REGISTER) define_cfa(number, offset);
  }
  std::int64_t factored() {
    std::int64_t offset = 0;
    return __builtin_mul_overflow(in_.sleb(), common_.data_step, &offset) ? INT64_MAX : offset;
  }
  std::int64_t plain_offset() { return static_cast<std::int64_t>(std::min<std::uint64_t>(in_.uleb(), INT64_MAX)); }

  std::span<const std::byte> block() {
    const std::uint64_t bytes = in_.uleb();
    const std::size_t at = in_.at();
    in_.skip(bytes);
    return in_.failed() ? std::span<const std::byte>() : instructions_.subspan(at, bytes);
  }

  bool is_cfa(std::uint8_t byte) {
    switch (byte) {
      case cfa::def_cfa: {
        const std::uint64_t number = in_.uleb();
        define_cfa(number, plain_offset());
        return true;
      }
      case cfa::def_cfa_sf: {
        const std::uint64_t number = in_.uleb();
        define_cfa(number, factored());
        return true;
      }
      case cfa::def_cfa_register:
        change_cfa(in_.uleb(), state_.cfa_offset);
        return true;
      case cfa::def_cfa_offset:
        change_cfa(state_.cfa_register, plain_offset());
        return true;
      case cfa::def_cfa_offset_sf:
        change_cfa(state_.cfa_register, factored());
        return true;
      case cfa::def_cfa_expression:
        define_cfa_by(block());
        return true;
      case cfa::remember_state:
        if (remembered_ == memory_.size()) return false;
        memory_[remembered_++] = state_;
        return true;
      case cfa::restore_state:
        if (remembered_ == 0) return false;
        state_ = memory_[--remembered_];
        return true;
      case cfa::nop:
        return true;
      case cfa::gnu_args_size:
        static_cast<void>(in_.uleb());
        return true;
      case cfa::negate_ra_state:
      case cfa::negate_ra_state_with_pc:  // the walk strips the signature from every address
        return machine_.has_link_register;
      default:
        return false;
    }
  }

  bool is_register(std::uint8_t byte) {
    const std::uint64_t number = in_.uleb();  // all of them begin with it
    switch (byte) {
      case cfa::offset_extended:
        set(number, at_cfa(in_.uleb()));
        return true;
      case cfa::offset_extended_sf:
        set(number, at_cfa_signed(in_.sleb()));
        return true;
      case cfa::gnu_negative_offset_extended: {
        const std::uint64_t factored = in_.uleb();
        set(number, factored > INT32_MAX ? lost : at_cfa_signed(-static_cast<std::int64_t>(factored)));
        return true;
      }
      case cfa::restore_extended:
        restore(number);
        return true;
      case cfa::undefined:
        set(number, {.kind = place_undefined, .offset = 0});
        return true;
      case cfa::same_value:
        set(number, {});
        return true;
      case cfa::in_register: {
        const std::uint64_t other = in_.uleb();
        set(number, {.kind = UNWIND_IN_REGISTER, .offset = static_cast<std::int32_t>(other & 127)});
        return true;
      }
      case cfa::expression:
        set(number, place_by(block()));
        return true;
      case cfa::val_offset:
      case cfa::val_offset_sf:
        static_cast<void>(in_.sleb());
        set(number, lost);
        return true;
      case cfa::val_expression:
        static_cast<void>(block());
        set(number, lost);
        return true;
      default:
        return false;
    }
  }

  // Reads "DW_OP_bregN offset" at the start of an expression. False: the expression starts differently.
  static bool is_register_and_offset(DwarfCursor& in, std::uint8_t& number, std::int64_t& offset) {
    const std::uint8_t operation = in.u8();
    if (operation < dw_op::breg0 || operation > dw_op::breg31) return false;
    number = operation - dw_op::breg0;
    offset = in.sleb();
    return !in.failed() && fits(offset);
  }

  RegisterRule place_by(std::span<const std::byte> expression) const {
    DwarfCursor in(expression);
    std::uint8_t number = 0;
    std::int64_t offset = 0;
    if (!is_register_and_offset(in, number, offset) || in.left() != 0) return lost;
    if (number != machine_.fp && number != machine_.sp) return lost;
    return {.kind = number == machine_.fp ? std::uint8_t{UNWIND_AT_FP} : std::uint8_t{UNWIND_AT_SP},
            .offset = static_cast<std::int32_t>(offset)};
  }

  void define_cfa_by(std::span<const std::byte> expression) {
    DwarfCursor in(expression);
    std::uint8_t number = 0;
    std::int64_t offset = 0;
    state_.cfa = UNWIND_CFA_UNKNOWN;
    if (!is_register_and_offset(in, number, offset)) return;
    define_cfa(number, offset);
    if (in.left() == 0) return;
    state_.cfa = UNWIND_CFA_UNKNOWN;
    const std::span<const std::byte> rest = expression.subspan(in.at());
    if (rest.size() == 1 && rest[0] == std::byte{dw_op::deref}) {
      state_.cfa = UNWIND_CFA_MEMORY;
    } else if (const int from = pushed_from(rest); number == machine_.sp && from >= 0) {
      state_.cfa = UNWIND_CFA_STUB;
      state_.cfa_register = static_cast<std::uint8_t>(from);
    }
  }

  // Linkers describe their stubs of 16 bytes like this: from byte N of a stub on, one more word is on the stack, ((pc &
  // 15) >= N) << 3. Returns N; -1: another expression.
  static int pushed_from(std::span<const std::byte> expression) {
    constexpr std::array<std::uint8_t, 9> stubs = {dw_op::breg0 + 16, 0,           dw_op::lit0 + 15,
                                                   dw_op::op_and,     dw_op::lit0, dw_op::ge,
                                                   dw_op::lit0 + 3,   dw_op::shl,  dw_op::plus};
    constexpr std::size_t number_at = 4;
    if (expression.size() != stubs.size()) return -1;
    for (std::size_t i = 0; i < stubs.size(); ++i) {
      if (i != number_at && expression[i] != std::byte{stubs[i]}) return -1;
    }
    const int number = std::to_integer<int>(expression[number_at]) - dw_op::lit0;
    return number >= 0 && number < 16 ? number : -1;
  }

  const UnwindMachine& machine_;
  const FrameCommon& common_;
  DwarfCursor in_;
  std::span<const std::byte> instructions_;
  FrameState& state_;
  std::size_t remembered_ = 0;
  std::array<FrameState, most_remembered>
      memory_;  // NOLINT(cppcoreguidelines-pro-type-member-init): only what was put there is read
};

}  // namespace

bool run_common(const UnwindMachine& machine, const FrameCommon& common, std::span<const std::byte> instructions,
                FrameState& state) {
  // An advance has no meaning here, so it is ignored.
  return Interpreter(machine, common, instructions, state).run([](std::uint64_t) { return true; });
}

void run_entry(const UnwindMachine& machine, const FrameCommon& common, const FrameRange& range, std::uint64_t from,
               std::span<const std::byte> instructions, RuleList& rules, RowWriter& rows) {
  FrameState state = common.start;
  std::uint64_t at = range.start;
  const std::uint64_t end = range.end();
  const auto add_row = [&] {
    FrameState row = state;
    const bool has_frame = common.is_of_go && row.cfa == UNWIND_CFA_REGISTER && row.cfa_offset > word_bytes;
    if (has_frame && row.fp == RegisterRule{}) row.fp = {.kind = UNWIND_AT_CFA, .offset = -2 * word_bytes};
    rows.add(std::max(at, from), rules.code_of(row));
  };
  const bool is_known = Interpreter(machine, common, instructions, state).run([&](std::uint64_t bytes) {
    if (bytes == 0) return true;
    if (bytes > end - at || at + bytes > from) add_row();
    at += std::min(bytes, end - at);
    return at < end;
  });
  if (!is_known) state = {};
  if (at < end) add_row();
}

}  // namespace profile
