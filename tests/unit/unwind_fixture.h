// Makes unwind tables from files that are built byte by byte, and gives their rules in words.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "../made_frames.h"
#include "unwind/build.h"

namespace profile::test {

inline UnwindAnswer answer_of(const std::string& file, std::uint64_t budget_steps = UINT64_MAX) {
  WorkBudget budget(budget_steps);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why, &budget);
  REQUIRE_MESSAGE(elf, why);
  UnwindAnswer answer = unwind_table_of(*elf);
  if (answer.fault == UnwindFault::none) {
    CHECK(is_sound(answer.table));
  } else {
    CHECK(answer.table.size_bytes() == 0);
  }
  return answer;
}

inline UnwindTable table_of(const std::string& file) {
  UnwindAnswer answer = answer_of(file);
  CHECK(text_of(answer.fault) == text_of(UnwindFault::none));
  return std::move(answer.table);
}

inline std::string place_in_words(const char* name, unsigned kind, int offset) {
  const std::string text = std::string(" ") + name + "=";
  const std::string by = (offset < 0 ? "" : "+") + std::to_string(offset);
  switch (kind) {
    case UNWIND_SAME:
      return "";
    case UNWIND_AT_CFA:
      return text + "c" + by;
    case UNWIND_AT_FP:
      return text + "fp" + by;
    case UNWIND_AT_SP:
      return text + "sp" + by;
    case UNWIND_IN_REGISTER:
      return text + "r" + std::to_string(offset);
    default:
      return text + "lost";
  }
}

// "r7+16 fp=c-16 ra=c-8"; a register that keeps its value is left out.
inline std::string in_words(const unwind_rule& rule) {
  const std::string reg =
      "r" + std::to_string(rule.cfa_register) + (rule.cfa_offset < 0 ? "" : "+") + std::to_string(rule.cfa_offset);
  std::string text;
  switch (rule.cfa) {
    case UNWIND_CFA_NONE:
      return "none";
    case UNWIND_CFA_END:
      return "end";
    case UNWIND_CFA_UNKNOWN:
      return "unknown";
    case UNWIND_CFA_REGISTER:
      text = reg;
      break;
    case UNWIND_CFA_OTHER_STACK:
      text = "other " + reg;
      break;
    case UNWIND_CFA_MEMORY:
      text = "*(" + reg + ")";
      break;
    default:
      text = "stub" + std::to_string(rule.cfa_register) + "+" + std::to_string(rule.cfa_offset);
      break;
  }
  text += place_in_words("fp", rule.fp, rule.fp_offset) + place_in_words("ra", rule.ra, rule.ra_offset) +
          place_in_words("extra", rule.extra, rule.extra_offset);
  return text + ((rule.flags & UNWIND_SIGNAL) != 0 ? " signal" : "") +
         ((rule.flags & UNWIND_INTERPRETER) != 0 ? " interpreter" : "");
}

// The rule at `distance` bytes from the first byte of the code.
inline std::string at(const UnwindTable& table, std::uint64_t distance) {
  return in_words(rule_at(table, {made_code_offset + distance}));
}

}  // namespace profile::test
