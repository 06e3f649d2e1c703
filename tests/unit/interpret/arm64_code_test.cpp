// Each instruction of arm64 that the beginning of a function may have is read as what it does, and every other number
// as unknown.
#include <doctest/doctest.h>

#include <span>
#include <string>

#include "interpret/arm64_code.h"

using namespace profile;

namespace {

std::string with_sign(std::int64_t number) { return (number < 0 ? "" : "+") + std::to_string(number); }

// "store x29 x30 8 [x31+0] lowers 16 changes 1 2"
std::string in_words(std::uint32_t word) {
  const auto in = arm64_instruction(std::as_bytes(std::span(&word, 1)));
  if (!in) return "unknown";
  CHECK(in->bytes == 4);
  using Kind = MachineInstruction::Kind;
  const auto reg = [](unsigned number) {
    return number == zero_register ? std::string(" zero") : " x" + std::to_string(number);
  };
  const std::string operand =
      in->has_base ? " [x" + std::to_string(in->base) + with_sign(in->displacement) + "]" : " somewhere";
  std::string text;
  switch (in->kind) {
    case Kind::other:
      text = "other";
      break;
    case Kind::move:
      text = "move" + reg(in->reg) + " to" + reg(in->to);
      break;
    case Kind::address:
      text = "address" + operand + " to" + reg(in->to);
      break;
    case Kind::store:
      CHECK(in->of_register);
      text = "store" +
             (in->is_general ? reg(in->reg) + (in->is_pair ? reg(in->second) : "")
              : in->is_pair  ? " 2"
                             : "") +
             " " + std::to_string(in->store_bytes) + operand;
      break;
    case Kind::conditional:
      text = "conditional";
      break;
    case Kind::leaves:
      text = "leaves";
      break;
  }
  if (in->tests) text += " tests" + reg(in->reg);
  if (in->raises_base != 0) text += " base " + with_sign(in->raises_base);
  if (in->lowers_stack != 0) text += " lowers " + std::to_string(in->lowers_stack);
  if (in->changed != 0) text += " changes";
  for (unsigned i = 0; i < most_registers; ++i) {
    if ((in->changed >> i & 1) != 0) text += " " + std::to_string(i);
  }
  return text;
}

}  // namespace

TEST_CASE("instructions of arm64 are read as what they do") {
  // Hints: nop, the targets of branches, signatures.
  CHECK(in_words(0xd503201f) == "other");
  CHECK(in_words(0xd503245f) == "other");             // bti c
  CHECK(in_words(0xd50324df) == "other");             // bti jc
  CHECK(in_words(0xd503233f) == "other changes 30");  // paciasp
  CHECK(in_words(0xd503237f) == "other changes 30");  // pacibsp
  CHECK(in_words(0xd50323bf) == "unknown");           // autiasp
  CHECK(in_words(0xd53bd041) == "unknown");           // mrs x1, tpidr_el0

  // Pairs.
  CHECK(in_words(0xa9aa7bfd) == "store x29 x30 8 [x31+0] lowers 352");  // stp x29, x30, [sp, #-352]!
  CHECK(in_words(0xa90153f3) == "store x19 x20 8 [x31+16]");            // stp x19, x20, [sp, #16]
  CHECK(in_words(0xa91087f9) == "store x25 x1 8 [x31+264]");            // stp x25, x1, [sp, #264]
  CHECK(in_words(0xa9007fe1) == "store x1 zero 8 [x31+0]");             // stp x1, xzr, [sp]
  CHECK(in_words(0xa9bf0801) == "store x1 x2 8 [x0-16] base -16");      // stp x1, x2, [x0, #-16]!
  CHECK(in_words(0xa8810801) == "store x1 x2 8 [x0+0] base +16");       // stp x1, x2, [x0], #16
  CHECK(in_words(0x290107e0) == "store 2 4 [x31+8]");                   // stp w0, w1, [sp, #8]
  CHECK(in_words(0x6d0123e9) == "store 2 8 [x31+16]");                  // stp d9, d8, [sp, #16]
  CHECK(in_words(0xad0107e0) == "store 2 16 [x31+32]");                 // stp q0, q1, [sp, #32]
  CHECK(in_words(0xa94153f3) == "other changes 19 20");                 // ldp x19, x20, [sp, #16]
  CHECK(in_words(0xa8c17bfd) == "unknown");                             // ldp x29, x30, [sp], #16
  CHECK(in_words(0x69010801) == "unknown");                             // stgp

  // One register.
  CHECK(in_words(0xf9001c07) == "store x7 8 [x0+56]");             // str x7, [x0, #56]
  CHECK(in_words(0xf90043ff) == "store zero 8 [x31+128]");         // str xzr, [sp, #128]
  CHECK(in_words(0xb9002360) == "store 4 [x27+32]");               // str w0, [x27, #32]
  CHECK(in_words(0x39011323) == "store 1 [x25+68]");               // strb w3, [x25, #68]
  CHECK(in_words(0x3d8043e0) == "store 16 [x31+256]");             // str q0, [sp, #256]
  CHECK(in_words(0xfd0087e0) == "store 8 [x31+264]");              // str d0, [sp, #264]
  CHECK(in_words(0xf81f83e0) == "store x0 8 [x31-8]");             // stur x0, [sp, #-8]
  CHECK(in_words(0xf81f0ffe) == "store x30 8 [x31+0] lowers 16");  // str x30, [sp, #-16]!
  CHECK(in_words(0xf8008c20) == "store x0 8 [x1+8] base +8");      // str x0, [x1, #8]!
  CHECK(in_words(0xf8008420) == "store x0 8 [x1+0] base +8");      // str x0, [x1], #8
  CHECK(in_words(0xf8226820) == "store x0 8 somewhere");           // str x0, [x1, x2]
  CHECK(in_words(0xf9401c01) == "other changes 1");                // ldr x1, [x0, #56]
  CHECK(in_words(0xf8410d81) == "other base +16 changes 1");       // ldr x1, [x12, #16]!
  CHECK(in_words(0x39400025) == "other changes 5");                // ldrb w5, [x1]
  CHECK(in_words(0xb98042b9) == "other changes 25");               // ldrsw x25, [x21, #64]
  CHECK(in_words(0xf84107fe) == "unknown");                        // ldr x30, [sp], #16
  CHECK(in_words(0xf9800020) == "unknown");                        // prfm
  CHECK(in_words(0xf8200020) == "unknown");                        // ldadd
  CHECK(in_words(0xc8dffc20) == "unknown");                        // ldar x0, [x1]

  // Sums, and moves.
  CHECK(in_words(0xd10583ff) == "other lowers 352");                    // sub sp, sp, #352
  CHECK(in_words(0xd14007ff) == "other lowers 4096");                   // sub sp, sp, #1, lsl #12
  CHECK(in_words(0x910043ff) == "other lowers -16");                    // add sp, sp, #16
  CHECK(in_words(0x910003fd) == "move x31 to x29 changes 29");          // mov x29, sp
  CHECK(in_words(0x910003bf) == "move x29 to x31 changes 31");          // mov sp, x29
  CHECK(in_words(0x910403e7) == "address [x31+256] to x7 changes 7");   // add x7, sp, #256
  CHECK(in_words(0xd10043a0) == "address [x29-16] to x0 changes 0");    // sub x0, x29, #16
  CHECK(in_words(0x914007e0) == "address [x31+4096] to x0 changes 0");  // add x0, sp, #1, lsl #12
  CHECK(in_words(0x51000420) == "other changes 0");                     // sub w0, w1, #1
  CHECK(in_words(0xf100041f) == "other");                               // cmp x0, #1
  CHECK(in_words(0xf1000420) == "other changes 0");                     // subs x0, x1, #1
  CHECK(in_words(0xcb2063ff) == "other changes 31");                    // sub sp, sp, x0
  CHECK(in_words(0xeb23405f) == "other");                               // cmp x2, w3, uxtw
  CHECK(in_words(0x927cec1f) == "other changes 31");                    // and sp, x0, #~15
  CHECK(in_words(0xaa0103f9) == "move x1 to x25 changes 25");           // mov x25, x1
  CHECK(in_words(0xaa1f03e0) == "move zero to x0 changes 0");           // mov x0, xzr
  CHECK(in_words(0x2a0203f3) == "other changes 19");                    // mov w19, w2
  CHECK(in_words(0xaa020020) == "other changes 0");                     // orr x0, x1, x2
  CHECK(in_words(0x52800023) == "other changes 3");                     // mov w3, #1
  CHECK(in_words(0xf2a00020) == "other changes 0");                     // movk x0, #1, lsl #16
  CHECK(in_words(0xf0001413) == "other changes 19");                    // adrp x19
  CHECK(in_words(0x53087cbb) == "other changes 27");                    // lsr w27, w5, #8
  CHECK(in_words(0x8b33ccf3) == "other changes 19");                    // add x19, x7, w19, sxtw #3
  CHECK(in_words(0x8b010000) == "other changes 0");                     // add x0, x0, x1
  CHECK(in_words(0x9a820020) == "other changes 0");                     // csel x0, x1, x2, eq
  CHECK(in_words(0x9b027c20) == "other changes 0");                     // mul x0, x1, x2
  CHECK(in_words(0xfa410800) == "other");                               // ccmp x0, #1, #0, eq

  // What leads elsewhere.
  CHECK(in_words(0xb40775c0) == "conditional tests x0");  // cbz x0
  CHECK(in_words(0xb50775c0) == "conditional");           // cbnz x0: what follows is for no thread
  CHECK(in_words(0x340775c0) == "conditional");           // cbz w0
  CHECK(in_words(0x5400002d) == "conditional");           // b.le
  CHECK(in_words(0x36c82ea0) == "conditional");           // tbz w0, #25
  CHECK(in_words(0x14000001) == "leaves");                // b
  CHECK(in_words(0x94000001) == "leaves");                // bl
  CHECK(in_words(0xd61f0020) == "leaves");                // br x1
  CHECK(in_words(0xd63f0020) == "leaves");                // blr x1
  CHECK(in_words(0xd65f03c0) == "leaves");                // ret

  CHECK(in_words(0) == "unknown");
  CHECK(in_words(0xd4000001) == "unknown");  // svc
  CHECK(in_words(0x9e670020) == "unknown");  // fmov d0, x1
  CHECK(!arm64_instruction({}));
}

TEST_CASE("jumps of arm64 lead where they say") {
  CHECK(arm64_jump(0xb40775c0) == 0xeeb8);   // cbz
  CHECK(arm64_jump(0x54ffffed) == -4);       // b.le
  CHECK(arm64_jump(0x36c82ea0) == 0x5d4);    // tbz
  CHECK(arm64_jump(0x36040000) == -0x8000);  // tbz, as far back as it can
  CHECK(arm64_jump(0x17ffffff) == -4);       // b
  CHECK(arm64_jump(0x14000010) == 0x40);     // b
  CHECK(!arm64_jump(0x94000010));            // bl
  CHECK(!arm64_jump(0xd61f0020));            // br
  CHECK(!arm64_jump(0xd503201f));            // nop
}
