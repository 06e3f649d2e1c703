// Finds V8, the engine of Node.js, in its program or library. The engine has variables for debuggers that say where the
// members of its objects are, and what types those have (tools/gen-postmortem-metadata.py).
#include <elf.h>

#include <algorithm>
#include <array>
#include <string>

#include "elf/symbol_table.h"
#include "interpret/languages.h"

namespace profile {
namespace {

struct V8Version {
  std::int32_t major;
  std::int32_t minor;
  std::string_view node;
  std::uint32_t function_types;  // as NODE_FUNCTION_TYPES: not among those variables before 12
  std::uint32_t script_number;   // as NODE_SCRIPT_NUMBER, not among them
  std::uint32_t shared_number;   // as NODE_SHARED_NUMBER, not among them
};

// Those that were seen to be right: tests/workloads/scripts/mix.js.
constexpr std::array v8_versions{
    V8Version{10, 2, "18", 16, 64, 52},
    V8Version{11, 3, "20", 16, 64, 52},
    V8Version{12, 4, "22", 17, 64, 52},
};

// The names of variables end in the type of what they describe, which changes between versions.
struct V8Constant {
  std::string_view name;
  int place;  // in script_layout::at; -1: checked alone
  std::int32_t expected;
  bool is_optional = false;
};
constexpr std::array v8_constants{
    V8Constant{"v8dbg_type_JSFunction__", NODE_FUNCTION_TYPE, 0},
    V8Constant{"v8dbg_class_JSFunction__shared__", NODE_FUNCTION_SHARED, 0},
    V8Constant{"v8dbg_type_SharedFunctionInfo__", NODE_SHARED_TYPE, 0},
    V8Constant{"v8dbg_class_SharedFunctionInfo__name_or_scope_info__", NODE_SHARED_NAME, 0},
    V8Constant{"v8dbg_class_SharedFunctionInfo__script", NODE_SHARED_SCRIPT, 0},
    V8Constant{"v8dbg_type_ScopeInfo__", NODE_SCOPE_TYPE, 0},
    V8Constant{"v8dbg_type_Script__", NODE_SCRIPT_TYPE, 0},
    V8Constant{"v8dbg_frametype_IrregexpFrame", NODE_PATTERN_MARK, 0, true},
    // What bpf/node.bpf.h takes as given.
    V8Constant{"v8dbg_off_fp_function", -1, -16},
    V8Constant{"v8dbg_off_fp_context", -1, -8},
    V8Constant{"v8dbg_class_Map__instance_type__", -1, 12},
    V8Constant{"v8dbg_class_Script__name__", -1, 16},
    V8Constant{"v8dbg_class_String__length__", -1, 12},
    V8Constant{"v8dbg_class_ThinString__actual__", -1, 16},
    V8Constant{"v8dbg_class_ConsString__first__", -1, 16},
    V8Constant{"v8dbg_class_SeqOneByteString__chars__", -1, 16},
    V8Constant{"v8dbg_FirstNonstringType", -1, 128},
    V8Constant{"v8dbg_StringRepresentationMask", -1, 7},
    V8Constant{"v8dbg_ThinStringTag", -1, 5},
    V8Constant{"v8dbg_ConsStringTag", -1, 1},
    V8Constant{"v8dbg_OneByteStringTag", -1, 8},
    V8Constant{"v8dbg_scopeinfo_idx_ncontextlocals", -1, 2},
    V8Constant{"v8dbg_scopeinfo_idx_first_vars", -1, 3},
};

struct V8Symbols {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::array<std::uint64_t, v8_constants.size()> constants{};
};

V8Symbols v8_symbols_of(const ElfFile& file) {
  V8Symbols found;
  visit_names(
      file, SHT_DYNSYM, [](const ElfTableSymbol& symbol) { return symbol.type == STT_OBJECT; },
      [&](std::string_view name, const ElfTableSymbol& symbol) {
        if (name.starts_with("v8dbg_")) {
          for (std::size_t i = 0; i < v8_constants.size(); ++i) {
            if (name.starts_with(v8_constants[i].name)) found.constants[i] = symbol.start;
          }
        } else if (name == "_ZN2v88internal7Version6major_E") {
          found.major = symbol.start;
        } else if (name == "_ZN2v88internal7Version6minor_E") {
          found.minor = symbol.start;
        }
      });
  return found;
}

}  // namespace

bool is_sound_node(const script_layout& layout) {
  constexpr std::uint32_t most = 4096;
  const auto is_word_below = [&](script_node place, std::uint32_t bytes) {
    return layout.at[place] % 8 == 0 && layout.at[place] < bytes;
  };
  return layout.head == SCRIPT_HEAD_BESIDE_FP && is_word_below(NODE_FUNCTION_SHARED, 40) &&
         is_word_below(NODE_SHARED_NAME, 64) && is_word_below(NODE_SHARED_SCRIPT, 64) &&
         layout.at[NODE_SHARED_NUMBER] % 4 == 0 && layout.at[NODE_SHARED_NUMBER] < 64 &&
         layout.at[NODE_SCRIPT_NUMBER] < most;
}

FoundInterpreter find_node(const ElfFile& file, std::string_view /*path*/, const UnwindTable& table,
                           const FoundCode& /*function*/) {
  FoundInterpreter found;
  Interpreter& interpreter = found.interpreter;
  const auto without = [&](InterpreterFault fault) {
    interpreter.fault = fault;
    return found;
  };
  const V8Symbols symbols = v8_symbols_of(file);
  const auto major = number_at<std::int32_t>(file, symbols.major);
  const auto minor = number_at<std::int32_t>(file, symbols.minor);
  if (!major || !minor) return without(InterpreterFault::unknown_version);
  const auto known = std::ranges::find_if(
      v8_versions, [&](const V8Version& version) { return version.major == *major && version.minor == *minor; });
  interpreter.version = "V8 " + std::to_string(*major) + '.' + std::to_string(*minor);
  if (known == v8_versions.end()) return without(InterpreterFault::unknown_version);
  interpreter.version = known->node;
  if (table.elf_machine != EM_X86_64) return without(InterpreterFault::other_machine);

  script_layout& layout = interpreter.layout;
  for (std::size_t i = 0; i < v8_constants.size(); ++i) {
    const auto number = number_at<std::int32_t>(file, symbols.constants[i]);
    const V8Constant& constant = v8_constants[i];
    if (!number && constant.is_optional) continue;
    if (!number || (constant.place < 0 && *number != constant.expected)) {
      return without(InterpreterFault::unknown_build);
    }
    if (constant.place >= 0) layout.at[constant.place] = static_cast<std::uint32_t>(*number);
  }
  layout.at[NODE_PATTERN_MARK] *= 2;  // it is a number of V8 in a frame
  layout.head = SCRIPT_HEAD_BESIDE_FP;
  layout.at[NODE_FUNCTION_TYPES] = known->function_types;
  layout.at[NODE_SCRIPT_NUMBER] = known->script_number;
  layout.at[NODE_SHARED_NUMBER] = known->shared_number;
  return found;
}

}  // namespace profile
