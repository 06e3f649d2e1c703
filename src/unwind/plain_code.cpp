#include "unwind/plain_code.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

namespace profile {
namespace {

// The first code of the dynamic linker has 0x40 bytes, that of musl fewer.
constexpr std::uint64_t most_entry_bytes = 0x60;
// _init and _fini have a dozen instructions.
constexpr std::uint64_t most_init_bytes = 256;
constexpr std::uint64_t most_stub_bytes = 16 << 20;
constexpr std::uint64_t most_vdso_bytes = 64 << 10;

constexpr std::uint64_t x86_64_stub_bytes = 16;
constexpr std::uint64_t arm64_header_bytes = 32;

using Code = std::span<const std::byte>;

bool is_at(Code code, std::size_t at, std::string_view bytes) {
  return at <= code.size() && bytes.size() <= code.size() - at &&
         std::memcmp(code.data() + at, bytes.data(), bytes.size()) == 0;
}

// Where `bytes` are in `code`, from `from` on; code.size() when they are not there.
std::size_t find(Code code, std::string_view bytes, std::size_t from = 0) {
  const std::string_view text(reinterpret_cast<const char*>(code.data()), code.size());
  return std::min(text.find(bytes, from), text.size());
}

class PlainCode {
 public:
  PlainCode(const ElfFile& file, const UnwindMachine& machine, RuleList& rules)
      : file_(file), is_arm64_(machine.elf_machine == EM_AARCH64), machine_(machine), rules_(rules) {}

  std::vector<FrameRange> find_all() {
    for (const std::string_view name : {".init", ".fini"}) add_section(name, most_init_bytes, &PlainCode::add_init);
    add_section(".plt", most_stub_bytes, &PlainCode::add_lazy_stubs);
    for (const std::string_view name : {".plt.sec", ".plt.got", ".iplt"})
      add_section(name, most_stub_bytes, &PlainCode::add_stubs);
    if (is_arm64_) add_signal_return();
    add_entry();
    return std::move(found_);
  }

 private:
  void add(std::uint64_t start, std::uint64_t bytes, std::uint32_t code) {
    if (bytes == 0 || start > UINT32_MAX || bytes > UINT32_MAX - start) return;
    found_.push_back({.start = static_cast<std::uint32_t>(start),
                      .bytes = static_cast<std::uint32_t>(bytes),
                      .at = code,
                      .common = FrameRange::plain});
  }
  void add(std::uint64_t start, std::uint64_t bytes, const FrameState& state) {
    add(start, bytes, rules_.code_of(state));
  }

  // The state after so many bytes were pushed. On arm64 the return address is still in its register.
  [[nodiscard]] FrameState pushed(std::int32_t bytes) const {
    FrameState state;
    state.cfa = UNWIND_CFA_REGISTER;
    state.cfa_register = machine_.sp;
    state.cfa_offset = bytes + (is_arm64_ ? 0 : 8);
    if (!is_arm64_) state.ra = {.kind = UNWIND_AT_CFA, .offset = -8};
    return state;
  }

  void add_section(std::string_view name, std::uint64_t most_bytes, void (PlainCode::*add_code)(std::uint64_t, Code)) {
    const ElfSection* const section = file_.section(name);
    if (section == nullptr || !file_.holds(*section) || (section->flags & SHF_EXECINSTR) == 0) return;
    if (section->size > most_bytes) return;
    std::vector<std::byte> code(section->size);
    if (file_.read_at(section->offset, code)) (this->*add_code)(section->offset, code);
  }

  // The entry point has no caller, but the dynamic linker and musl have no entry that says so.
  void add_entry() {
    Elf64_Ehdr header{};
    if (!file_.read_records(0, std::span(&header, 1)) || header.e_entry == 0) return;
    const auto offset = file_.offset_of({header.e_entry});
    unwind_rule end{};
    end.cfa = UNWIND_CFA_END;
    if (offset) add(offset->value, entry_bytes(offset->value), rules_.number_of(end));
  }

  // Other functions without a description may follow, and these have callers. So the end must be found.
  [[nodiscard]] std::uint64_t entry_bytes(std::uint64_t offset) const {
    using namespace std::string_view_literals;
    std::vector<std::byte> code(most_entry_bytes);
    if (is_arm64_ || !file_.read_at(offset, code)) return most_entry_bytes;
    const auto jump = "\x41\xff\xe4"sv;                    // jmp *%r12: the last instruction of the dynamic linker
    const auto align_and_call = "\x48\x83\xe4\xf0\xe8"sv;  // and $-16, %rsp; call: musl's
    constexpr std::size_t distance_bytes = 4;
    const std::size_t jumped = find(code, jump) + jump.size();
    const std::size_t called = find(code, align_and_call) + align_and_call.size() + distance_bytes;
    return std::min({jumped, called, code.size()});
  }

  // The linker joins the beginnings of crti.o and the ends of crtn.o, and nothing between them pushes.
  void add_init(std::uint64_t offset, Code code) {
    using namespace std::string_view_literals;
    const auto enter =
        is_arm64_ ? "\xfd\x7b\xbf\xa9"sv : "\x48\x83\xec\x08"sv;  // stp x29, x30, [sp, -16]!; sub $8, %rsp
    const auto leave = is_arm64_ ? "\xfd\x7b\xc1\xa8"sv : "\x48\x83\xc4\x08"sv;  // ldp x29, x30, [sp], 16; add $8, %rsp
    const std::size_t entered = find(code, enter) + enter.size();
    const std::size_t left = find(code, leave, entered) + leave.size();
    if (left > code.size() || left < entered) return;
    FrameState inside = pushed(is_arm64_ ? 16 : 8);
    if (is_arm64_) {
      inside.fp = {.kind = UNWIND_AT_CFA, .offset = -16};
      inside.ra = {.kind = UNWIND_AT_CFA, .offset = -8};
    }
    add(offset, entered, pushed(0));
    add(offset + entered, left - entered, inside);
    add(offset + left, code.size() - left, pushed(0));
  }

  void add_stubs(std::uint64_t offset, Code code) { add(offset, code.size(), pushed(0)); }

  // Stubs that look up their function at the first call. GNU ld describes them; lld and mold do not.
  void add_lazy_stubs(std::uint64_t offset, Code code) {
    using namespace std::string_view_literals;
    if (is_arm64_) {
      const auto push = "\xf0\x7b\xbf\xa9"sv;  // stp x16, x30, [sp, -16]!, only in the header
      const std::size_t pushes = find(code, push) + push.size();
      if (pushes > arm64_header_bytes || code.size() < arm64_header_bytes) return;
      FrameState inside = pushed(16);
      inside.ra = {.kind = UNWIND_AT_CFA, .offset = -8};
      add(offset, pushes, pushed(0));
      add(offset + pushes, arm64_header_bytes - pushes, inside);
      add(offset + arm64_header_bytes, code.size() - arm64_header_bytes, pushed(0));
      return;
    }
    const auto push_and_jump = [&](std::size_t at, std::size_t push) {
      return is_at(code, at + push, "\x68"sv) &&
             (is_at(code, at + push + 5, "\xe9"sv) || is_at(code, at + push + 5, "\xf2\xe9"sv));
    };
    if (!is_at(code, 0, "\xff\x35"sv) || code.size() < 2 * x86_64_stub_bytes)
      return;  // the header must begin with a push from memory
    std::uint8_t pushed_from = 0;
    if (is_at(code, x86_64_stub_bytes, "\xff\x25"sv) && push_and_jump(x86_64_stub_bytes, 6)) pushed_from = 11;
    if (is_at(code, x86_64_stub_bytes, "\xf3\x0f\x1e\xfa"sv) && push_and_jump(x86_64_stub_bytes, 4)) pushed_from = 9;
    if (pushed_from == 0) return;
    constexpr std::uint64_t push_bytes = 6;
    add(offset, push_bytes, pushed(8));
    add(offset + push_bytes, x86_64_stub_bytes - push_bytes, pushed(16));
    FrameState stub = pushed(0);
    stub.cfa = UNWIND_CFA_STUB;
    stub.cfa_register = pushed_from;
    add(offset + x86_64_stub_bytes, code.size() - x86_64_stub_bytes, stub);
  }

  // mov x8, #139 (rt_sigreturn); svc #0: Linux's vDSO has no entry for it, because its unwinders recognise these bytes.
  // The stack holds struct rt_sigframe: siginfo (128 bytes), then struct ucontext with the registers at 184.
  void add_signal_return() {
    using namespace std::string_view_literals;
    if (file_.size_bytes() > most_vdso_bytes) return;
    std::vector<std::byte> code(file_.size_bytes());
    if (!file_.read_at(0, code)) return;
    const auto instructions = "\x68\x11\x80\xd2\x01\x00\x00\xd4"sv;
    const std::size_t at = find(code, instructions);
    if (at == code.size() || at % 4 != 0) return;
    constexpr std::int32_t registers = 128 + 184;
    constexpr auto place_of = [](std::int32_t number) {
      return RegisterRule{.kind = UNWIND_AT_SP, .offset = registers + 8 * number};
    };
    constexpr std::int32_t fp = 29, link = 30, sp = 31, pc = 32;
    FrameState state;
    state.cfa = UNWIND_CFA_MEMORY;
    state.cfa_register = machine_.sp;
    state.cfa_offset = place_of(sp).offset;
    state.is_signal = true;
    state.fp = place_of(fp);
    state.ra = place_of(pc);
    state.extra = place_of(link);
    add(at, instructions.size(), state);
  }

  const ElfFile& file_;
  const bool is_arm64_;
  const UnwindMachine& machine_;
  RuleList& rules_;
  std::vector<FrameRange> found_;
};

}  // namespace

std::vector<FrameRange> plain_code_of(const ElfFile& file, const UnwindMachine& machine, RuleList& rules) {
  return PlainCode(file, machine, rules).find_all();
}

}  // namespace profile
