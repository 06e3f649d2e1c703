#include "parse/allocator_functions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "elf/symbol_table.h"

namespace profile {
namespace {

using Known = std::pair<std::string_view, AllocatorCall>;
constexpr Known probed_functions[] = {{"malloc", AllocatorCall::bytes},
                                      {"calloc", AllocatorCall::product},
                                      {"realloc", AllocatorCall::moved},
                                      {"memalign", AllocatorCall::aligned},
                                      {"aligned_alloc", AllocatorCall::aligned},
                                      {"posix_memalign", AllocatorCall::aligned_by_place},
                                      {"valloc", AllocatorCall::bytes},
                                      {"pvalloc", AllocatorCall::bytes},
                                      {"free", AllocatorCall::free}};

// Other functions that libraries have beside them. They help to find the extent of the allocator's code. That code also
// contains functions without a name to look up, and these call the functions that have names.
constexpr std::string_view other_functions[] = {"cfree",       "mallinfo",     "mallinfo2", "malloc_info",
                                                "malloc_trim", "malloc_stats", "mallopt",   "malloc_usable_size"};
// If functions are farther apart than this, their code is not in the order of the source.
constexpr std::uint64_t most_code_bytes = 64 << 10;

// In steps of WorkBudget: a thousand times what a C library takes.
constexpr std::uint64_t most_steps = std::uint64_t{1} << 28;

struct Found {
  AllocatorCall call;
  ElfAddress address;
};

// The kernel emulates a push or a jump under a probe. Most other instructions it lets the processor step over, which
// costs many times as much: in a virtual machine it takes tens of microseconds. `free` of glibc on x86-64 begins with
// "test %rdi,%rdi" and a conditional jump. The test changes nothing that is looked at, so the probe is put at the jump.
FileOffset cheapest_place(const ElfFile& elf, FileOffset first) {
  std::array<unsigned char, 5> code{};
  if (!elf.read_at(first.value, std::as_writable_bytes(std::span(code)))) return first;
  const bool tests = code[0] == 0x48 && code[1] == 0x85 && code[2] == 0xff;
  const bool jumps = code[3] == 0x74 || (code[3] == 0x0f && code[4] == 0x84);
  return tests && jumps ? FileOffset{first.value + 3} : first;
}

}  // namespace

std::vector<AllocatorFunction> allocator_functions(const ElfFile& file) {
  WorkBudget budget(most_steps);
  const ElfFile elf = file.with_budget(budget);
  std::vector<Found> found;
  std::uint64_t begin = UINT64_MAX;  // of the allocator's code
  std::uint64_t end = 0;
  const auto is_function = [](const ElfTableSymbol& symbol) { return symbol.type == STT_FUNC; };
  visit_names(elf, SHT_DYNSYM, is_function, [&](std::string_view name, const ElfTableSymbol& symbol) {
    const auto* const probed = std::ranges::find(probed_functions, name, &Known::first);
    const bool is_probed = probed != std::end(probed_functions);
    if (!is_probed && std::ranges::find(other_functions, name) == std::end(other_functions)) return;
    begin = std::min(begin, symbol.start);
    end = std::max(end, symbol.start + symbol.size);
    if (is_probed) found.push_back({probed->second, {symbol.start}});
  });

  if (budget.spent()) return {};
  const bool is_together = end > begin && end - begin <= most_code_bytes;
  std::vector<AllocatorFunction> functions;
  std::set<std::uint64_t> places;  // one function may have two names
  for (const Found& function : found) {
    const auto offset = elf.offset_of(function.address);
    if (!offset || !places.insert(offset->value).second) continue;
    functions.push_back({.call = function.call, .offset = cheapest_place(elf, *offset)});
    if (!is_together) continue;
    functions.back().before_bytes = static_cast<std::uint32_t>(function.address.value - begin);
    functions.back().after_bytes = static_cast<std::uint32_t>(end - function.address.value);
  }
  return functions.size() <= most_allocator_functions ? std::move(functions) : std::vector<AllocatorFunction>();
}

}  // namespace profile
