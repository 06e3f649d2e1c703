// Makes stacks whose frames are known: it calls functions as a CPU does, each with a frame of another kind, and keeps
// what a walk must find. Include it behind bpf/frame.bpf.h, whose architecture it follows.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "walked_program.h"

namespace {

// How a function keeps its caller's registers.
enum class Way : std::uint8_t {
  by_sp,         // a short rule from the stack pointer
  by_fp,         // a short rule from the frame pointer
  long_rule,     // a rule of the file's list
  realigned,     // the CFA is in memory
  by_extra,      // the CFA is in the register that is followed besides the frame pointer; x86-64
  pointer_only,  // no rule: a frame pointer
  bare_leaf,     // it has saved nothing: only for what is interrupted
  odd_leaf,      // the CFA is in a register that is known in the innermost frame alone
  signal,        // a signal interrupts the caller
};

class MadeStack {
 public:
  static constexpr std::uint64_t start = 0x7ffe00000000;
  // The frame when its callee begins, or now.
  struct Frame {
    std::uint64_t pc = 0;
    std::uint64_t sp = 0;
    std::uint64_t fp = 0;
    std::uint64_t extra = 0;
    bool was_interrupted = false;
    Way way = Way::by_sp;
    // As the walk shows it, if it is not the leaf.
    [[nodiscard]] std::uint64_t shown() const { return was_interrupted ? pc | WALK_INTERRUPTED : pc; }
  };

  MadeStack(profile::WalkedProgram& program, std::uint32_t seed) : program_(program), random_(seed) {
    begin_function(program_.add_root());
    now_.sp = start - 256;
    now_.fp = 0;
    now_.extra = any();
    program_.make_readable(now_.sp, start);
  }

  // Calls a function of that way, or interrupts the current one.
  void enter(Way way) {
    if (way == Way::signal) {
      interrupt();
    } else {
      call(way);
    }
    now_.way = way;
  }
  // Whether enter() may go that way from here.
  [[nodiscard]] bool may_enter(Way way) const {
    if (now_.way == Way::odd_leaf) return false;
    if (now_.way == Way::bare_leaf) return way == Way::signal;
#ifdef __TARGET_ARCH_x86
    return true;
#else
    if (way == Way::by_extra) return false;
    // The walk takes the caller's frame pointer for its stack pointer.
    return way != Way::pointer_only || now_.way == Way::by_fp || now_.way == Way::pointer_only;
#endif
  }

  // Leaf first. The leaf is where the CPU is now.
  [[nodiscard]] std::vector<Frame> frames() {
    std::vector<Frame> all = callers_;
    now_.pc = function_ + 4 * (random_() % 200);
    now_.was_interrupted = true;
    all.push_back(now_);
    return {all.rbegin(), all.rend()};
  }
  // The innermost frame's registers, by DWARF's numbers.
  [[nodiscard]] std::uint64_t register_of(std::uint32_t number) const {
    if (number == REGISTER_SP) return now_.sp;
    if (number == REGISTER_FP) return now_.fp;
    if (number == REGISTER_EXTRA) return now_.extra;
    return number == odd_register ? odd_ : 0;
  }

 private:
  static constexpr std::uint32_t odd_register = 10;
#ifdef __TARGET_ARCH_x86
  static constexpr std::uint64_t return_bytes = 8;
#else
  static constexpr std::uint64_t return_bytes = 0;
#endif

  std::uint64_t any() { return std::uint64_t{random_()} << 32 | random_(); }
  std::uint64_t below(std::uint32_t most) { return random_() % most; }

  // Pages of functions are far apart, so that their order says nothing.
  void begin_function(std::uint32_t code) {
    function_ = (0x555500000000 + (functions_++ * 7919 % 4096) * 0x10000);
    if (code == 0) {
      program_.add(function_, profile::WalkedProgram::Kind::plain);
    } else {
      program_.add(function_, code);
    }
  }
  void save(std::uint64_t at, std::uint64_t word) { program_.put(at, word); }
  // On arm64 a return address on the stack may hold a signature.
  std::uint64_t signed_address(std::uint64_t back) {
#ifdef __TARGET_ARCH_x86
    return back;
#else
    return back | any() << 48;
#endif
  }

  // Puts the instruction there that calls, so that a guess can be confirmed.
  void put_call_before(std::uint64_t back) {
#ifdef __TARGET_ARCH_x86
    save(back - 8, 0x00000000e8000000);
#else
    save(back - 4, 0xd503201f94000000);
#endif
  }

  void call(Way way) {
    Frame caller = now_;
    caller.pc = function_ + 16 + 4 * below(200);
    caller.was_interrupted = false;
    put_call_before(caller.pc);
    callers_.push_back(caller);
    const std::uint64_t back = signed_address(caller.pc), cfa = now_.sp, fp = now_.fp;
#ifdef __TARGET_ARCH_x86
    save(cfa - 8, back);
    std::uint64_t& followed = now_.extra;
#else
    now_.extra = back;
#endif
    now_.sp = cfa - return_bytes;
    unwind_rule rule{};
    rule.ra = UNWIND_AT_CFA;
    rule.ra_offset = -8;
    switch (way) {
      case Way::by_sp: {
        const std::uint64_t words = 20 + below(100);
#ifdef __TARGET_ARCH_x86
        const std::uint64_t fp_below = below(8), extra_below = below(2) * (8 + below(8));
        if (extra_below != 0) save(cfa - 8 - 8 * extra_below, std::exchange(followed, any()));
        if (fp_below != 0) save(cfa - 8 - 8 * fp_below, std::exchange(now_.fp, any()));
        begin_function(short_code(words) | static_cast<std::uint32_t>(fp_below << UNWIND_X86_64_FP_SHIFT |
                                                                      extra_below << UNWIND_X86_64_EXTRA_SHIFT));
#else
        const std::uint64_t fp_below = 2 + below(18);
        save(cfa - 8 * fp_below, std::exchange(now_.fp, any()));
        save(cfa - 8 * fp_below + 8, back);
        begin_function(short_code(words) | static_cast<std::uint32_t>(fp_below));
#endif
        now_.sp = cfa - 8 * words;
        break;
      }
      case Way::by_fp:
        push_frame_record(cfa, back);
#ifdef __TARGET_ARCH_x86
        begin_function(short_code(2) | UNWIND_SHORT_BY_FP | 1U << UNWIND_X86_64_FP_SHIFT);
#else
        begin_function(short_code(2) | UNWIND_SHORT_BY_FP | 2U);
#endif
        now_.sp -= 16 * below(20);
        break;
      case Way::long_rule:
        rule.cfa = UNWIND_CFA_REGISTER;
        rule.cfa_register = REGISTER_SP;
        rule.cfa_offset = 4096;
        rule.fp = UNWIND_AT_CFA;
        rule.fp_offset = -800;
        save(cfa - 8, back);
        save(cfa - 800, std::exchange(now_.fp, any()));
#ifdef __TARGET_ARCH_x86
        rule.extra = UNWIND_AT_SP;
        rule.extra_offset = 72;
        save(cfa - 4096 + 72, std::exchange(followed, any()));
#endif
        begin_function(program_.add_rule(rule));
        now_.sp = cfa - 4096;
        break;
      case Way::realigned: {
        const std::uint64_t frame = (cfa - 64) & ~std::uint64_t{63};
        rule.cfa = UNWIND_CFA_MEMORY;
        rule.cfa_register = REGISTER_FP;
        rule.cfa_offset = -8;
        rule.fp = UNWIND_AT_FP;
        save(cfa - 8, back);
        save(frame, fp);
        save(frame - 8, cfa);
        begin_function(program_.add_rule(rule));
        now_.fp = frame;
        now_.sp = frame - 16 - 16 * below(20);
        break;
      }
      case Way::by_extra:
#ifdef __TARGET_ARCH_x86
        rule.cfa = UNWIND_CFA_REGISTER;
        rule.cfa_register = REGISTER_EXTRA;
        rule.cfa_offset = 32;
        rule.extra = UNWIND_AT_CFA;
        rule.extra_offset = -16;
        save(cfa - 16, std::exchange(followed, cfa - 32));
        begin_function(program_.add_rule(rule));
        now_.sp = (cfa - 64) & ~std::uint64_t{63};
#endif
        break;
      case Way::pointer_only:
        push_frame_record(cfa, back);
        begin_function(0);
        break;
      case Way::bare_leaf:
        begin_function(short_code(return_bytes / 8));
        break;
      case Way::odd_leaf:
        rule.cfa = UNWIND_CFA_REGISTER;
        rule.cfa_register = odd_register;
        save(cfa - 8, back);
        odd_ = cfa;
        begin_function(program_.add_rule(rule));
        now_.sp = (cfa - 64) & ~std::uint64_t{63};
        break;
      case Way::signal:
        break;
    }
      // What is not saved in a register of its own holds any number.
#ifndef __TARGET_ARCH_x86
    if (way != Way::bare_leaf) now_.extra = any();
#endif
    program_.make_readable(now_.sp, cfa);
  }

  // The kernel saves all registers, and calls the handler, which returns into a function with this rule.
  void interrupt() {
    Frame interrupted = now_;
    interrupted.pc = function_ + 4 * below(200);
    interrupted.was_interrupted = true;
    callers_.push_back(interrupted);
    const std::uint64_t saved = (now_.sp - 128 - 512) & ~std::uint64_t{15};
    save(saved + 64, interrupted.sp);
    save(saved + 72, interrupted.pc);
    save(saved + 80, interrupted.fp);
    save(saved + 88, interrupted.extra);
    unwind_rule rule{};
    rule.flags = UNWIND_SIGNAL;
    rule.cfa = UNWIND_CFA_MEMORY;
    rule.cfa_register = REGISTER_SP;
    rule.cfa_offset = 64;
    rule.ra = rule.fp = rule.extra = UNWIND_AT_SP;
    rule.ra_offset = 72;
    rule.fp_offset = 80;
    rule.extra_offset = 88;
    begin_function(program_.add_rule(rule));
    now_.sp = saved;
    now_.fp = any();
    now_.extra = any();
    program_.make_readable(saved, interrupted.sp);
  }

  void push_frame_record(std::uint64_t cfa, std::uint64_t back) {
    save(cfa - 16, now_.fp);
    save(cfa - 8, back);
    now_.fp = now_.sp = cfa - 16;
  }
  static std::uint32_t short_code(std::uint64_t words) {
    return UNWIND_SHORT | static_cast<std::uint32_t>(words) << UNWIND_SHORT_CFA_SHIFT;
  }

  profile::WalkedProgram& program_;
  std::mt19937 random_;
  std::uint64_t function_ = 0;
  std::uint64_t functions_ = 1;
  std::uint64_t odd_ = 0;
  Frame now_;
  std::vector<Frame> callers_;
};

// A stack of at most `most` frames below the root. The program has its functions then.
inline std::vector<MadeStack::Frame> call_many(MadeStack& stack, std::mt19937& random, std::uint32_t most) {
  const std::uint64_t frames = 1 + random() % most;
  // A frame without a rule loses the register that others need.
  const bool has_pointers = random() % 2 == 0;
  for (std::uint64_t i = 0; i < frames;) {
    const auto way = static_cast<Way>(random() % 9);
    if (way == (has_pointers ? Way::by_extra : Way::pointer_only) || !stack.may_enter(way)) continue;
    if (way == Way::odd_leaf && i + 1 < frames) continue;
    stack.enter(way);
    ++i;
    if (way == Way::odd_leaf) break;
  }
  return stack.frames();
}

}  // namespace
