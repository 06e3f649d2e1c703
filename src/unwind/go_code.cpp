#include "unwind/go_code.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "elf/go_functions.h"

namespace profile {
namespace {

enum class Change : std::uint8_t {
  // It runs a function on another stack and comes back. The frame pointer stays that of the old stack: its own, or its
  // caller's where it has no frame.
  and_back,
  // It leaves the old stack for good, which another thread may go on with. Go's own tracebacks end there, too.
  for_good,
  // It pushes the frame pointer, and then once more with what it saves for C. So the word behind the second one is the
  // first, and no return address.
  frame_twice,
  // The kernel lets a signal handler return into it, with the interrupted registers on the stack.
  from_signal
};

struct Changer {
  std::string_view name;
  Change change;
};
// src/runtime/asm_amd64.s, sys_linux_amd64.s, time_linux_amd64.s, race_amd64.s and cgo/asm_amd64.s of Go 1.16 to 1.25.
constexpr std::array changers{
    Changer{"runtime.systemstack", Change::and_back},
    Changer{"runtime.asmcgocall", Change::and_back},
    Changer{"runtime.cgocallback", Change::and_back},
    Changer{"runtime.nanotime1", Change::and_back},
    Changer{"runtime.walltime", Change::and_back},
    Changer{"time.now", Change::and_back},
    Changer{"runtime.vgetrandom1", Change::and_back},
    Changer{"racecall", Change::and_back},
    Changer{"runtime.mcall", Change::for_good},
    Changer{"runtime.morestack", Change::for_good},
    Changer{"crosscall2", Change::frame_twice},
    Changer{"runtime.sigreturn", Change::from_signal},
    Changer{"runtime.sigreturn__sigaction", Change::from_signal},
};
constexpr std::uint64_t most_function_bytes = 4096;  // the largest has some 500

// Where the first instruction ends that sets the stack pointer: from memory at a register and a byte (gobuf.sp), or
// from a register. nullopt: a wrapper of the function, which has its name, or code of another form.
std::optional<std::size_t> end_of_change(std::span<const std::byte> code) {
  const auto byte = [&](std::size_t at) { return std::to_integer<unsigned>(code[at]); };
  for (std::size_t i = 0; i + 4 <= code.size(); ++i) {
    const unsigned prefix = byte(i);
    const unsigned operation = byte(i + 1);
    const unsigned operands = byte(i + 2);
    const bool from_memory =
        (prefix == 0x48 || prefix == 0x49) && operation == 0x8b && (operands & 0xf8) == 0x60 && (operands & 7) != 4;
    const bool from_register = (prefix == 0x48 || prefix == 0x4c) && operation == 0x89 && (operands & 0xc7) == 0xc4;
    if (from_memory) return i + 4;
    if (from_register) return i + 3;
  }
  return std::nullopt;
}

struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// From "lea n(%rsp),%rbp" behind "mov %rbp,n(%rsp)", in a function that begins with "push %rbp; mov %rsp,%rbp", to
// "mov n(%rsp),%rbp". nullopt: a function of another form, such as that of Go before 1.21.
std::optional<Stretch> range_of_second_frame(std::span<const std::byte> code) {
  constexpr auto bytes = [](auto... values) { return std::array{std::byte(values)...}; };
  constexpr auto begin = bytes(0x55, 0x48, 0x89, 0xe5);
  constexpr auto store = bytes(0x48, 0x89, 0x6c, 0x24);
  constexpr auto address = bytes(0x48, 0x8d, 0x6c, 0x24);
  constexpr auto load = bytes(0x48, 0x8b, 0x6c, 0x24);
  constexpr std::size_t length = store.size() + 1;  // with n
  if (code.size() < begin.size() || !std::ranges::equal(code.first(begin.size()), begin)) return std::nullopt;
  const auto place_of = [](std::span<const std::byte> where, const auto& what) {
    return static_cast<std::size_t>(std::search(where.begin(), where.end(), what.begin(), what.end()) - where.begin());
  };
  const std::size_t at = place_of(code, store);
  const std::span<const std::byte> rest = code.subspan(std::min(at + length, code.size()));
  if (rest.size() < length || !std::ranges::equal(rest.first(address.size()), address)) return std::nullopt;
  if (rest[address.size()] != code[at + store.size()]) return std::nullopt;
  const std::size_t end = place_of(rest, load);
  if (end == rest.size()) return std::nullopt;
  const std::size_t from = at + length;
  return Stretch{.begin = from + length, .end = from + end + length};
}

unwind_rule rule_for(Change change) {
  constexpr std::uint8_t rbp = 6;
  constexpr std::uint8_t rsp = 7;
  unwind_rule rule{};
  if (change == Change::and_back) {
    rule.cfa = UNWIND_CFA_OTHER_STACK;
    rule.cfa_register = rbp;
    rule.cfa_offset = 16;
    rule.fp = rule.ra = UNWIND_AT_CFA;
    rule.fp_offset = -16;
    rule.ra_offset = -8;
    rule.extra = UNWIND_LOST;
  } else if (change == Change::for_good) {
    rule.cfa = UNWIND_CFA_END;
  } else if (change == Change::frame_twice) {
    rule.cfa = UNWIND_CFA_REGISTER;
    rule.cfa_register = rbp;
    rule.cfa_offset = 24;
    rule.fp = rule.ra = UNWIND_AT_CFA;
    rule.fp_offset = -16;
    rule.ra_offset = -8;
    rule.extra = UNWIND_LOST;
  } else {
    // The stack pointer is at struct ucontext, whose registers begin at 40: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax,
    // rcx, rsp, rip.
    constexpr std::int16_t registers = 40;
    constexpr auto place_of = [](int number) { return static_cast<std::int16_t>(registers + 8 * number); };
    rule.cfa = UNWIND_CFA_MEMORY;
    rule.cfa_register = rsp;
    rule.flags = UNWIND_SIGNAL;
    rule.fp = rule.ra = rule.extra = UNWIND_AT_SP;
    rule.fp_offset = place_of(10);
    rule.extra_offset = place_of(11);
    rule.cfa_offset = place_of(15);
    rule.ra_offset = place_of(16);
  }
  return rule;
}

// Where the function's rule holds.
std::optional<Stretch> range_of(Change change, std::span<const std::byte> code) {
  if (change == Change::frame_twice) return range_of_second_frame(code);
  const auto begin = change == Change::from_signal ? 0 : end_of_change(code);
  return begin ? std::optional(Stretch{.begin = *begin, .end = code.size()}) : std::nullopt;
}

}  // namespace

std::vector<FrameRange> go_code_of(const ElfFile& file, const UnwindMachine& machine, RuleList& rules) {
  std::vector<FrameRange> found;
  const auto functions = machine.elf_machine == EM_X86_64 ? GoFunctions::find(file) : std::nullopt;
  if (!functions) return found;
  std::array<std::string_view, changers.size()> names;
  std::ranges::transform(changers, names.begin(), &Changer::name);
  for (const auto& [function, name] : functions->with_names(names)) {
    const auto offset = file.offset_of({function.start});
    const std::uint64_t bytes = function.end - function.start;
    if (!offset || bytes > most_function_bytes || offset->value + bytes > UINT32_MAX) continue;
    std::vector<std::byte> code(bytes);
    if (!file.read_at(offset->value, code)) continue;
    const Change change = changers[name].change;
    const auto range = range_of(change, code);
    if (!range) continue;
    found.push_back({.start = static_cast<std::uint32_t>(offset->value + range->begin),
                     .bytes = static_cast<std::uint32_t>(range->end - range->begin),
                     .at = rules.number_of(rule_for(change)),
                     .common = FrameRange::plain});
  }
  std::ranges::sort(found, {}, &FrameRange::start);
  return found;
}

}  // namespace profile
