// The beginning of an interpreter's function, and the file around it. A layout is always sound and paid for, and a
// table stays sound when it is marked.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "../made_python.h"
#include "interpret/interpreter.h"
#include "unwind/build.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  if (size < 2) return 0;
  const std::string code(reinterpret_cast<const char*>(data) + 2, size - 2);
  test::MadePython made{.code = code.substr(0, test::made_function_bytes)};
  const unsigned minor = 9 + data[0] % 6;
  if (minor > 10) made.version = 3U << 24 | minor << 16;
  if (minor == 13) made.runtime = test::made_offsets_313();
  if ((data[0] & 0x80) != 0) made.machine = EM_AARCH64;
  made.has_moved_code = (data[1] & 1) != 0 && made.code.size() < 0x200;
  std::string file = test::made_python(made);
  // One byte of the headers and tables is another.
  if ((data[1] & 2) != 0)
    file[file.size() - 1 - (data[1] >> 2) * 29U % (file.size() / 2)] ^= static_cast<char>(data[0]);

  WorkBudget budget(100'000'000);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why, &budget);
  if (!elf) return 0;
  UnwindAnswer answer = unwind_table_of(*elf);
  if (answer.fault != UnwindFault::none) return 0;
  const std::string path = "/usr/bin/python3." + std::to_string(minor);
  const Interpreter interpreter = find_interpreter(*elf, path, answer.table);
  if (!is_sound(answer.table)) std::abort();
  if (interpreter.has_layout() && (!is_sound(interpreter.layout) || interpreter.version.empty())) std::abort();
  if (!interpreter.has_layout() && interpreter.layout.language != SCRIPT_NONE) std::abort();
  return 0;
}
