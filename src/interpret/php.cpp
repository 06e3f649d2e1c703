// Finds the interpreter of PHP, built without threads. The version and the kind of build are a text in the
// file, with which PHP refuses modules of other builds. The places in its structures are those of its own headers
// (Zend/zend_compile.h, zend_globals.h).
#include <elf.h>

#include <algorithm>
#include <array>
#include <string>

#include "elf/symbol_table.h"
#include "interpret/languages.h"

namespace profile {
namespace {

struct PhpVersion {
  std::string_view interface;  // ZEND_MODULE_API_NO
  std::string_view name;
  std::uint32_t current_in_globals;  // struct _zend_executor_globals: current_execute_data
  std::uint32_t file_in_function;    // as PHP_FUNCTION_FILE
  std::uint32_t frame_of_generator;  // as PHP_GENERATOR_FRAME
  std::uint32_t code_in_function;    // as PHP_FUNCTION_CODE
  std::uint32_t length_in_function;  // as PHP_FUNCTION_LENGTH
};

// Those that were seen to be right: tests/workloads/scripts/mix.php.
constexpr std::array php_versions{
    PhpVersion{"20190902", "7.4", 488, 136, 64, 64, 60},
    PhpVersion{"20220829", "8.2", 488, 152, 56, 88, 80},
    PhpVersion{"20240924", "8.4", 488, 168, 56, 104, 96},
};

// What stands behind the marks "API" and "," in ZEND_MODULE_BUILD_ID: "API20220829,NTS" or "API20220829,TS,debug".
struct PhpBuild {
  std::string interface;
  std::string kind;
};

std::optional<PhpBuild> build_in(std::string_view bytes) {
  constexpr std::string_view mark = "API20";
  constexpr std::size_t digits = 8;
  for (std::size_t at = bytes.find(mark); at != bytes.npos; at = bytes.find(mark, at + 1)) {
    const std::string_view number = bytes.substr(at + 3).substr(0, digits);
    const std::string_view rest = bytes.substr(std::min(bytes.size(), at + 3 + digits));
    const bool is_number =
        number.size() == digits && std::ranges::all_of(number, [](char digit) { return digit >= '0' && digit <= '9'; });
    const std::size_t end = rest.find('\0');
    if (!is_number || !rest.starts_with(',') || end == rest.npos) continue;
    return PhpBuild{.interface = std::string(number), .kind = std::string(rest.substr(1, end - 1))};
  }
  return std::nullopt;
}

// Searches the file's constants, a piece at a time.
std::optional<PhpBuild> build_of(const ElfFile& file) {
  constexpr std::uint64_t most_bytes = 64U << 20;
  constexpr std::size_t piece_bytes = 1U << 16;
  constexpr std::size_t longest = 64;  // of the text, which may lie across the end of a piece
  const ElfSection* const constants = file.section(".rodata");
  if (constants == nullptr || constants->type == SHT_NOBITS) return std::nullopt;
  const std::uint64_t end = constants->offset + std::min(constants->size, most_bytes);
  std::string piece;
  for (std::uint64_t at = constants->offset; at < end; at += piece_bytes) {
    piece.resize(std::min<std::uint64_t>(piece_bytes + longest, end - at));
    if (!file.read_at(at, std::as_writable_bytes(std::span(piece)))) return std::nullopt;
    if (auto build = build_in(piece)) return build;
  }
  return std::nullopt;
}

std::uint64_t address_of_globals(const ElfFile& file) {
  std::uint64_t address = 0;
  for (const std::uint32_t type : {SHT_DYNSYM, SHT_SYMTAB}) {
    visit_names(
        file, type, [](const ElfTableSymbol& symbol) { return symbol.type == STT_OBJECT; },
        [&](std::string_view name, const ElfTableSymbol& symbol) {
          if (name == "executor_globals") address = symbol.start;
        });
    if (address != 0) break;
  }
  return address;
}

}  // namespace

bool is_sound_php(const script_layout& layout) {
  constexpr std::uint32_t most = 4096;
  return layout.head == SCRIPT_HEAD_GLOBAL && layout.at[PHP_FUNCTION_FILE] % 8 == 0 &&
         layout.at[PHP_FUNCTION_FILE] < most && layout.at[PHP_GENERATOR_FRAME] < most &&
         layout.at[PHP_FUNCTION_CODE] % 8 == 0 && layout.at[PHP_FUNCTION_CODE] >= 8 &&
         layout.at[PHP_FUNCTION_CODE] < most;
}

FoundInterpreter find_php(const ElfFile& file, std::string_view /*path*/, const UnwindTable& table,
                          const FoundCode& function) {
  FoundInterpreter found;
  Interpreter& interpreter = found.interpreter;
  const auto without = [&](InterpreterFault fault) {
    interpreter.fault = fault;
    return found;
  };
  const auto build = build_of(file);
  if (!build) return without(InterpreterFault::unknown_version);
  const auto known = std::ranges::find(php_versions, build->interface, &PhpVersion::interface);
  if (known == php_versions.end()) return without(InterpreterFault::unknown_version);
  interpreter.version = known->name;
  // A build with threads has its globals elsewhere for each thread, and one for debugging has other structures.
  const std::uint64_t globals = address_of_globals(file);
  if (build->kind != "NTS" || globals == 0) return without(InterpreterFault::unknown_build);
  if (table.elf_machine != EM_X86_64) return without(InterpreterFault::other_machine);

  const auto code = code_of(file, function);
  if (!code) return without(InterpreterFault::unknown_code);
  script_layout& layout = interpreter.layout;
  layout.head = SCRIPT_HEAD_GLOBAL;
  layout.start = static_cast<std::uint32_t>(code->own.start);
  // The caller has put the frame in its place already.
  layout.valid_from = 0;
  layout.head_at = static_cast<std::int64_t>(globals + known->current_in_globals - code->bias);
  layout.at[PHP_FUNCTION_FILE] = known->file_in_function;
  layout.at[PHP_GENERATOR_FRAME] = known->frame_of_generator;
  layout.at[PHP_FUNCTION_CODE] = known->code_in_function;
  layout.at[PHP_FUNCTION_LENGTH] = known->length_in_function;
  layout.lines = SCRIPT_LINES_DIRECT;
  found.code.push_back(code->own);
  const unwind_rule body = rule_at(table, {code->own.start + code->own.bytes / 2});
  if (const auto moved = moved_code(file, code->own, table, body, code->code)) found.code.push_back(*moved);
  std::ranges::sort(found.code, {}, &CodeRange::start);
  return found;
}

}  // namespace profile
