// What holds at one place of the code while the instructions that describe its frames are carried out.
#pragma once

#include <cstdint>

#include "abi/unwind.h"

namespace profile {

// DW_CFA_undefined: of the return address it says that there is no caller. Beside enum register_rule.
constexpr std::uint8_t place_undefined = UNWIND_LOST + 1;

struct RegisterRule {
  std::uint8_t kind = UNWIND_SAME;
  std::int32_t offset = 0;  // UNWIND_IN_REGISTER: its number

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
