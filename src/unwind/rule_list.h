// The rules of one file. Each rule has a code that a row can hold.
#pragma once

#include <cstdint>
#include <vector>

#include "abi/unwind.h"
#include "support/index_table.h"
#include "unwind/frame_state.h"
#include "unwind/machine.h"

namespace profile {

class RuleList {
 public:
  explicit RuleList(const UnwindMachine& machine);

  [[nodiscard]] std::uint32_t code_of(const FrameState& state) {
    const std::uint32_t code = short_code(state);
    return code != 0 ? code : number_of(rule_of(state));
  }
  [[nodiscard]] std::uint32_t number_of(const unwind_rule& rule);
  // There were more rules than in any real file; the later ones have the code of UNWIND_CFA_NONE.
  [[nodiscard]] bool is_full() const { return is_full_; }
  [[nodiscard]] std::vector<unwind_rule> take() { return std::move(rules_); }

 private:
  [[nodiscard]] std::uint32_t short_code(const FrameState& state) const;
  [[nodiscard]] unwind_rule rule_of(const FrameState& state) const;

  const UnwindMachine& machine_;
  std::vector<unwind_rule> rules_;
  IndexTable numbers_;  // of all rules but the first
  bool is_full_ = false;
};

}  // namespace profile
