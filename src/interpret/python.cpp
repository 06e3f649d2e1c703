// Finds the interpreter of CPython 3.9 to 3.13. The version is a symbol since 3.11, and before that a part of the
// file's name. The places in its structures are those of its own headers (Include/internal/pycore_frame.h, pystate.h,
// code.h, unicodeobject.h), compared with living programs.
#include <elf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "elf/symbol_table.h"
#include "interpret/arm64_code.h"
#include "interpret/languages.h"
#include "interpret/x86_64_code.h"

namespace profile {
namespace {

using Kind = MachineInstruction::Kind;

// What a beginning depends on besides its instructions.
struct Machine {
  std::uint16_t elf_machine;
  std::optional<MachineInstruction> (*instruction)(std::span<const std::byte> code);
  // Registers by their numbers in machine code.
  std::uint8_t sp;
  std::uint8_t fp;
  std::uint8_t first_argument;
  std::int64_t below_cfa;  // of the stack pointer when a function begins
  // By those of DWARF.
  std::uint8_t rule_sp;
  std::uint8_t rule_fp;
};

constexpr std::array machines{Machine{.elf_machine = EM_X86_64,
                                      .instruction = x86_instruction,
                                      .sp = x86_rsp,
                                      .fp = x86_rbp,
                                      .first_argument = x86_rdi,
                                      .below_cfa = 8,
                                      .rule_sp = 7,
                                      .rule_fp = 6},
                              Machine{.elf_machine = EM_AARCH64,
                                      .instruction = arm64_instruction,
                                      .sp = arm64_sp,
                                      .fp = arm64_fp,
                                      .first_argument = arm64_x0,
                                      .below_cfa = 0,
                                      .rule_sp = arm64_sp,
                                      .rule_fp = arm64_fp}};

struct Version {
  unsigned minor;
  script_head head;
  // Where in PyThreadState the function puts, when it begins, the address of a variable that will hold its frame
  // (_PyCFrame), and where in that variable the frame will be. 0: it puts the frame itself at PYTHON_THREAD_FRAME.
  std::uint32_t variable_at;
  std::uint32_t frame_in_variable;
  std::uint32_t key_in_runtime;  // of the thread's key, in _PyRuntime
  std::array<std::uint32_t, PYTHON_PLACES> at;
  script_lines lines;
};

constexpr std::array versions{
    Version{9,
            SCRIPT_HEAD_BY_KEY,
            0,
            0,
            588,
            {24, 176, 32, 24, 0, 0, 1, 40, 104, 112, 48, 72, 104, 1, 120, 0},
            SCRIPT_LINES_OF_BYTES},
    Version{10,
            SCRIPT_HEAD_BY_KEY,
            0,
            0,
            588,
            {24, 176, 32, 24, 0, 0, 1, 40, 104, 112, 48, 72, 96, 2, 120, 0},
            SCRIPT_LINES_OF_RANGES},
    Version{11,
            SCRIPT_HEAD_IN_FRAME,
            56,
            8,
            0,
            {0, 0, 32, 48, 68, 1, 1, 72, 112, 128, 48, 72, 56, 0, 136, 184},
            SCRIPT_LINES_OF_PLACES},
    Version{12,
            SCRIPT_HEAD_IN_FRAME,
            56,
            0,
            0,
            {0, 0, 0, 8, 70, 3, 0, 68, 112, 128, 40, 56, 56, 0, 136, 192},
            SCRIPT_LINES_OF_PLACES},
    Version{13,
            SCRIPT_HEAD_OF_THREAD,
            0,
            0,
            0,
            {72, 0, 0, 8, 70, 3, 0, 68, 112, 128, 40, 56, 56, 0, 136, 200},
            SCRIPT_LINES_OF_PLACES},
};

// Since 3.11: major, minor and micro version, and the kind of release, in a byte each.
constexpr unsigned own_major = 3;
constexpr unsigned first_with_symbol = 11;

struct Symbols {
  std::uint64_t runtime = 0;
  std::uint64_t version = 0;
  std::uint64_t code_type = 0;
  std::uint64_t current_thread = 0;  // a function that returns the thread's PyThreadState
  bool is_debug = false;             // with asserts, reference counts and other structures
  bool has_free_threads = false;
};

Symbols symbols_of(const ElfFile& file) {
  Symbols found;
  for (const std::uint32_t type : {SHT_DYNSYM, SHT_SYMTAB}) {
    visit_names(
        file, type, [](const ElfTableSymbol& symbol) { return symbol.binding != STB_LOCAL; },
        [&](std::string_view name, const ElfTableSymbol& symbol) {
          if (name == "_PyRuntime") found.runtime = symbol.start;
          if (name == "Py_Version") found.version = symbol.start;
          if (name == "PyThreadState_GetUnchecked") found.current_thread = symbol.start;
          if (name == "PyCode_Type") found.code_type = symbol.start;
          if (name == "_Py_NegativeRefcount") found.is_debug = true;
          if (name == "_Py_MergeZeroLocalRefcount") found.has_free_threads = true;
        });
    if (found.runtime != 0) break;
  }
  return found;
}

// "3.9" of a file "python3.9" or "libpython3.9.so.1.0".
std::optional<unsigned> minor_in_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("lib")) name.remove_prefix(3);
  constexpr std::string_view beginning = "python3.";
  if (!name.starts_with(beginning)) return std::nullopt;
  name.remove_prefix(beginning.size());
  unsigned minor = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), minor);
  const std::string_view rest(end, name.data() + name.size());
  const bool is_whole = rest.empty() || rest.front() == '.' || rest.starts_with(" (deleted)");
  return error == std::errc() && is_whole ? std::optional(minor) : std::nullopt;
}

// Since 3.13 the file says itself where the members are: struct _Py_DebugOffsets, with which _PyRuntime begins. So a
// build with other structures is known.
bool agrees_with_own_offsets(const ElfFile& file, std::uint64_t runtime, const Version& version) {
  constexpr std::string_view cookie = "xdebugpy";
  constexpr std::size_t words = 40;
  std::array<std::uint64_t, words> own{};
  const auto offset = file.offset_of({runtime});
  if (!offset || !file.read_at(offset->value, std::as_writable_bytes(std::span(own)))) return false;
  if (std::memcmp(own.data(), cookie.data(), cookie.size()) != 0) return false;
  constexpr std::size_t free_threads = 2;
  constexpr std::pair<std::size_t, script_python> same[] = {
      {23, PYTHON_THREAD_FRAME}, {29, PYTHON_FRAME_PREVIOUS}, {30, PYTHON_FRAME_CODE}, {33, PYTHON_FRAME_ENTRY},
      {35, PYTHON_CODE_FILE},    {37, PYTHON_CODE_NAME},      {39, PYTHON_CODE_LINE},
  };
  return own[free_threads] == 0 &&
         std::ranges::all_of(same, [&](const auto& pair) { return own[pair.first] == version.at[pair.second]; });
}

// Where the variable of the thread is that this function returns, from what the thread's register says. nullopt: it
// does more than that.
std::optional<std::int32_t> fixed_variable(const ElfFile& file, std::uint64_t function) {
  constexpr std::array<std::uint8_t, 4> branch_target{0xf3, 0x0f, 0x1e, 0xfa};
  constexpr std::array<std::uint8_t, 5> load{0x64, 0x48, 0x8b, 0x04, 0x25};  // mov rax, fs:[number]
  constexpr std::uint8_t returns = 0xc3;
  std::array<std::uint8_t, 14> code{};
  const auto offset = file.offset_of({function});
  if (function == 0 || !offset || !file.read_at(offset->value, std::as_writable_bytes(std::span(code)))) {
    return std::nullopt;
  }
  std::span<const std::uint8_t> rest = code;
  if (std::ranges::equal(rest.first(branch_target.size()), branch_target)) rest = rest.subspan(branch_target.size());
  if (!std::ranges::equal(rest.first(load.size()), load) || rest[load.size() + 4] != returns) return std::nullopt;
  std::int32_t at = 0;
  std::memcpy(&at, rest.data() + load.size(), sizeof at);
  return at;
}

// What the beginning of the function says.
struct Beginning {
  std::optional<std::int64_t> head_at;  // from the CFA; nullopt: it is in a register
  std::uint32_t valid_from = 0;         // in bytes from the function's start
  // How far the registers are below the CFA there. nullopt: the frame pointer is not made of the stack pointer.
  std::int64_t below_cfa = 0;
  std::optional<std::int64_t> fp_below_cfa;
};

// Follows the code from the function's first instruction to the one that puts the script's frame in its place. Up to
// there nothing but the stack pointer and copies of the first argument, the thread's PyThreadState, matters.
class BeginningReader {
 public:
  BeginningReader(const Machine& machine, const Version& version, std::span<const std::byte> code)
      : machine_(machine), version_(version), code_(code), below_cfa_(machine.below_cfa) {
    values_[machine.first_argument].kind = Value::Kind::thread;
  }

  std::optional<Beginning> read() {
    std::size_t at = 0;
    bool has_tested = false;
    while (at < code_.size()) {
      const auto in = machine_.instruction(code_.subspan(at));
      if (!in) return std::nullopt;
      at += in->bytes;
      // Only the test that there is a thread may lead away, except where a chain is checked against the whole stack.
      const bool is_conditional = in->kind == Kind::conditional;
      const bool tests_thread = in->tests && values_[in->reg].is_thread();
      const bool may_leave = has_tested || tests_thread || version_.head == SCRIPT_HEAD_BY_KEY;
      if (in->kind == Kind::leaves || (is_conditional && !may_leave)) return std::nullopt;
      has_tested = tests_thread && !is_conditional;
      if (!follow(*in)) return std::nullopt;
      if (is_in_place_) {
        if (version_.head == SCRIPT_HEAD_IN_FRAME && !slot_) return std::nullopt;
        if (slot_) *slot_ += version_.frame_in_variable;
        return Beginning{.head_at = slot_,
                         .valid_from = static_cast<std::uint32_t>(at),
                         .below_cfa = below_cfa_,
                         .fp_below_cfa = fp_below_cfa()};
      }
    }
    return std::nullopt;
  }

 private:
  struct Value {
    enum class Kind : std::uint8_t { other, thread, place };
    Kind kind = Kind::other;
    std::int64_t distance = 0;  // place: from the CFA; thread: from the beginning of its structure

    [[nodiscard]] bool is_thread() const { return kind == Kind::thread && distance == 0; }
  };

  // The place of the memory operand, from the CFA. nullopt: it is not on the stack.
  [[nodiscard]] std::optional<std::int64_t> place_of(const MachineInstruction& in) const {
    if (!in.has_base) return std::nullopt;
    if (in.base == machine_.sp) return in.displacement - below_cfa_;
    const Value& base = values_[in.base];
    if (base.kind != Value::Kind::place) return std::nullopt;
    return base.distance + in.displacement;
  }

  [[nodiscard]] std::optional<std::int64_t> fp_below_cfa() const {
    // x86-64 knows one way only to save the frame pointer, beside the return address.
    if (machine_.elf_machine == EM_X86_64) return 16;
    const Value& value = values_[machine_.fp];
    return value.kind == Value::Kind::place ? std::optional(-value.distance) : std::nullopt;
  }

  // False: the code does what is not expected.
  [[nodiscard]] bool follow(const MachineInstruction& in) {
    Value result;
    std::optional<std::uint8_t> to;
    below_cfa_ += in.lowers_stack;
    switch (in.kind) {
      case Kind::move:
        to = in.to;
        result = in.reg == machine_.sp ? Value{.kind = Value::Kind::place, .distance = -below_cfa_} : values_[in.reg];
        break;
      case Kind::address:
        to = in.to;
        if (const auto place = place_of(in)) result = {.kind = Value::Kind::place, .distance = *place};
        break;
      case Kind::store:
        if (!store(in, in.reg, 0) || (in.is_pair && !store(in, in.second, in.store_bytes))) return false;
        break;
      default:
        break;
    }
    for (std::size_t reg = 0; reg < most_registers; ++reg) {
      if ((in.changed >> reg & 1) != 0) values_[reg] = {};
    }
    if (to) values_[*to] = result;
    if (in.has_base) values_[in.base].distance += in.raises_base;
    return (in.changed >> machine_.sp & 1) == 0;
  }

  // `behind`: the bytes of the instruction's other register come first.
  [[nodiscard]] bool store(const MachineInstruction& in, std::uint8_t reg, std::uint8_t behind) {
    const Value value = in.is_general ? values_[reg] : Value{};
    const bool is_to_thread = in.has_base && in.base != machine_.sp && values_[in.base].kind == Value::Kind::thread;
    const std::int64_t distance = is_to_thread ? values_[in.base].distance : 0;
    const auto displacement = static_cast<std::uint32_t>(distance + in.displacement + behind);
    auto place = place_of(in);
    if (place) *place += behind;
    if (version_.variable_at != 0) {
      if (is_to_thread && displacement == version_.variable_at && in.store_bytes == 8) {
        if (value.kind != Value::Kind::place || slot_) return false;
        slot_ = value.distance;
      }
      if (slot_ && place && in.of_register && reg != zero_register) {
        const std::int64_t frame = *slot_ + version_.frame_in_variable;
        is_in_place_ |= *place <= frame && frame + 8 <= *place + in.store_bytes;
      }
      return true;
    }
    if (is_to_thread && displacement == version_.at[PYTHON_THREAD_FRAME] && in.is_general) has_frame_ = true;
    if (place && value.is_thread() && !slot_) slot_ = place;
    // The mark on the C stack, which the frame has as the one before it, must say what it is.
    const bool is_to_frame =
        in.has_base && !place && !is_to_thread && displacement == version_.at[PYTHON_FRAME_PREVIOUS];
    if (is_to_frame && value.kind == Value::Kind::place) mark_ = value.distance;
    const std::int64_t kind = mark_.value_or(0) + version_.at[PYTHON_FRAME_ENTRY];
    if (place) stored_.emplace_back(*place, *place + in.store_bytes);
    const bool is_marked =
        std::ranges::any_of(stored_, [kind](const auto& range) { return range.first <= kind && kind < range.second; });
    is_in_place_ = has_frame_ && (!mark_ || is_marked);
    return true;
  }

  const Machine& machine_;
  const Version& version_;
  std::span<const std::byte> code_;
  std::array<Value, most_registers + 1> values_{};  // the last one is of no register
  std::int64_t below_cfa_;                          // how far the stack pointer is below the CFA
  std::optional<std::int64_t> slot_;
  std::optional<std::int64_t> mark_;
  bool has_frame_ = false;
  std::vector<std::pair<std::int64_t, std::int64_t>> stored_;  // where, up to where
  bool is_in_place_ = false;
};

std::string in_words(std::uint64_t version) {
  return std::to_string(version >> 24 & 0xff) + '.' + std::to_string(version >> 16 & 0xff) + '.' +
         std::to_string(version >> 8 & 0xff);
}

}  // namespace

bool is_sound_python(const script_layout& layout) {
  const auto is_word_in = [&](script_python place, std::uint32_t bytes) {
    return layout.at[place] % 4 == 0 && layout.at[place] + 8 <= bytes;
  };
  constexpr std::uint32_t most = 4096;
  return std::ranges::all_of(layout.at, [](std::uint32_t at) { return at < most; }) &&
         is_word_in(PYTHON_FRAME_CODE, PYTHON_FRAME_BYTES) && is_word_in(PYTHON_FRAME_PREVIOUS, PYTHON_FRAME_BYTES) &&
         (layout.at[PYTHON_CODE_START] == 0 || is_word_in(PYTHON_FRAME_AT, PYTHON_FRAME_BYTES)) &&
         is_word_in(PYTHON_CODE_TABLE, PYTHON_CODE_BYTES) && layout.at[PYTHON_FRAME_ENTRY] < PYTHON_FRAME_BYTES &&
         is_word_in(PYTHON_CODE_LINE, PYTHON_CODE_BYTES) && is_word_in(PYTHON_CODE_FILE, PYTHON_CODE_BYTES) &&
         is_word_in(PYTHON_CODE_NAME, PYTHON_CODE_BYTES);
}

FoundInterpreter find_python(const ElfFile& file, std::string_view path, const UnwindTable& table,
                             const FoundCode& function) {
  FoundInterpreter found;
  Interpreter& interpreter = found.interpreter;
  const auto without = [&](InterpreterFault fault) {
    interpreter.fault = fault;
    return found;
  };
  const Symbols symbols = symbols_of(file);
  std::optional<unsigned> minor;
  if (const auto number = number_at<std::uint32_t>(file, symbols.version)) {
    interpreter.version = in_words(*number);
    if (*number >> 24 == own_major) minor = *number >> 16 & 0xff;
  } else if (const auto named = minor_in_name(path)) {
    interpreter.version = "3." + std::to_string(*named);
    if (*named < first_with_symbol) minor = named;
  }
  const auto known = std::ranges::find_if(versions, [&](const Version& version) { return version.minor == minor; });
  if (known == versions.end()) return without(InterpreterFault::unknown_version);
  constexpr unsigned first_with_offsets = 13;
  const bool is_other = *minor >= first_with_offsets && !agrees_with_own_offsets(file, symbols.runtime, *known);
  if (symbols.is_debug || symbols.has_free_threads || is_other) return without(InterpreterFault::unknown_build);
  const auto machine = std::ranges::find(machines, table.elf_machine, &Machine::elf_machine);
  // Elsewhere only chains that begin in a frame of the interpreter were compared with known ones.
  const bool is_in_frame = known->head == SCRIPT_HEAD_IN_FRAME;
  if (machine == machines.end() || (!is_in_frame && machine->elf_machine != EM_X86_64)) {
    return without(InterpreterFault::other_machine);
  }

  const auto code = code_of(file, function);
  if (!code) return without(InterpreterFault::unknown_code);
  constexpr std::size_t longest_beginning = 512;
  const auto beginning = BeginningReader(*machine, *known, std::span(code->code).first(longest_beginning)).read();
  if (!beginning) return without(InterpreterFault::unknown_code);
  const std::uint64_t body_at = code->own.start + beginning->valid_from;
  const unwind_rule body = rule_at(table, {body_at});
  const bool is_by_sp = body.cfa_register == machine->rule_sp && body.cfa_offset == beginning->below_cfa;
  const bool is_by_fp = body.cfa_register == machine->rule_fp && body.cfa_offset == beginning->fp_below_cfa;
  if (body.cfa != UNWIND_CFA_REGISTER || (!is_by_sp && !is_by_fp)) return without(InterpreterFault::unknown_code);

  script_layout& layout = interpreter.layout;
  layout.head = known->head;
  layout.start = static_cast<std::uint32_t>(code->own.start);
  layout.valid_from = beginning->valid_from;
  if (known->head == SCRIPT_HEAD_BY_KEY) {
    if (symbols.runtime == 0) return without(InterpreterFault::unknown_code);
    layout.head_at = static_cast<std::int64_t>(symbols.runtime + known->key_in_runtime - code->bias);
  } else if (beginning->head_at) {
    layout.head_at = *beginning->head_at;
  } else {
    const auto variable = fixed_variable(file, symbols.current_thread);
    if (!variable) return without(InterpreterFault::unknown_code);
    layout.head = SCRIPT_HEAD_OF_FIXED;
    layout.head_at = *variable;
  }
  layout.type_at = symbols.code_type == 0 ? 0 : static_cast<std::int64_t>(symbols.code_type - code->bias);
  std::ranges::copy(known->at, layout.at);
  layout.lines = known->lines;
  found.code.push_back(code->own);
  if (const auto moved = moved_code(file, code->own, table, body, code->code)) found.code.push_back(*moved);
  std::ranges::sort(found.code, {}, &CodeRange::start);
  return found;
}

}  // namespace profile
