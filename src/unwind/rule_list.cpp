#include "unwind/rule_list.h"

#include <array>
#include <bit>
#include <cstring>

#include "support/hash.h"
#include "unwind/table.h"

namespace profile {
namespace {

static_assert(most_unwind_rules < UNWIND_SHORT);

std::uint64_t hash_of(const unwind_rule& rule) {
  const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(rule);
  return profile::hash_of(profile::hash_of(words[0]), words[1]);
}

bool are_equal(const unwind_rule& a, const unwind_rule& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// How many words below the CFA the register is saved; 0: at no such place.
std::uint32_t words_below_cfa(const RegisterRule& place) {
  const bool fits = place.kind == UNWIND_AT_CFA && place.offset < 0 && place.offset % 8 == 0;
  return fits ? static_cast<std::uint32_t>(-(place.offset / 8)) : 0;
}

bool put(const RegisterRule& place, std::uint8_t& kind, std::int16_t& offset) {
  kind = place.kind;
  offset = static_cast<std::int16_t>(place.offset);
  return offset == place.offset;
}

// For a register that the walk can do without: if its place does not fit, it is lost.
void put_spared(const RegisterRule& place, std::uint8_t& kind, std::int16_t& offset) {
  const bool is_known = place.kind != UNWIND_IN_REGISTER && place.kind != place_undefined;
  if (is_known && put(place, kind, offset)) return;
  kind = UNWIND_LOST;
  offset = 0;
}

}  // namespace

RuleList::RuleList(const UnwindMachine& machine) : machine_(machine), rules_(1) {}

std::uint32_t RuleList::short_code(const FrameState& state) const {
  if (state.cfa != UNWIND_CFA_REGISTER || state.is_signal) return 0;
  const bool by_fp = state.cfa_register == machine_.fp;
  if (!by_fp && state.cfa_register != machine_.sp) return 0;
  const auto cfa = static_cast<std::uint32_t>(state.cfa_offset);
  if (cfa % 8 != 0 || cfa / 8 > UNWIND_SHORT_CFA_MOST) return 0;
  std::uint32_t code = UNWIND_SHORT | (by_fp ? UNWIND_SHORT_BY_FP : 0) | cfa / 8 << UNWIND_SHORT_CFA_SHIFT;
  const std::uint32_t ra = words_below_cfa(state.ra);
  if (machine_.has_link_register) {
    if (state.extra.kind != UNWIND_SAME) return 0;
    if (state.fp.kind == UNWIND_SAME && state.ra.kind == UNWIND_SAME) return code;
    if (ra == 0 || ra >= UNWIND_ARM64_SLOT_MOST || words_below_cfa(state.fp) != ra + 1) return 0;
    return code | (ra + 1);
  }
  if (ra != 1) return 0;
  const auto put_slot = [&code](const RegisterRule& place, std::uint32_t shift) {
    if (place.kind == UNWIND_SAME) return true;
    const std::uint32_t slot = words_below_cfa(place) - 1;
    code |= slot << shift;
    return slot != 0 && slot <= UNWIND_X86_64_SLOT_MOST;
  };
  const bool fits = put_slot(state.fp, UNWIND_X86_64_FP_SHIFT) && put_slot(state.extra, UNWIND_X86_64_EXTRA_SHIFT);
  return fits ? code : 0;
}

unwind_rule RuleList::rule_of(const FrameState& state) const {
  unwind_rule rule{};
  if (state.ra.kind == place_undefined) {
    rule.cfa = UNWIND_CFA_END;
    return rule;
  }
  rule.cfa = state.cfa;
  rule.cfa_register = state.cfa_register;
  rule.cfa_offset = state.cfa_offset;
  rule.flags = state.is_signal ? UNWIND_SIGNAL : 0;
  put_spared(state.fp, rule.fp, rule.fp_offset);
  put_spared(state.extra, rule.extra, rule.extra_offset);
  const bool fits = put(state.ra, rule.ra, rule.ra_offset);
  const bool is_nowhere = rule.ra == UNWIND_LOST || (rule.ra == UNWIND_SAME && !machine_.has_link_register);
  if (fits && !is_nowhere && rule.cfa != UNWIND_CFA_UNKNOWN) return rule;
  rule = {};
  rule.cfa = UNWIND_CFA_UNKNOWN;
  return rule;
}

std::uint32_t RuleList::number_of(const unwind_rule& rule) {
  if (are_equal(rule, rules_.front())) return 0;
  const std::uint64_t hash = hash_of(rule);
  const auto known = numbers_.find(hash, [&](std::uint32_t number) { return are_equal(rules_[number], rule); });
  if (known) return *known;
  if (rules_.size() == most_unwind_rules) {
    is_full_ = true;
    return 0;
  }
  const auto number = static_cast<std::uint32_t>(rules_.size());
  numbers_.add(hash, number);
  rules_.push_back(rule);
  return number;
}

}  // namespace profile
