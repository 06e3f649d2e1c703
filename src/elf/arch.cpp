#include "elf/arch.h"

#include <elf.h>

#include <cstring>

namespace profile {
namespace {

// A number in the machine's byte order at `address`; nullopt outside the window.
template <class Number>
std::optional<Number> number_at(const StubCode& code, std::uint64_t address) {
  if (address < code.begin || address - code.begin > code.bytes.size()) return std::nullopt;
  const std::uint64_t at = address - code.begin;
  Number number{};
  if (code.bytes.size() - at < sizeof number) return std::nullopt;
  std::memcpy(&number, code.bytes.data() + at, sizeof number);
  return number;
}

// --- x86-64 ----------------------------------------------------------------------------------------------------------
constexpr std::uint32_t endbr64 = 0xfa1e0ff3;
constexpr std::uint16_t jump_through_memory = 0x25ff;  // jmp *rel32(%rip), six bytes
constexpr std::uint16_t mov_to_r11d = 0xbb41;          // mov imm32, %r11d, six bytes: mold keeps the number there
constexpr std::uint16_t two_byte_nop = 0x9066;
constexpr std::uint8_t bnd = 0xf2;
constexpr std::uint8_t push = 0x68;  // push imm32

template <class Number>
bool is_at(const StubCode& code, std::uint64_t address, Number expected) {
  return number_at<Number>(code, address) == expected;
}

std::optional<PltStub> x86_64_stub_from(const StubCode& code, std::uint64_t start) {
  std::uint64_t at = start;
  if (is_at(code, at, endbr64)) at += 4;
  if (is_at(code, at, mov_to_r11d)) at += 6;
  if (is_at(code, at, bnd)) at += 1;
  if (is_at(code, at, jump_through_memory)) {
    const auto distance = number_at<std::int32_t>(code, at + 2);
    if (!distance) return std::nullopt;
    return PltStub{start, at + 6 + static_cast<std::uint64_t>(std::int64_t{*distance}), std::nullopt};
  }
  // With branch tracking, .plt holds only the part that finds the function on the first call; .plt.sec has the jump.
  if (is_at(code, at, push)) {
    const auto number = number_at<std::uint32_t>(code, at + 1);
    if (number) return PltStub{start, std::nullopt, number};
  }
  return std::nullopt;
}

// A stub has 16 bytes. Stubs that do nothing special on the first call (in .plt.got, and all of a static program) may
// have 8. The section's header does not always say which.
std::optional<PltStub> x86_64_stub_at(const StubCode& code, std::uint64_t address) {
  const std::uint64_t offset = address - code.section;
  const std::uint64_t small = code.section + (offset & ~std::uint64_t{7});
  if (is_at(code, small, jump_through_memory) && is_at(code, small + 6, two_byte_nop))
    return x86_64_stub_from(code, small);
  return x86_64_stub_from(code, code.section + (offset & ~std::uint64_t{15}));
}

// --- arm64 -----------------------------------------------------------------------------------------------------------
constexpr std::uint32_t bti_c = 0xd503245f;
constexpr std::uint32_t adrp_x16 = 0x90000010, adrp_mask = 0x9f00001f;
constexpr std::uint32_t ldr_x17_from_x16 = 0xf9400211, ldr_mask = 0xffc003ff;  // ldr x17, [x16, #8 * imm12]
// A stub has four to six instructions. This is the longest way, in bytes, from its last instruction back to its `adrp`.
constexpr std::uint64_t arm64_way_back = 20;

// A stub is: [bti c]; adrp x16; ldr x17, [x16]; add x16; [autia1716]; br x17. Its size depends on the linker and on
// what is protected, and the header before the stubs has no fixed size. So a stub is recognised by its first
// instructions.
std::optional<PltStub> arm64_stub_at(const StubCode& code, std::uint64_t address) {
  const std::uint64_t here = address & ~std::uint64_t{3};
  const std::uint64_t first = is_at(code, here, bti_c) ? here + 4 : here;
  for (std::uint64_t back = 0; back <= arm64_way_back; back += 4) {
    const std::uint64_t at = first - back;
    const auto adrp = number_at<std::uint32_t>(code, at);
    if (!adrp) return std::nullopt;
    if ((*adrp & adrp_mask) != adrp_x16) continue;
    const auto ldr = number_at<std::uint32_t>(code, at + 4);
    if (!ldr || (*ldr & ldr_mask) != ldr_x17_from_x16) return std::nullopt;
    const std::uint32_t pages = (*adrp >> 29 & 3U) | (*adrp >> 5 & 0x7ffffU) << 2;  // 21 bits, signed
    const std::int64_t distance = static_cast<std::int64_t>(std::uint64_t{pages} << 43) >> 31;
    const std::uint64_t slot =
        (at & ~std::uint64_t{4095}) + static_cast<std::uint64_t>(distance) + (*ldr >> 10 & 0xfffU) * std::uint64_t{8};
    return PltStub{is_at(code, at - 4, bti_c) ? at - 4 : at, slot, std::nullopt};
  }
  return std::nullopt;
}

constexpr Arch archs[] = {
    {EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE, x86_64_stub_at},
    {EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_IRELATIVE, arm64_stub_at},
};

}  // namespace

const Arch* arch_of(const ElfFile& file) {
  if (!file.is_64bit()) return nullptr;
  std::uint16_t machine = 0;
  if (!file.read_at(offsetof(Elf64_Ehdr, e_machine), std::as_writable_bytes(std::span(&machine, 1)))) return nullptr;
  for (const Arch& arch : archs) {
    if (arch.elf_machine == machine) return &arch;
  }
  return nullptr;
}

}  // namespace profile
