// Frame descriptions: the input is .eh_frame or .debug_frame for either known machine, or the data behind the header
// that leads to it when there are no sections. A table is always sound, no larger than the input can require, and paid
// for.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "../made_frames.h"
#include "unwind/build.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  if (size == 0) return 0;
  const std::uint16_t machine = (data[0] & 1) == 0 ? EM_X86_64 : EM_AARCH64;
  const char* const section = (data[0] & 2) == 0 ? ".eh_frame" : ".debug_frame";
  const std::uint64_t flags = (data[0] & 4) == 0 ? 0 : SHF_COMPRESSED;
  const std::string frames(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string file = test::file_with_frames(frames, machine, section, 0x4000, flags);

  constexpr std::uint64_t steps = 100'000'000;
  WorkBudget budget(steps);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why, &budget);
  if (!elf) std::abort();
  const UnwindAnswer answer = unwind_table_of(*elf);
  if ((answer.fault == UnwindFault::spent) != budget.spent()) std::abort();
  if (answer.fault != UnwindFault::none) {
    if (answer.table.size_bytes() != 0 || text_of(answer.fault).empty()) std::abort();
    return 0;
  }
  if (steps - budget.left() < frames.size() + answer.table.size_bytes()) std::abort();
  if (!is_sound(answer.table) || answer.table.pages.size() > 17 || answer.table.rows.size() > 0x4001) std::abort();
  for (std::uint64_t offset = 0; offset < 0x5000; offset += 7) static_cast<void>(rule_at(answer.table, {offset}));
  if (rule_at(answer.table, {test::made_code_offset + 0x4000}).cfa != UNWIND_CFA_NONE) std::abort();
  return 0;
}
