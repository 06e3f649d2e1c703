// A thread whose C functions and Python scripts call each other, in made memory, with the layouts that the parser finds
// in made files. Define WALK_OF_X86_64 or WALK_OF_ARM64 before it.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "../made_python.h"
#include "interpret/interpreter.h"
#include "unwind/build.h"
#include "walk_host.h"

namespace {

using profile::WalkedProgram;

script_layout layout_of(unsigned minor) {
  using namespace profile::test;
  MadePython made;
  made.version = minor < 11 ? 0 : 3U << 24 | minor << 16;
#ifdef WALK_OF_ARM64
  made.machine = EM_AARCH64;
  made.is_by_fp = minor == 12;
  made.code = minor == 11 ? made_code_311_arm64() : made_code_312_arm64();
#else
  made.code = minor < 11    ? made_code_39()
              : minor == 11 ? made_code_311()
              : minor == 12 ? made_code_312()
                            : made_code_313();
#endif
  if (minor == 13) made.runtime = made_offsets_313();
  const std::string file = made_python(made);
  profile::WorkBudget budget(UINT64_MAX);
  std::string why;
  const auto elf = profile::ElfFile::read(profile::FileBytes(std::as_bytes(std::span(file))), why, &budget);
  REQUIRE(elf);
  profile::UnwindAnswer answer = profile::unwind_table_of(*elf);
  const auto found = profile::find_interpreter(*elf, "/usr/bin/python3." + std::to_string(minor), answer.table);
  REQUIRE(found.has_layout());
  return found.layout;
}

// A thread whose C functions and scripts call each other.
class MadeThread {
 public:
  static constexpr std::uint64_t root_function = 0x400000;
  static constexpr std::uint64_t c_function = 0x410000;
  static constexpr std::uint64_t interpreter = 0x420000;
  static constexpr std::uint64_t interpreter_bytes = 352;  // of its frame, as in made_python.h
  static constexpr std::uint64_t thread = 0x10000;         // PyThreadState
  static constexpr std::uint64_t thread_base = 0x20000;

  MadeThread(WalkHost& here, unsigned minor) : here_(here), program_(here.program) {
    here_.script = layout_of(minor);
    program_.add(root_function, program_.add_root());
    add_functions();
    // The page of the function in the made file.
    const auto place = program_.place_of(interpreter);
    bias_ = interpreter - place.offset;
    here_.script.start = static_cast<__u32>(place.offset);
    program_.make_readable(stack_top - 0x10000, stack_top);
    here_.stack_end = stack_top;
    if (at(PYTHON_THREAD_ID) != 0) {
      put(thread + at(PYTHON_THREAD_ID), thread_base);
      here_.thread_base = thread_base;
      constexpr std::uint64_t key = 3;
      put(bias_ + static_cast<std::uint64_t>(here_.script.head_at), key);
      put(thread_base + 0x310 + key * 16 + 8, thread);
    }
    pc_ = root_function + 8;
  }

  // Calls a C function.
  void call_c() { call(c_function + 8, 16); }
  // The interpreter runs these functions of a script, the outermost first, for the C function that is there.
  void run(const std::vector<std::string>& functions) {
    call(interpreter + inside, interpreter_bytes);
    const std::uint64_t cfa = sp_ + interpreter_bytes;
    if (at(PYTHON_FRAME_ENTRY) != 0 && at(PYTHON_ENTRY_IS_SHOWN) == 0) {
      // The mark is a frame in the interpreter's own.
      const std::uint64_t mark = sp_ + 0x100;
      put(mark + at(PYTHON_FRAME_PREVIOUS), frame_);
      put_byte(mark + at(PYTHON_FRAME_ENTRY), 3);
      frame_ = mark;
    }
    bool is_entry = true;
    for (const std::string& name : functions) {
      add_frame_of(code_of(name), is_entry);
      is_entry = false;
    }
    if (here_.script.head == SCRIPT_HEAD_IN_FRAME) put(cfa + static_cast<std::uint64_t>(here_.script.head_at), frame_);
    if (here_.script.head == SCRIPT_HEAD_OF_THREAD) put(cfa + static_cast<std::uint64_t>(here_.script.head_at), thread);
    if (here_.script.head != SCRIPT_HEAD_IN_FRAME) put(thread + at(PYTHON_THREAD_FRAME), frame_);
    for (auto name = functions.rbegin(); name != functions.rend(); ++name) shown_.push_back(*name);
  }

  int walk_it() {
    walk& walk = here_.walk;
    walk.pc = pc_;
    walk.sp = sp_;
    walk.fp = walk.extra = walk.fp_at = walk.extra_at = 0;
    walk.lost = walk.guessed = walk.depth = walk.stuck.depth = 0;
    walk.was_interrupted = 1;
    walk.start_stack = stack_top;
    walk.stack_end = walk.window_bytes = 0;
    begin_hash(&walk);
    begin_scripts(&walk);
    enter_space(&walk);
    walk_config.mode = WALK_AUTO;
    walk_config.depth = WALK_MOST_FRAMES;
    walk_config.languages = 1U << SCRIPT_PYTHON;
    walk_config.lines = has_lines ? 1 : 0;
    return walk_frames(0);
  }

  // The walk's frames in words: "c", "root", "eval", or the name of a function.
  [[nodiscard]] std::vector<std::string> walked() const {
    std::vector<std::string> words;
    for (__u32 i = 0; i < here_.walk.depth; ++i) {
      const __u64 word = here_.walk.frames[i];
      if ((word & SCRIPT_FRAME_MASK) == SCRIPT_FRAME) {
        const auto name = here_.names.find(word);
        words.push_back(name == here_.names.end() ? "?" : std::string(name->second.name_text, name->second.name.bytes));
      } else {
        const __u64 function = word & ~(WalkedProgram::page_bytes - 1);
        words.push_back(function == interpreter ? "eval" : function == c_function ? "c" : "root");
      }
    }
    return words;
  }

  std::uint64_t code_of(const std::string& name) {
    const std::uint64_t code = heap_ += 0x200;
    put(code + 8, bias_ + static_cast<std::uint64_t>(here_.script.type_at));
    put(code + at(PYTHON_CODE_NAME), text_of(name));
    put(code + at(PYTHON_CODE_FILE), text_of("/srv/app.py"));
    put(code + (at(PYTHON_CODE_LINE) & ~7U), std::uint64_t{7} << (at(PYTHON_CODE_LINE) % 8 * 8));
    return code;
  }
  std::uint64_t text_of(const std::string& characters) {
    const std::uint64_t text = heap_ += 0x1000;
    put(text + 16, characters.size());
    put(text + 24, std::hash<std::string>()(characters) | 1);
    put(text + 32, 1 << 2 | 1 << 5 | 1 << 6);
    for (std::size_t i = 0; i < characters.size(); ++i) put_byte(text + at(PYTHON_TEXT_ASCII) + i, characters[i]);
    return text;
  }
  void add_frame_of(std::uint64_t code, bool is_entry) {
    const std::uint64_t frame = heap_ += 0x100;
    put(frame + at(PYTHON_FRAME_CODE), code);
    put(frame + at(PYTHON_FRAME_PREVIOUS), frame_);
    if (is_entry && at(PYTHON_ENTRY_IS_SHOWN) != 0 && at(PYTHON_FRAME_ENTRY) != 0) {
      put_byte(frame + at(PYTHON_FRAME_ENTRY), 1);
    }
    frame_ = frame;
  }
  void put(std::uint64_t at, std::uint64_t word) { program_.put(at, word); }
  void put_byte(std::uint64_t at, int value) {
    std::uint64_t word = 0;
    program_.make_readable(at, at + 8);
    REQUIRE(program_.read(&word, sizeof word, at));
    put(at, (word & ~std::uint64_t{0xff}) | static_cast<unsigned char>(value));
  }
  [[nodiscard]] std::uint32_t at(script_python place) const { return here_.script.at[place]; }
  // Gives the code this table of lines.
  void put_table(std::uint64_t code, const std::string& table) {
    const std::uint64_t object = heap_ += 0x1000;
    put(object + 16, table.size());
    for (std::size_t i = 0; i < table.size(); ++i) put_byte(object + 32 + i, table[i]);
    put(code + at(PYTHON_CODE_TABLE), object);
  }
  // The innermost frame is at that instruction of its code; -1: before the first one.
  void put_instruction(std::int64_t unit) {
    std::uint64_t code = 0;
    REQUIRE(program_.read(&code, sizeof code, frame_ + at(PYTHON_FRAME_CODE)));
    if (at(PYTHON_CODE_START) != 0) {
      put(frame_ + at(PYTHON_FRAME_AT), code + at(PYTHON_CODE_START) + static_cast<std::uint64_t>(2 * unit));
    } else {
      const std::int64_t number = unit < 0 ? -1 : unit * 2 / at(PYTHON_FRAME_UNIT);
      put(frame_ + at(PYTHON_FRAME_AT), static_cast<std::uint32_t>(number));
    }
  }
  bool has_lines = false;

  [[nodiscard]] std::uint64_t frame() const { return frame_; }
  void set_pc(std::uint64_t distance) { pc_ = interpreter + distance; }

  static constexpr std::uint64_t inside = 0x200;  // of the interpreter's function: its frame is in place

 private:
  static constexpr std::uint64_t stack_top = 0x7ffe00000000;

#ifdef WALK_OF_ARM64
  // Each function saves the frame pointer and the return address, which it has signed, where its stack pointer is.
  void add_functions() {
    program_.add(c_function, UNWIND_SHORT | 2 << UNWIND_SHORT_CFA_SHIFT | 2);
    unwind_rule rule{};
    rule.cfa = UNWIND_CFA_REGISTER;
    rule.cfa_register = REGISTER_SP;
    rule.cfa_offset = static_cast<int>(interpreter_bytes);
    rule.fp = rule.ra = UNWIND_AT_CFA;
    rule.fp_offset = -static_cast<int>(interpreter_bytes);
    rule.ra_offset = 8 - static_cast<int>(interpreter_bytes);
    rule.flags = UNWIND_INTERPRETER;
    program_.add(interpreter, program_.add_rule(rule));
  }
  void call(std::uint64_t function, std::uint64_t bytes) {
    constexpr std::uint64_t signature = 0x2a000000000000;
    sp_ -= bytes;
    put(sp_, sp_ + bytes);
    put(sp_ + 8, pc_ | signature);
    pc_ = function;
  }
#else
  void add_functions() {
    program_.add(c_function, UNWIND_SHORT | 2 << UNWIND_SHORT_CFA_SHIFT);
    const auto words = static_cast<std::uint32_t>(interpreter_bytes / 8);
    program_.add(interpreter, UNWIND_SHORT | words << UNWIND_SHORT_CFA_SHIFT | UNWIND_X86_64_INTERPRETER);
  }
  void call(std::uint64_t function, std::uint64_t bytes) {
    sp_ -= bytes;
    put(sp_ + bytes - 8, pc_);
    pc_ = function;
  }
#endif

  WalkHost& here_;
  WalkedProgram& program_;
  std::uint64_t bias_ = 0;
  std::uint64_t heap_ = 0x1000000;
  std::uint64_t pc_ = 0;
  std::uint64_t sp_ = stack_top - 256;
  std::uint64_t frame_ = 0;
  std::vector<std::string> shown_;
};

using Words = std::vector<std::string>;

// C code calls Python, which calls C code, which calls Python.
void call_to_and_fro(MadeThread& thread, unsigned minor) {
  const bool has_one_frame = minor < 11;  // each function of a script is a call of the interpreter
  if (has_one_frame) {
    thread.run({"main"});
    thread.run({"outer"});
  } else {
    thread.run({"main", "outer"});
  }
  thread.call_c();
  thread.run({"inner"});
  thread.call_c();
}
const Words to_and_fro{"c", "inner", "c", "outer", "main", "root"};

}  // namespace
