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

inline std::string made_python(const MadePython& python) {
  std::string text(0x4000, '\x90');
  std::string function = python.code;
  if (python.has_moved_code) {
    // jne to the moved code, from behind the beginning
    function.resize(0x200, '\x90');
    const auto from = static_cast<std::int32_t>(made_function_at + function.size() + 6);
    function += bytes({0x0f, 0x85}) + bytes_of(static_cast<std::int32_t>(made_cold_at + 8) - from);
  }
  text.replace(made_function_at, function.size(), function);

  MadeFrames frames;
  const std::size_t common = frames.common();
  const auto below = uleb(made_below_cfa);
  // The moved code has the frame from its first byte on.
  frames.function(common, made_code_address + made_cold_at, made_cold_bytes, bytes({0x0e}) + below);
  frames.function(common, made_code_address + made_function_at, made_function_bytes, bytes({0x40 | 17, 0x0e}) + below);
  frames.function(common, made_code_address + 0x3000, 0x100, "");

  MadeSymbols symbols;
  symbols.add_function("_PyEval_EvalFrameDefault", made_code_address + made_function_at, made_function_bytes);
  symbols.add_data("_PyRuntime", made_data_address, python.runtime.size());
  const std::uint64_t version_at = made_data_address + python.runtime.size();
  if (python.version != 0) symbols.add_data("Py_Version", version_at, 4);
  symbols.add_data("PyCode_Type", version_at + 8, 400);
  for (const std::string& name : python.more_symbols) symbols.add_function(name, made_code_address, 16);
  const std::string data = python.runtime + bytes_of(std::uint64_t{python.version}) + std::string(400, '\0');
  return made_file({.text = text,
                    .frames = frames.content(),
                    .data = data,
                    .data_address = made_data_address,
                    .symbols = symbols,
                    .machine = python.machine,
                    .symbol_table = python.is_in_symtab ? std::uint32_t{SHT_SYMTAB} : std::uint32_t{SHT_DYNSYM}});
}

}  // namespace profile::test
