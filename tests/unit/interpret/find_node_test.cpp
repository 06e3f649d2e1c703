// The layout of V8 is found in files that are built byte by byte.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "../made_interpreter.h"
#include "interpret/interpreter.h"
#include "unwind/build.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t function_at = 0x400;  // in the code
constexpr std::uint64_t function_bytes = 115;
constexpr std::uint64_t data_address = 0x600000;

using Numbers = std::map<std::string, std::int32_t>;

// As in V8 11.3.
Numbers numbers_of_20() {
  return {{"_ZN2v88internal7Version6major_E", 11},
          {"_ZN2v88internal7Version6minor_E", 3},
          {"v8dbg_type_JSFunction__JS_FUNCTION_TYPE", 2066},
          {"v8dbg_class_JSFunction__shared__SharedFunctionInfo", 24},
          {"v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", 262},
          {"v8dbg_class_SharedFunctionInfo__name_or_scope_info__Object", 16},
          {"v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject", 32},
          {"v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE", 261},
          {"v8dbg_type_Script__SCRIPT_TYPE", 167},
          {"v8dbg_frametype_IrregexpFrame", 27},
          {"v8dbg_off_fp_function", -16},
          {"v8dbg_off_fp_context", -8},
          {"v8dbg_class_Map__instance_type__uint16_t", 12},
          {"v8dbg_class_Script__name__Object", 16},
          {"v8dbg_class_String__length__int32_t", 12},
          {"v8dbg_class_ThinString__actual__String", 16},
          {"v8dbg_class_ConsString__first__String", 16},
          {"v8dbg_class_SeqOneByteString__chars__char", 16},
          {"v8dbg_FirstNonstringType", 128},
          {"v8dbg_StringRepresentationMask", 7},
          {"v8dbg_ThinStringTag", 5},
          {"v8dbg_ConsStringTag", 1},
          {"v8dbg_OneByteStringTag", 8},
          {"v8dbg_scopeinfo_idx_ncontextlocals", 2},
          {"v8dbg_scopeinfo_idx_first_vars", 3}};
}

std::string made_node(const Numbers& numbers, std::uint16_t machine) {
  const std::string text(0x1000, '\x90');
  MadeFrames frames;
  const std::size_t common = frames.common();
  frames.function(common, made_code_address + function_at, function_bytes, "");
  MadeSymbols symbols;
  symbols.add_function("_ZN2v88internal7Version9GetStringENS_4base6VectorIcEE", made_code_address + function_at,
                       function_bytes);
  std::string data;
  for (const auto& [name, number] : numbers) {
    symbols.add_data(name, data_address + data.size(), sizeof number);
    data += bytes_of(number);
  }
  return made_file({.text = text,
                    .frames = frames.content(),
                    .data = data,
                    .data_address = data_address,
                    .symbols = symbols,
                    .machine = machine});
}

Interpreter found_in(const Numbers& numbers, std::uint16_t machine = EM_X86_64) {
  const std::string file = made_node(numbers, machine);
  WorkBudget budget(UINT64_MAX);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why, &budget);
  REQUIRE_MESSAGE(elf, why);
  UnwindAnswer answer = unwind_table_of(*elf);
  return find_interpreter(*elf, "/usr/bin/node", answer.table);
}

}  // namespace

TEST_CASE("V8 says where the members of its objects are") {
  const Interpreter node = found_in(numbers_of_20());
  CHECK(node.language == SCRIPT_NODE);
  CHECK(text_of(node.fault) == text_of(InterpreterFault::none));
  CHECK(node.version == "20");
  CHECK(is_sound(node.layout));
  CHECK(node.layout.head == SCRIPT_HEAD_BESIDE_FP);
  CHECK(node.layout.at[NODE_FUNCTION_TYPE] == 2066);
  CHECK(node.layout.at[NODE_FUNCTION_TYPES] == 16);
  CHECK(node.layout.at[NODE_FUNCTION_SHARED] == 24);
  CHECK(node.layout.at[NODE_SHARED_TYPE] == 262);
  CHECK(node.layout.at[NODE_SHARED_SCRIPT] == 32);
  CHECK(node.layout.at[NODE_SCRIPT_TYPE] == 167);
  CHECK(node.layout.at[NODE_PATTERN_MARK] == 54);
  // The type of a member is a part of the name.
  Numbers newer = numbers_of_20();
  newer["_ZN2v88internal7Version6major_E"] = 12;
  newer["_ZN2v88internal7Version6minor_E"] = 4;
  newer.erase("v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject");
  newer["v8dbg_class_SharedFunctionInfo__script__Tagged_HeapObject_"] = 40;
  const Interpreter other = found_in(newer);
  CHECK(other.version == "22");
  CHECK(other.layout.at[NODE_SHARED_SCRIPT] == 40);
  CHECK(other.layout.at[NODE_FUNCTION_TYPES] == 17);
}

TEST_CASE("a V8 of another version or build has no layout") {
  const auto fault_with = [](const std::string& name, std::int32_t number) {
    Numbers numbers = numbers_of_20();
    numbers[name] = number;
    return text_of(found_in(numbers).fault);
  };
  CHECK(fault_with("_ZN2v88internal7Version6major_E", 13) == text_of(InterpreterFault::unknown_version));
  CHECK(fault_with("_ZN2v88internal7Version6minor_E", 4) == text_of(InterpreterFault::unknown_version));
  CHECK(fault_with("v8dbg_off_fp_function", -24) == text_of(InterpreterFault::unknown_build));
  CHECK(fault_with("v8dbg_class_Map__instance_type__uint16_t", 8) == text_of(InterpreterFault::unknown_build));
  CHECK(fault_with("v8dbg_class_JSFunction__shared__SharedFunctionInfo", 44) ==
        text_of(InterpreterFault::unknown_code));
  CHECK(fault_with("v8dbg_class_JSFunction__shared__SharedFunctionInfo", -8) ==
        text_of(InterpreterFault::unknown_code));
  CHECK(text_of(found_in(numbers_of_20(), EM_AARCH64).fault) == text_of(InterpreterFault::other_machine));
  for (const auto& [name, number] : numbers_of_20()) {
    CAPTURE(name);
    Numbers numbers = numbers_of_20();
    numbers.erase(name);
    const Interpreter found = found_in(numbers);
    CHECK((found.fault == InterpreterFault::none) == (name == "v8dbg_frametype_IrregexpFrame"));
    CHECK(found.layout.at[NODE_PATTERN_MARK] == 0);
  }
}
