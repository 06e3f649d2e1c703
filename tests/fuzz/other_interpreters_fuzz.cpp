// The code, the data and the symbols of an interpreter other than Python, as a hostile file has them. A layout is
// always sound and paid for.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>

#include "../made_interpreter.h"
#include "interpret/interpreter.h"
#include "unwind/build.h"

namespace {

using profile::test::made_code_address;

constexpr std::uint64_t data_address = 0x600000;
constexpr std::size_t data_bytes = 2048;

struct Known {
  const char* path;
  const char* function;  // of this many bytes
  std::size_t bytes;
  std::initializer_list<const char*> data;  // symbols
};
const Known known[] = {
    {"/usr/bin/php8.2", "execute_ex", 0x1800, {"executor_globals"}},
    {"/usr/lib/libruby.so.3.1", "rb_vm_exec", 0x800, {"ruby_version", "ruby_current_ec"}},
    {"/usr/bin/perl",
     "Perl_runops_standard",
     0x40,
     {"PL_revision", "PL_version", "PL_subversion", "PL_thr_key", "PL_ppaddr"}},
    {"/usr/bin/node",
     "_ZN2v88internal7Version9GetStringENS_4base6VectorIcEE",
     0x40,
     {"v8dbg_type_JSFunction__", "v8dbg_class_JSFunction__shared__", "v8dbg_off_fp_function",
      "_ZN2v88internal7Version6major_E", "_ZN2v88internal7Version6minor_E"}},
    {"/usr/lib/libjvm.so", "JNI_CreateJavaVM", 0x40, {"gHotSpotVMStructs", "gHotSpotVMTypes"}},
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  if (size < 8) return 0;
  const std::string given(reinterpret_cast<const char*>(data) + 8, size - 8);
  const Known& interpreter = known[data[0] % std::size(known)];
  constexpr std::uint64_t function_at = 0x400;  // in the code
  std::string code(0x3000, '\x90');
  const std::size_t code_bytes = std::min(given.size() / 2, interpreter.bytes);
  code.replace(function_at, code_bytes, given, 0, code_bytes);
  std::string content = given.substr(code_bytes).substr(0, data_bytes);
  content.resize(data_bytes);
  test::MadeFrames frames;
  frames.function(frames.common(), made_code_address + function_at, interpreter.bytes, "");
  test::MadeSymbols symbols;
  symbols.add_function(interpreter.function, made_code_address + function_at, interpreter.bytes);
  std::size_t number = 1;
  for (const char* const name : interpreter.data) {
    symbols.add_data(name, data_address + data[number++ % 8] * 8U, 64, data[7] % 2 == 0 ? STT_OBJECT : STT_TLS);
  }
  const std::string file =
      test::made_file({.text = code,
                       .frames = frames.content(),
                       .data = content,
                       .data_address = data_address,
                       .symbols = symbols,
                       .more = {{.name = ".rodata", .content = given, .flags = SHF_ALLOC, .address = 0x900000}}});
  WorkBudget budget(100'000'000);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why, &budget);
  if (!elf) return 0;
  UnwindAnswer answer = unwind_table_of(*elf);
  if (answer.fault != UnwindFault::none) return 0;
  const Interpreter found = find_interpreter(*elf, interpreter.path, answer.table);
  if (!is_sound(answer.table)) std::abort();
  if (found.has_layout() && (!is_sound(found.layout) || found.version.empty())) std::abort();
  if (!found.has_layout() && found.layout.language != SCRIPT_NONE) std::abort();
  return 0;
}
