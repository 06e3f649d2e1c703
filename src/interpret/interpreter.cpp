#include "interpret/interpreter.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "elf/symbol_table.h"
#include "interpret/languages.h"

namespace profile {
namespace {

constexpr std::array<std::string_view, 2> python_files{"python", "libpython"};
constexpr std::array<std::string_view, 2> php_files{"php", "libphp"};
constexpr std::array<std::string_view, 2> ruby_files{"ruby", "libruby"};
constexpr std::array<std::string_view, 2> perl_files{"perl", "libperl"};
constexpr std::array<std::string_view, 2> node_files{"node", "libnode"};
constexpr std::array<std::string_view, 1> java_files{"libjvm"};
constexpr std::uint64_t any_bytes = UINT64_MAX;

constexpr std::array languages{
    Language{.number = SCRIPT_PYTHON,
             .name = "python",
             .files = python_files,
             .function = "_PyEval_EvalFrameDefault",
             .sign = {},
             .least_bytes = 4096,
             .most_bytes = any_bytes,
             .hidden_memory = "small objects of Python lie in arenas of its own, which are not counted: "
                              "PYTHONMALLOC=malloc makes it use malloc",
             .is_sound = is_sound_python,
             .find = find_python},
    Language{.number = SCRIPT_PHP,
             .name = "php",
             .files = php_files,
             .function = "execute_ex",
             .sign = {},
             .least_bytes = 4096,
             .most_bytes = any_bytes,
             .hidden_memory =
                 "objects of PHP lie in memory of its own, which is not counted: USE_ZEND_ALLOC=0 makes it use malloc",
             .is_sound = is_sound_php,
             .find = find_php},
    Language{
        .number = SCRIPT_RUBY,
        .name = "ruby",
        .files = ruby_files,
        .function = "rb_vm_exec",
        .sign = "ruby_exec_node",
        .least_bytes = 1024,
        .most_bytes = any_bytes,
        .hidden_memory =
            "objects of Ruby lie in pages of its own, which are not counted: what is seen here is what they point to",
        .is_sound = is_sound_ruby,
        .find = find_ruby},
    // A loop that calls each operation.
    Language{.number = SCRIPT_PERL,
             .name = "perl",
             .files = perl_files,
             .function = "Perl_runops_standard",
             .sign = {},
             .least_bytes = 32,
             .most_bytes = 256,
             .hidden_memory = {},
             .is_sound = is_sound_perl,
             .find = find_perl},
    // It has no such function. This one tells its version.
    Language{
        .number = SCRIPT_NODE,
        .name = "node",
        .files = node_files,
        .function = "_ZN2v88internal7Version9GetStringENS_4base6VectorIcEE",
        .sign = {},
        .least_bytes = 32,
        .most_bytes = 256,
        .hidden_memory = "objects of JavaScript lie in the heap of V8, which is not counted: node --heap-prof shows it",
        .is_sound = is_sound_node,
        .find = find_node},
    // It has none either. This one makes the engine.
    Language{.number = SCRIPT_JAVA,
             .name = "java",
             .files = java_files,
             .function = "JNI_CreateJavaVM",
             .sign = {},
             .least_bytes = 16,
             .most_bytes = 4096,
             .hidden_memory =
                 "objects of Java lie in the heap of its engine, which is not counted: jcmd PID GC.class_histogram "
                 "shows it",
             .is_sound = is_sound_java,
             .find = find_java},
};
static_assert(languages.size() == SCRIPT_LANGUAGES - 1);

const Language* row_of(script_language number) {
  const auto row = std::ranges::find(languages, number, &Language::number);
  return row == languages.end() ? nullptr : &*row;
}

bool is_named_after(std::string_view path, const Language& language) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(language.files, [name](std::string_view begin) { return name.starts_with(begin); });
}

struct Match {
  const Language* language = nullptr;
  FoundCode function;
};

// The interpreter whose function is in one of the file's tables of symbols.
Match match_in(const ElfFile& file) {
  Match match;
  const auto fits = [](const Language& language, const ElfTableSymbol& symbol) {
    return symbol.size >= language.least_bytes && symbol.size <= language.most_bytes;
  };
  const auto is_wanted = [&fits](const ElfTableSymbol& symbol) {
    return symbol.type == STT_FUNC && symbol.binding != STB_LOCAL &&
           std::ranges::any_of(languages, [&](const Language& language) { return fits(language, symbol); });
  };
  for (const std::uint32_t type : {SHT_DYNSYM, SHT_SYMTAB}) {
    visit_names(file, type, is_wanted, [&](std::string_view name, const ElfTableSymbol& symbol) {
      for (const Language& language : languages) {
        if (name != language.function || !fits(language, symbol)) continue;
        match = {.language = &language, .function = {.address = symbol.start, .bytes = symbol.size}};
      }
    });
    if (match.language != nullptr) break;
  }
  return match;
}

// The language of a file that is named as its interpreter, and hides the function that runs its code.
const Language* hidden_in(const ElfFile& file, std::string_view path) {
  for (const Language& language : languages) {
    if (language.sign.empty() || !is_named_after(path, language)) continue;
    bool has_sign = false;
    visit_names(
        file, SHT_DYNSYM, [](const ElfTableSymbol& symbol) { return symbol.type == STT_FUNC; },
        [&](std::string_view name, const ElfTableSymbol& /*symbol*/) { has_sign |= name == language.sign; });
    if (has_sign) return &language;
  }
  return nullptr;
}

}  // namespace

std::string_view text_of(InterpreterFault fault) {
  constexpr std::string_view texts[] = {"has a layout",
                                        "no layout is known for this version",
                                        "no layout is known for a build for debugging or with free threads",
                                        "its code does not say where the script's frames are",
                                        "its file hides the function that runs them",
                                        "no layout is known for this machine"};
  static_assert(std::size(texts) == static_cast<std::size_t>(InterpreterFault::count));
  return texts[static_cast<std::size_t>(fault)];
}

std::string_view name_of(script_language language) {
  const Language* const row = row_of(language);
  return row == nullptr ? std::string_view() : row->name;
}

std::string_view hidden_memory(script_language language) {
  const Language* const row = row_of(language);
  return row == nullptr ? std::string_view() : row->hidden_memory;
}

std::vector<std::string_view> language_names() {
  std::vector<std::string_view> names;
  names.reserve(languages.size());
  for (const Language& language : languages) names.push_back(language.name);
  return names;
}

bool is_sound(const script_layout& layout) {
  const Language* const row = row_of(static_cast<script_language>(layout.language));
  return row != nullptr && layout.head < SCRIPT_HEADS && layout.lines < SCRIPT_LINES_FORMS &&
         layout.valid_from <= UINT32_MAX - layout.start && row->is_sound(layout);
}

bool is_named_as_interpreter(std::string_view path) {
  return std::ranges::any_of(languages, [path](const Language& language) { return is_named_after(path, language); });
}

Interpreter find_interpreter(const ElfFile& file, std::string_view path, UnwindTable& table) {
  if (!file.is_64bit() || table.pages.empty()) return {};
  const Match match = match_in(file);
  if (match.language == nullptr) {
    const Language* const hidden = hidden_in(file, path);
    if (hidden == nullptr) return {};
    Interpreter interpreter;
    interpreter.language = hidden->number;
    interpreter.fault = InterpreterFault::hidden_code;
    return interpreter;
  }
  FoundInterpreter found = match.language->find(file, path, table, match.function);
  Interpreter& interpreter = found.interpreter;
  interpreter.language = match.language->number;
  interpreter.layout.language = interpreter.language;
  const bool has_layout =
      interpreter.fault == InterpreterFault::none && is_sound(interpreter.layout) && file.spend(table.size_bytes());
  if (has_layout) {
    mark_interpreter(table, found.code);
  } else {
    interpreter.layout = {};
    if (interpreter.fault == InterpreterFault::none) interpreter.fault = InterpreterFault::unknown_code;
  }
  return interpreter;
}

}  // namespace profile
