// Compares the unwind tables of src/unwind with libdw's rules for the same files, at every address where either rule
// changes: unwind_compare FILE...  Exit status 1 when a rule is wrong.
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "support/fd.h"
#include "unwind/build.h"

namespace {

using namespace profile;

// The most bytes of padding between two functions. Nothing describes padding, and our table keeps the rule before it.
constexpr std::uint64_t filler_bytes = 31;
constexpr std::uint64_t alignment = 16;  // of most functions; steps of it miss no function that libdw knows

struct Sums {
  std::size_t files = 0;
  std::size_t tables = 0;
  std::size_t rows = 0;
  std::size_t places = 0;
  std::size_t added = 0;   // where libdw has no rule: stubs, the first and the last functions
  std::size_t filler = 0;  // the same, between two functions
  std::size_t wrong = 0;
};

struct Registers {
  int sp, fp, extra;
  bool has_link;
};

// Translates libdw's place of a register.
void place_of(Dwarf_Frame* frame, int number, const Registers& registers, std::uint8_t& kind, std::int16_t& offset) {
  Dwarf_Op memory[3];
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  kind = UNWIND_LOST;
  offset = 0;
  if (dwarf_frame_register(frame, number, memory, &operations, &count) != 0) return;
  const auto put = [&](std::uint8_t found, std::int64_t value) {
    if (value != static_cast<std::int16_t>(value)) return;
    kind = found;
    offset = static_cast<std::int16_t>(value);
  };
  if (count == 0) {
    kind = operations == memory ? std::uint8_t{UNWIND_LOST + 1} : std::uint8_t{UNWIND_SAME};
    return;
  }
  const auto value_of = [](const Dwarf_Op& operation) { return static_cast<std::int64_t>(operation.number); };
  const Dwarf_Op& last = operations[count - 1];
  const bool is_by_cfa = operations[0].atom == DW_OP_call_frame_cfa;
  if (is_by_cfa && count == 1) return put(UNWIND_AT_CFA, 0);
  if (is_by_cfa && count == 2 && last.atom == DW_OP_plus_uconst) return put(UNWIND_AT_CFA, value_of(last));
  // An expression begins with the CFA on its stack.
  if (count > 2 || (count == 2 && !is_by_cfa)) return;
  if (last.atom == DW_OP_breg0 + registers.fp) return put(UNWIND_AT_FP, value_of(last));
  if (last.atom == DW_OP_breg0 + registers.sp) return put(UNWIND_AT_SP, value_of(last));
  if (last.atom == DW_OP_regx) return put(UNWIND_IN_REGISTER, value_of(last));
  if (last.atom >= DW_OP_reg0 && last.atom <= DW_OP_reg31) return put(UNWIND_IN_REGISTER, last.atom - DW_OP_reg0);
}

void cfa_of(Dwarf_Frame* frame, unwind_rule& rule) {
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  rule.cfa = UNWIND_CFA_UNKNOWN;
  if (dwarf_frame_cfa(frame, &operations, &count) != 0 || count == 0) return;
  const auto put = [&](std::uint8_t kind, std::uint64_t number, std::uint64_t value) {
    const auto offset = static_cast<std::int64_t>(value);
    if (offset != static_cast<std::int32_t>(offset)) return;
    rule.cfa = kind;
    rule.cfa_register = static_cast<std::uint8_t>(number);
    rule.cfa_offset = static_cast<std::int32_t>(offset);
  };
  const Dwarf_Op& first = operations[0];
  const bool is_register = first.atom >= DW_OP_breg0 && first.atom <= DW_OP_breg31;
  const std::uint64_t number = first.atom - std::uint64_t{DW_OP_breg0};
  if (count == 1 && first.atom == DW_OP_bregx) {
    put(UNWIND_CFA_REGISTER, first.number, first.number2);
  } else if (count == 1 && is_register) {
    put(UNWIND_CFA_REGISTER, number, first.number);
  } else if (count == 2 && is_register && operations[1].atom == DW_OP_deref) {
    put(UNWIND_CFA_MEMORY, number, first.number);
  } else if (count == 9 && is_register && operations[1].atom == DW_OP_breg16 && operations[5].atom == DW_OP_ge) {
    put(UNWIND_CFA_STUB, operations[4].atom - std::uint64_t{DW_OP_lit0}, first.number);
  }
}

// Translates libdw's rule.
unwind_rule rule_of(Dwarf_Frame* frame, const Registers& registers) {
  Dwarf_Addr start = 0;
  Dwarf_Addr end = 0;
  bool is_signal = false;
  const int ra = dwarf_frame_info(frame, &start, &end, &is_signal);
  unwind_rule rule{};
  place_of(frame, ra, registers, rule.ra, rule.ra_offset);
  unwind_rule other{};
  if (rule.ra > UNWIND_LOST) {
    other.cfa = UNWIND_CFA_END;
    return other;
  }
  place_of(frame, registers.fp, registers, rule.fp, rule.fp_offset);
  if (registers.extra != ra) place_of(frame, registers.extra, registers, rule.extra, rule.extra_offset);
  // When a function does not change rbx, libdw gives another register for it.
  if (rule.extra > UNWIND_LOST) rule.extra = UNWIND_SAME;
  cfa_of(frame, rule);
  rule.flags = is_signal ? UNWIND_SIGNAL : 0;
  // Places that the walk cannot use are marked as lost.
  const auto spare = [](std::uint8_t& kind, std::int16_t& offset) {
    if (kind < UNWIND_IN_REGISTER) return;
    kind = UNWIND_LOST;
    offset = 0;
  };
  spare(rule.fp, rule.fp_offset);
  spare(rule.extra, rule.extra_offset);
  const bool is_nowhere = rule.ra == UNWIND_LOST || (rule.ra == UNWIND_SAME && !registers.has_link);
  other.cfa = UNWIND_CFA_UNKNOWN;
  return is_nowhere || rule.cfa == UNWIND_CFA_UNKNOWN ? other : rule;
}

std::string in_words(const unwind_rule& rule) {
  char text[160];
  std::snprintf(text, sizeof text, "cfa %u r%u%+d fp %u%+d ra %u%+d extra %u%+d%s", rule.cfa, rule.cfa_register,
                rule.cfa_offset, rule.fp, rule.fp_offset, rule.ra, rule.ra_offset, rule.extra, rule.extra_offset,
                (rule.flags & UNWIND_SIGNAL) != 0 ? " signal" : "");
  return text;
}

// The file offsets at which the rule of the table changes.
std::vector<std::uint64_t> changes_of(const UnwindTable& table) {
  std::vector<std::uint64_t> changes;
  const std::uint32_t page_shift = UNWIND_PAGE_SHIFT(table.unit_shift);
  for (std::size_t i = 0; i < table.pages.size(); ++i) {
    const std::uint64_t begin = std::uint64_t{table.first_page + i} << page_shift;
    changes.push_back(begin);
    const std::uint32_t rows = table.pages[i].rows_and_code >> UNWIND_CODE_BITS;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const std::uint64_t in_page = table.rows[table.pages[i].first_row + row] >> UNWIND_CODE_BITS;
      changes.push_back(begin + (in_page << table.unit_shift));
    }
  }
  return changes;
}

class Comparison {
 public:
  Comparison(const char* path, const ElfFile& file, const UnwindTable& table, Dwarf_CFI* cfi, Sums& sums)
      : path_(path), file_(file), table_(table), cfi_(cfi), sums_(sums), changes_(changes_of(table)) {
    const bool is_arm64 = table.elf_machine == EM_AARCH64;
    registers_ = is_arm64 ? Registers{31, 29, 30, true} : Registers{7, 6, 3, false};
  }

  void run() {
    for (const ElfSegment& segment : file_.segments()) {
      if (segment.type == PT_LOAD && (segment.flags & PF_X) != 0) compare(segment);
    }
  }

 private:
  void compare(const ElfSegment& segment) {
    const std::uint64_t bias = segment.address - segment.offset;
    const std::uint64_t end = segment.address + segment.file_size;
    std::uint64_t known_until = 0;
    for (std::uint64_t address = segment.address; address < end;) {
      std::uint64_t next = std::min(end, (address & ~(alignment - 1)) + alignment);
      Dwarf_Frame* asked = nullptr;
      if (dwarf_cfi_addrframe(cfi_, address, &asked) == 0) {
        const std::unique_ptr<Dwarf_Frame, decltype(&std::free)> frame(asked, &std::free);
        Dwarf_Addr from = 0;
        Dwarf_Addr to = 0;
        bool is_signal = false;
        dwarf_frame_info(frame.get(), &from, &to, &is_signal);
        next = std::min(end, std::max<std::uint64_t>(to, address + 1));
        const unwind_rule theirs = rule_of(frame.get(), registers_);
        each_change(address - bias, next - bias, [&](std::uint64_t offset, const unwind_rule& ours) {
          ++sums_.places;
          if (std::memcmp(&ours, &theirs, sizeof ours) != 0) say(offset + bias, ours, in_words(theirs));
        });
        known_until = next;
      } else {
        const auto change = std::upper_bound(changes_.begin(), changes_.end(), address - bias);
        if (change != changes_.end()) next = std::min(next, *change + bias);
        const unwind_rule ours = rule_at(table_, {address - bias});
        ++sums_.places;
        if (ours.cfa == UNWIND_CFA_NONE) {
        } else if (known_until != 0 && address - known_until < filler_bytes && is_as_at(known_until - 1 - bias, ours)) {
          ++sums_.filler;
        } else {
          ++sums_.added;
          if (std::getenv("ADDED") != nullptr)
            std::printf("%s: %#lx: added %s\n", path_, address, in_words(ours).c_str());
        }
      }
      address = next;
    }
  }

  template <class Each>
  void each_change(std::uint64_t from, std::uint64_t to, Each each) {
    each(from, rule_at(table_, {from}));
    auto change = std::upper_bound(changes_.begin(), changes_.end(), from);
    for (; change != changes_.end() && *change < to; ++change) each(*change, rule_at(table_, {*change}));
  }

  [[nodiscard]] bool is_as_at(std::uint64_t offset, const unwind_rule& rule) const {
    const unwind_rule other = rule_at(table_, {offset});
    return std::memcmp(&other, &rule, sizeof rule) == 0;
  }

  void say(std::uint64_t address, const unwind_rule& ours, const std::string& theirs) {
    if (++sums_.wrong < 200)
      std::printf("%s: %#lx: ours %s, theirs %s\n", path_, address, in_words(ours).c_str(), theirs.c_str());
  }

  const char* path_;
  const ElfFile& file_;
  const UnwindTable& table_;
  Dwarf_CFI* cfi_;
  Sums& sums_;
  std::vector<std::uint64_t> changes_;
  Registers registers_{};
};

void compare(const char* path, Sums& sums) {
  const Fd fd(::open(path, O_RDONLY | O_CLOEXEC));
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  if (!file) return;
  ++sums.files;
  Elf* const elf = elf_begin(fd.get(), ELF_C_READ_MMAP, nullptr);
  const UnwindAnswer answer = unwind_table_of(*file);
  Dwarf* const dwarf = file->section(".eh_frame") != nullptr ? nullptr : dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
  Dwarf_CFI* const cfi = dwarf != nullptr ? dwarf_getcfi(dwarf) : dwarf_getcfi_elf(elf);
  if (answer.fault != UnwindFault::none) {
    std::printf("%s: %s%s\n", path, std::string(text_of(answer.fault)).c_str(),
                cfi != nullptr ? ", but libdw reads it" : "");
  } else if (cfi == nullptr) {
    std::printf("%s: libdw reads nothing\n", path);
  } else {
    ++sums.tables;
    sums.rows += answer.table.rows.size();
    Comparison(path, *file, answer.table, cfi, sums).run();
  }
  if (dwarf != nullptr) {
    dwarf_end(dwarf);
  } else if (cfi != nullptr) {
    dwarf_cfi_end(cfi);
  }
  elf_end(elf);
}

}  // namespace

int main(int count, char** words) {
  elf_version(EV_CURRENT);
  Sums sums;
  for (int i = 1; i < count; ++i) compare(words[i], sums);
  std::printf(
      "%zu files, %zu tables, %zu rows; %zu places compared, %zu wrong; where libdw knows nothing: %zu filler, %zu "
      "added\n",
      sums.files, sums.tables, sums.rows, sums.places, sums.wrong, sums.filler, sums.added);
  return sums.wrong == 0 && sums.tables != 0 ? 0 : 1;
}
