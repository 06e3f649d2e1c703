// The layout of CPython is found in files that are built byte by byte, one for each version and for each way in which a
// file may be another than it seems. The rows of the interpreter's function are marked, and no others.
#include <doctest/doctest.h>

#include "../made_python.h"
#include "interpret/interpreter.h"
#include "unwind_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

struct FoundInFile {
  Interpreter interpreter;
  UnwindTable table;
};

FoundInFile found_in_bytes(const std::string& file, std::string_view path = "/usr/bin/python3",
                           std::uint64_t steps = UINT64_MAX) {
  WorkBudget budget(steps);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why, &budget);
  REQUIRE_MESSAGE(elf, why);
  UnwindAnswer answer = unwind_table_of(*elf);
  FoundInFile found;
  found.interpreter = find_interpreter(*elf, path, answer.table);
  found.table = std::move(answer.table);
  if (answer.fault == UnwindFault::none) CHECK(is_sound(found.table));
  if (found.interpreter.has_layout()) CHECK(is_sound(found.interpreter.layout));
  return found;
}

FoundInFile found_in(const MadePython& made, std::string_view path = "/usr/bin/python3") {
  return found_in_bytes(made_python(made), path);
}

std::string_view fault_of(const FoundInFile& found) { return text_of(found.interpreter.fault); }

bool is_marked(const FoundInFile& found, std::uint64_t distance) {
  const std::uint64_t offset = made_code_offset + distance;
  if (found.table.elf_machine != EM_X86_64) return (rule_at(found.table, {offset}).flags & UNWIND_INTERPRETER) != 0;
  const std::uint32_t page = static_cast<std::uint32_t>(offset >> 10) - found.table.first_page;
  std::uint32_t code = found.table.pages[page].rows_and_code & UNWIND_CODE_MASK;
  for (std::uint32_t i = 0; i < found.table.pages[page].rows_and_code >> UNWIND_CODE_BITS; ++i) {
    const std::uint32_t row = found.table.rows[found.table.pages[page].first_row + i];
    if (row >> UNWIND_CODE_BITS <= (offset & 1023)) code = row & UNWIND_CODE_MASK;
  }
  return (code & UNWIND_SHORT) != 0 && (code & UNWIND_X86_64_INTERPRETER) != 0;
}

constexpr std::uint32_t version_of(unsigned minor, unsigned micro) {
  return 3U << 24 | minor << 16 | micro << 8 | 0xf0;
}

}  // namespace

TEST_CASE("the frame of Python 3.11 is found in a variable of its function") {
  const auto found = found_in({.code = made_code_311(), .version = version_of(11, 2)});
  CHECK(found.interpreter.language == SCRIPT_PYTHON);
  CHECK(fault_of(found) == text_of(InterpreterFault::none));
  CHECK(found.interpreter.version == "3.11.2");
  const script_layout& layout = found.interpreter.layout;
  CHECK(layout.head == SCRIPT_HEAD_IN_FRAME);
  CHECK(layout.head_at == 0xb0 + 8 - static_cast<int>(made_below_cfa));
  CHECK(layout.start == made_code_offset + made_function_at);
  CHECK(layout.valid_from == made_code_311().size() - 2);
  CHECK(layout.at[PYTHON_FRAME_ENTRY] == 68);
  // address - bias of the code's mapping
  CHECK(layout.type_at == made_data_address + 1024 + 8 - (made_code_address - made_code_offset));

  CHECK(!is_marked(found, made_function_at - 1));
  CHECK(is_marked(found, made_function_at));
  CHECK(is_marked(found, made_function_at + 17));
  CHECK(is_marked(found, made_function_at + made_function_bytes - 1));
  CHECK(!is_marked(found, made_function_at + made_function_bytes));
  CHECK(!is_marked(found, made_cold_at));
  CHECK(!is_marked(found, 0x3000));
  CHECK(at(found.table, made_function_at + 17) == "r7+352 ra=c-8");
}

TEST_CASE("the frames of the other versions are found where each has them") {
  const auto py312 = found_in({.code = made_code_312(), .version = version_of(12, 1)});
  CHECK(py312.interpreter.layout.head == SCRIPT_HEAD_IN_FRAME);
  CHECK(py312.interpreter.layout.head_at == 0x80 - static_cast<int>(made_below_cfa));
  CHECK(py312.interpreter.layout.at[PYTHON_ENTRY_IS_SHOWN] == 0);

  const auto py313 = found_in({.code = made_code_313(), .version = version_of(13, 0), .runtime = made_offsets_313()});
  CHECK(fault_of(py313) == text_of(InterpreterFault::none));
  CHECK(py313.interpreter.layout.head == SCRIPT_HEAD_OF_THREAD);
  CHECK(py313.interpreter.layout.head_at == -static_cast<int>(made_below_cfa));

  for (const char* path : {"/usr/bin/python3.9", "/usr/lib/libpython3.9.so.1.0", "/opt/python3.10 (deleted)"}) {
    const auto old = found_in({.code = made_code_39()}, path);
    CHECK(fault_of(old) == text_of(InterpreterFault::none));
    CHECK(old.interpreter.layout.head == SCRIPT_HEAD_BY_KEY);
    CHECK(old.interpreter.layout.head_at == made_data_address + 588 - (made_code_address - made_code_offset));
  }
}

TEST_CASE("the frame of Python 3.11 and 3.12 is found in code of arm64") {
  const MadePython py311{.code = made_code_311_arm64(), .version = version_of(11, 2), .machine = EM_AARCH64};
  const auto found = found_in(py311);
  CHECK(fault_of(found) == text_of(InterpreterFault::none));
  const script_layout& layout = found.interpreter.layout;
  CHECK(layout.head == SCRIPT_HEAD_IN_FRAME);
  CHECK(layout.head_at == 256 + 8 - static_cast<int>(made_below_cfa));
  CHECK(layout.start == made_code_offset + made_function_at);
  // Behind the store of x25, which is the frame.
  CHECK(layout.valid_from == 22 * 4);
  CHECK(!is_marked(found, made_function_at - 4));
  CHECK(is_marked(found, made_function_at));
  CHECK(is_marked(found, made_function_at + made_function_bytes - 4));
  CHECK(!is_marked(found, made_function_at + made_function_bytes));
  CHECK(at(found.table, made_function_at + 4) == "r31+352 fp=c-352 ra=c-344 interpreter");

  MadePython py312{
      .code = made_code_312_arm64(), .version = version_of(12, 1), .machine = EM_AARCH64, .is_by_fp = true};
  const auto by_fp = found_in(py312);
  CHECK(fault_of(by_fp) == text_of(InterpreterFault::none));
  CHECK(by_fp.interpreter.layout.head_at == -32 - 72);
  CHECK(by_fp.interpreter.layout.valid_from == 13 * 4);
  CHECK(at(by_fp.table, made_function_at + 16) == "r29+32 fp=c-32 ra=c-24 interpreter");
}

TEST_CASE("code that the compiler has moved out of the function belongs to it") {
  const MadePython x86_64{.code = made_code_311(), .version = version_of(11, 2), .has_moved_code = true};
  const MadePython arm64{
      .code = made_code_311_arm64(), .version = version_of(11, 2), .has_moved_code = true, .machine = EM_AARCH64};
  for (const MadePython& made : {x86_64, arm64}) {
    const auto found = found_in(made);
    CHECK(found.interpreter.has_layout());
    CHECK(!is_marked(found, made_cold_at - 1));
    CHECK(is_marked(found, made_cold_at));
    CHECK(is_marked(found, made_cold_at + made_cold_bytes - 1));
    CHECK(!is_marked(found, made_cold_at + made_cold_bytes));
  }
}

TEST_CASE("symbols that are not dynamic count too") {
  CHECK(
      found_in({.code = made_code_311(), .version = version_of(11, 2), .is_in_symtab = true}).interpreter.has_layout());
}

TEST_CASE("what is not known for certain has no layout, and its rows have no mark") {
  const auto fault_with = [](const MadePython& made, std::string_view path = "/usr/bin/python3") {
    const auto found = found_in(made, path);
    CHECK(found.interpreter.language == SCRIPT_PYTHON);
    CHECK(found.interpreter.layout.language == SCRIPT_NONE);
    CHECK(!is_marked(found, made_function_at + 17));
    return found.interpreter.fault;
  };
  using Fault = InterpreterFault;
  CHECK(fault_with({.code = made_code_313(), .version = version_of(14, 0)}) == Fault::unknown_version);
  CHECK(fault_with({.code = made_code_311(), .version = 2U << 24 | 11U << 16}) == Fault::unknown_version);
  CHECK(fault_with({.code = made_code_39()}) == Fault::unknown_version);
  CHECK(fault_with({.code = made_code_39()}, "/usr/bin/python3.9d") == Fault::unknown_version);
  // Since 3.11 there is the symbol; a name alone says nothing.
  CHECK(fault_with({.code = made_code_311()}, "/usr/bin/python3.11") == Fault::unknown_version);
  CHECK(fault_with({.code = made_code_311(), .version = version_of(11, 2), .more_symbols = {"_Py_NegativeRefcount"}}) ==
        Fault::unknown_build);
  MadePython py313{.code = made_code_313(), .version = version_of(13, 0)};
  CHECK(fault_with(py313) == Fault::unknown_build);
  py313.runtime = made_offsets_313(1);
  CHECK(fault_with(py313) == Fault::unknown_build);
  py313.runtime = made_offsets_313(0, 24);
  CHECK(fault_with(py313) == Fault::unknown_build);
  // Elsewhere the thread's own structure is not known.
  CHECK(fault_with({.code = made_code_39(), .machine = EM_AARCH64}, "/usr/bin/python3.9") == Fault::other_machine);
  MadePython arm64_313{
      .code = made_code_313(), .version = version_of(13, 0), .runtime = made_offsets_313(), .machine = EM_AARCH64};
  CHECK(fault_with(arm64_313) == Fault::other_machine);

  const auto fault_of_code = [&](const std::string& code) {
    return fault_with({.code = code, .version = version_of(11, 2)});
  };
  const std::string code = made_code_311();
  CHECK(fault_of_code("") == Fault::unknown_code);
  CHECK(fault_of_code(code.substr(0, code.size() - 10) + bytes({0xff, 0xe0})) == Fault::unknown_code);  // no store
  // A jump before the frame is in place: what comes first is not known.
  CHECK(fault_of_code(made_entry() + bytes({0x75, 0x10}) + code.substr(made_entry().size())) == Fault::unknown_code);
  CHECK(fault_of_code(made_entry() + bytes({0xe8, 0, 0, 0, 0}) + code.substr(made_entry().size())) ==
        Fault::unknown_code);
  // Another register than the thread's.
  std::string other = code;
  other[code.find("\x48\x89\x4f\x38") + 2] = '\x4e';
  CHECK(fault_of_code(other) == Fault::unknown_code);
  // The frame is larger than its description says.
  other = code;
  other[13] = '\x30';
  CHECK(fault_of_code(other) == Fault::unknown_code);
}

TEST_CASE("code of arm64 that does anything else has no layout") {
  const auto fault_without = [](std::size_t number, std::uint32_t word, bool is_by_fp = false) {
    std::string code = is_by_fp ? made_code_312_arm64() : made_code_311_arm64();
    code.replace(number * 4, 4, bytes_of(word));
    const auto found = found_in(
        {.code = code, .version = version_of(is_by_fp ? 12 : 11, 2), .machine = EM_AARCH64, .is_by_fp = is_by_fp});
    CHECK(is_marked(found, made_function_at + 16) == found.interpreter.has_layout());
    return found.interpreter.fault;
  };
  using Fault = InterpreterFault;
  CHECK(fault_without(0, 0xa9aa7bfd) == Fault::none);           // as it is
  CHECK(fault_without(0, 0xa9ab7bfd) == Fault::unknown_code);   // the frame is smaller than its description says
  CHECK(fault_without(7, 0xb50775c0) == Fault::unknown_code);   // cbnz x0
  CHECK(fault_without(7, 0xb40775c1) == Fault::unknown_code);   // cbz x1
  CHECK(fault_without(7, 0x540775c0) == Fault::unknown_code);   // b.eq
  CHECK(fault_without(9, 0x94000010) == Fault::unknown_code);   // bl
  CHECK(fault_without(11, 0xaa0103e0) == Fault::unknown_code);  // mov x0, x1: another register than the thread's
  CHECK(fault_without(14, 0xd10043ff) == Fault::unknown_code);  // sub sp, sp, #16
  CHECK(fault_without(14, 0x910003bf) == Fault::unknown_code);  // mov sp, x29
  CHECK(fault_without(14, 0x4e080c20) == Fault::unknown_code);  // dup v0.2d, x1: not known here
  CHECK(fault_without(17, 0xf9001c01) == Fault::unknown_code);  // str x1, [x0, #56]: not the variable
  CHECK(fault_without(21, 0xa91087ff) == Fault::unknown_code);  // stp xzr, x1, [sp, #264]
  CHECK(fault_without(21, 0xa91107f9) == Fault::unknown_code);  // stp x25, x1, [sp, #272]
  CHECK(fault_without(21, 0xb9010bf9) == Fault::unknown_code);  // str w25, [sp, #264]
  CHECK(fault_without(21, 0xd65f03c0) == Fault::unknown_code);  // ret
  CHECK(fault_without(3, 0x910503fd, true) == Fault::none);
  CHECK(fault_without(3, 0x910603fd, true) == Fault::unknown_code);  // add x29, sp, #384
  CHECK(fault_without(8, 0xf8408d81, true) == Fault::unknown_code);  // ldr x1, [x12, #8]!
  CHECK(fault_without(8, 0xf9400981, true) == Fault::unknown_code);  // ldr x1, [x12, #16]
}

TEST_CASE("a file without the function is no interpreter, and a spent budget is no layout") {
  MadeFrames frames;
  frames.function(frames.common(), made_code_address, 0x100, "");
  CHECK(found_in_bytes(file_with_frames(frames.content())).interpreter.language == SCRIPT_NONE);
  const std::string file = made_python({.code = made_code_311(), .version = version_of(11, 2)});
  for (std::uint64_t steps = 4096; steps < 200'000; steps += 997) found_in_bytes(file, "/usr/bin/python3", steps);
}

TEST_CASE("marks begin and end at their borders, whatever rows the table has there") {
  MadeFrames frames;
  const std::size_t common = frames.common();
  frames.function(common, made_code_address, 0x1000, "");
  // A rule that no short code can express.
  frames.function(common, made_code_address + 0x1000, 0x1000, bytes({0x0c, 10, 0}));
  for (const std::uint16_t machine : {std::uint16_t{EM_X86_64}, std::uint16_t{EM_AARCH64}}) {
    UnwindTable table = table_of(file_with_frames(frames.content(), machine));
    const UnwindTable before = table;
    mark_interpreter(table, {});
    CHECK(table.rows == before.rows);
    CHECK(table.pages.size() == before.pages.size());
    const std::vector<CodeRange> ranges{{.start = made_code_offset + 0x100, .bytes = 0x80},
                                        {.start = made_code_offset + 0xff0, .bytes = 0x100}};
    mark_interpreter(table, ranges);
    CHECK(is_sound(table));
    for (std::uint64_t offset = 0; offset < 0x2000; offset += 4) {
      unwind_rule now = rule_at(table, {made_code_offset + offset});
      now.flags &= static_cast<std::uint8_t>(~UNWIND_INTERPRETER);
      CHECK(in_words(now) == in_words(rule_at(before, {made_code_offset + offset})));
    }
    if (machine == EM_X86_64) continue;
    CHECK(at(table, 0xfc).find("interpreter") == std::string::npos);
    CHECK(at(table, 0x100).find("interpreter") != std::string::npos);
    CHECK(at(table, 0x17c).find("interpreter") != std::string::npos);
    CHECK(at(table, 0x180).find("interpreter") == std::string::npos);
    CHECK(at(table, 0x1000).find("interpreter") != std::string::npos);
  }
}
