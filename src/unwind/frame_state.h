// The rules that hold at one place of the code, while the interpreter runs the instructions of an entry.
#pragma once

#include <cstdint>

#include "abi/unwind.h"

namespace profile {

// DW_CFA_undefined, one more value beside enum register_rule. For the return address it means that there is no caller.
constexpr std::uint8_t place_undefined = UNWIND_LOST + 1;

struct RegisterRule {
  std::uint8_t kind = UNWIND_SAME;
  std::int32_t offset = 0;  // for UNWIND_IN_REGISTER: the number of that register

  friend bool operator==(const RegisterRule&, const RegisterRule&) = default;
};

struct FrameState {
  std::uint8_t cfa = UNWIND_CFA_UNKNOWN;
  std::uint8_t cfa_register = 0;
  bool is_signal = false;
  std::int32_t cfa_offset = 0;
  RegisterRule fp;
  RegisterRule ra;
  RegisterRule extra;
};

}  // namespace profile
