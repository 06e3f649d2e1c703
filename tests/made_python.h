// Builds a file that looks like CPython: its symbols, the beginning of its function, and what describes its frames. The
// unit tests and the fuzz target use it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "made_interpreter.h"

namespace profile::test {

// The places in the file's memory.
constexpr std::uint64_t made_data_address = 0x600000;
constexpr std::uint64_t made_function_at = 0x400;  // in the code
constexpr std::uint64_t made_function_bytes = 0x1800;
constexpr std::uint64_t made_cold_at = 0x100;
constexpr std::uint64_t made_cold_bytes = 0x80;
constexpr unsigned made_below_cfa = 352;  // of the function's stack pointer

struct MadePython {
  std::string code = {};      // of the function, from its first byte on
  std::uint32_t version = 0;  // as in Py_Version; 0: there is no such symbol
  std::string runtime = std::string(1024, '\0');
  std::vector<std::string> more_symbols = {};
  bool has_moved_code = false;
  bool is_in_symtab = false;  // the symbols are not dynamic
  std::uint16_t machine = EM_X86_64;
  bool is_by_fp = false;  // arm64: the frame is described by the frame pointer
};

// push of 6 registers, and room for the rest
inline std::string made_entry() {
  return bytes({0x41, 0x57, 0x41, 0x56, 0x41, 0x55, 0x41, 0x54, 0x55, 0x53, 0x48, 0x81, 0xec, 0x28, 0x01, 0, 0,
                // test rdi, rdi; je
                0x48, 0x85, 0xff, 0x0f, 0x84, 0, 0x10, 0, 0});
}
inline std::string made_code_311() {
  return made_entry() + bytes({0x48, 0x89, 0xf3,                                     // mov rbx, rsi
                               0x48, 0x8d, 0x8c, 0x24, 0xb0, 0, 0, 0,                // lea rcx, [rsp + 0xb0]
                               0x48, 0x89, 0x4f, 0x38,                               // mov [rdi + 0x38], rcx
                               0x66, 0x48, 0x0f, 0x6e, 0xc6,                         // movq xmm0, rsi
                               0x0f, 0x11, 0x84, 0x24, 0xb8, 0, 0, 0, 0xff, 0xe0});  // movups [rsp + 0xb8], xmm0; jmp
}
inline std::string made_code_312() {
  return made_entry() + bytes({0x49, 0x89, 0xfc,                                     // mov r12, rdi
                               0x48, 0x8d, 0x84, 0x24, 0x80, 0, 0, 0,                // lea rax, [rsp + 0x80]
                               0x49, 0x89, 0x44, 0x24, 0x38,                         // mov [r12 + 0x38], rax
                               0x0f, 0x29, 0x84, 0x24, 0x80, 0, 0, 0, 0xff, 0xe0});  // movaps [rsp + 0x80], xmm0; jmp
}
inline std::string made_code_313() {
  return made_entry() + bytes({0x48, 0x89, 0x3c, 0x24,                // mov [rsp], rdi
                               0x48, 0x89, 0x77, 0x48, 0xff, 0xe0});  // mov [rdi + 0x48], rsi; jmp
}
inline std::string made_code_39() {
  return made_entry() + bytes({0x48, 0x89, 0xfd, 0x48, 0x89, 0xf3,    // mov rbp, rdi; mov rbx, rsi
                               0x0f, 0x8f, 0, 1, 0, 0,                // jg
                               0x48, 0x89, 0x5d, 0x18, 0xff, 0xe0});  // mov [rbp + 0x18], rbx; jmp
}
inline std::string made_words(const std::vector<std::uint32_t>& words) {
  std::string made;
  for (const std::uint32_t word : words) made += bytes_of(word);
  return made;
}
// The beginning in Debian 12's python3.11 for arm64.
inline std::string made_code_311_arm64() {
  return made_words({
      0xa9aa7bfd, 0x910003fd,  // stp x29, x30, [sp, #-352]!; mov x29, sp
      0xa90153f3, 0xa9025bf5,  // stp x19, x20, [sp, #16]; stp x21, x22, [sp, #32]
      0xa90363f7, 0xa9046bf9,  // stp x23, x24, [sp, #48]; stp x25, x26, [sp, #64]
      0xa90573fb, 0xb40775c0,  // stp x27, x28, [sp, #80]; cbz x0
      0xaa0103f9, 0x910403e7,  // mov x25, x1; add x7, sp, #256
      0xf9401c01, 0xaa0003fb,  // ldr x1, [x0, #56]; mov x27, x0
      0xf9400803, 0xf9003fe3,  // ldr x3, [x0, #16]; str x3, [sp, #120]
      0xf9400424, 0x52800023,  // ldr x4, [x1, #8]; mov w3, #1
      0x39400025, 0xf9001c07,  // ldrb w5, [x1]; str x7, [x0, #56]
      0xf9001b24, 0x39011323,  // str x4, [x25, #48]; strb w3, [x25, #68]
      0x390403e5, 0xa91087f9,  // strb w5, [sp, #256]; stp x25, x1, [sp, #264]
      0xb9402001, 0x3504b982,  // ldr w1, [x0, #32]; cbnz w2
  });
}
// As Clang does it, which describes the frame by the frame pointer, and with signed return addresses.
inline std::string made_code_312_arm64() {
  return made_words({
      0xd503233f, 0xd10583ff,  // paciasp; sub sp, sp, #352
      0xa9147bfd, 0x910503fd,  // stp x29, x30, [sp, #320]; add x29, sp, #320
      0xb4000800, 0xaa0003ec,  // cbz x0; mov x12, x0
      0xd10123a8, 0xaa0103f7,  // sub x8, x29, #72; mov x23, x1
      0xf8410d81, 0xf940158a,  // ldr x1, [x12, #16]!; ldr x10, [x12, #40]
      0xf9001588, 0xf81c03aa,  // str x8, [x12, #40]; stur x10, [x29, #-64]
      0xf81b83b7, 0xd61f0020,  // stur x23, [x29, #-72]; br x1
  });
}
// struct _Py_DebugOffsets of 3.13.
inline std::string made_offsets_313(std::uint64_t free_threads = 0, std::uint64_t frame_code = 0) {
  std::vector<std::uint64_t> words(128);
  words[2] = free_threads;
  words[23] = 72;
  words[29] = 8;
  words[30] = frame_code;
  words[33] = 70;
  words[35] = 112;
  words[37] = 128;
  words[39] = 68;
  std::string made = "xdebugpy";
  for (std::size_t i = 1; i < words.size(); ++i) made += bytes_of(words[i]);
  return made;
}

// A jump from the end of that function to the moved code.
inline std::string made_jump(const std::string& function, std::uint16_t machine) {
  constexpr auto target = static_cast<std::int32_t>(made_cold_at + 8);
  const auto from = static_cast<std::int32_t>(made_function_at + function.size());
  if (machine != EM_AARCH64) return bytes({0x0f, 0x85}) + bytes_of(target - from - 6);            // jne
  return bytes_of(0x35000002 | (static_cast<std::uint32_t>(target - from) >> 2 & 0x7ffff) << 5);  // cbnz w2
}

inline std::string made_frames_of(const MadePython& python) {
  MadeFrames frames;
  const bool is_arm64 = python.machine == EM_AARCH64;
  MadeCommon made;
  if (is_arm64) {
    made.ra_register = 30;
    made.instructions = bytes({0x0c, 31, 0});
  }
  const std::size_t common = frames.common(made);
  const std::string below = uleb(made_below_cfa);
  // From where on a function has its frame, and which one that is.
  std::string begins = bytes({0x40 | 17});
  std::string frame = bytes({0x0e}) + below;
  if (is_arm64) {
    const unsigned record = python.is_by_fp ? 32 : made_below_cfa;
    begins = bytes({0x40U | (python.is_by_fp ? 16 : 4)});
    if (python.is_by_fp) frame = bytes({0x0c, 29}) + uleb(record);
    frame += bytes({0x80 | 29, record / 8, 0x80 | 30, record / 8 - 1});
  }
  // The moved code has the frame from its first byte on.
  frames.function(common, made_code_address + made_cold_at, made_cold_bytes, frame);
  frames.function(common, made_code_address + made_function_at, made_function_bytes, begins + frame);
  frames.function(common, made_code_address + 0x3000, 0x100, "");
  return frames.content();
}

inline std::string made_python(const MadePython& python) {
  std::string text(0x4000, '\x90');
  std::string function = python.code;
  if (python.has_moved_code) {
    // From behind the beginning.
    function.resize(0x200, '\x90');
    function += made_jump(function, python.machine);
  }
  text.replace(made_function_at, function.size(), function);

  MadeSymbols symbols;
  symbols.add_function("_PyEval_EvalFrameDefault", made_code_address + made_function_at, made_function_bytes);
  symbols.add_data("_PyRuntime", made_data_address, python.runtime.size());
  const std::uint64_t version_at = made_data_address + python.runtime.size();
  if (python.version != 0) symbols.add_data("Py_Version", version_at, 4);
  symbols.add_data("PyCode_Type", version_at + 8, 400);
  for (const std::string& name : python.more_symbols) symbols.add_function(name, made_code_address, 16);
  const std::string data = python.runtime + bytes_of(std::uint64_t{python.version}) + std::string(400, '\0');
  return made_file({.text = text,
                    .frames = made_frames_of(python),
                    .data = data,
                    .data_address = made_data_address,
                    .symbols = symbols,
                    .machine = python.machine,
                    .symbol_table = python.is_in_symtab ? std::uint32_t{SHT_SYMTAB} : std::uint32_t{SHT_DYNSYM}});
}

}  // namespace profile::test
