// Walks through the frames of Python scripts in made memory, for each version: the BPF program's own text, with the
// layouts that the parser finds in made files.
#define WALK_OF_X86_64
#include <doctest/doctest.h>

#include <algorithm>
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
  made.code = minor < 11    ? made_code_39()
              : minor == 11 ? made_code_311()
              : minor == 12 ? made_code_312()
                            : made_code_313();
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
    program_.add(c_function, UNWIND_SHORT | 2 << UNWIND_SHORT_CFA_SHIFT);
    const auto words = static_cast<std::uint32_t>(interpreter_bytes / 8);
    program_.add(interpreter, UNWIND_SHORT | words << UNWIND_SHORT_CFA_SHIFT | UNWIND_X86_64_INTERPRETER);
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

  void call(std::uint64_t function, std::uint64_t bytes) {
    sp_ -= bytes;
    put(sp_ + bytes - 8, pc_);
    pc_ = function;
  }

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

TEST_CASE("functions of a script stand where the interpreter runs them, and it does not stand there itself") {
  for (unsigned minor = 9; minor <= 13; ++minor) {
    CAPTURE(minor);
    WalkHost here;
    host = &here;
    MadeThread thread(here, minor);
    call_to_and_fro(thread, minor);
    const int end = thread.walk_it();
    CHECK(end == WALK_ROOT);
    CHECK(thread.walked() == to_and_fro);
    CHECK(here.walk.script.missing == SCRIPT_WHOLE);
    CHECK(here.walk.script.met == SCRIPT_PYTHON);
    CHECK(do_scripts_fit(&here.walk, end));
    const ring_name& name = here.names.begin()->second;
    CHECK(name.line == 7);
    CHECK(std::string(name.path_text, name.path.bytes) == "/srv/app.py");
    // Again, with what is remembered, and in a walk that lasts a part of the way.
    const std::uint64_t hash = end_hash(&here.walk, 0);
    thread.walk_it();
    CHECK(thread.walked() == to_and_fro);
    CHECK(end_hash(&here.walk, 0) == hash);
  }
}

TEST_CASE("an interpreter that has only begun, or is about to return, has no functions of its own") {
  for (const unsigned minor : {11U, 12U, 13U}) {
    CAPTURE(minor);
    WalkHost here;
    host = &here;
    MadeThread thread(here, minor);
    thread.run({"main", "outer"});
    const std::uint64_t outer = thread.frame();
    thread.run({"inner"});
    thread.set_pc(here.script.valid_from - 1);
    thread.put(MadeThread::thread + thread.at(PYTHON_THREAD_FRAME), outer);
    CHECK(thread.walk_it() == WALK_ROOT);
    CHECK(thread.walked() == Words{"eval", "outer", "main", "root"});
    CHECK(here.walk.script.missing == SCRIPT_NOT_BEGUN);
    if (minor != 13) continue;
    // The thread's chain has lost the frame already: its mark belongs to the outer one.
    thread.set_pc(MadeThread::inside);
    CHECK(thread.walk_it() == WALK_ROOT);
    CHECK(thread.walked() == Words{"eval", "outer", "main", "root"});
    CHECK(here.walk.script.missing == SCRIPT_NO_PLACE);
  }
}

TEST_CASE("a chain of all frames that is longer or shorter than the stack does not fit") {
  for (const bool is_longer : {false, true}) {
    WalkHost here;
    host = &here;
    MadeThread thread(here, 9);
    call_to_and_fro(thread, 9);
    if (is_longer) {
      thread.add_frame_of(thread.code_of("made"), true);
      thread.put(MadeThread::thread + thread.at(PYTHON_THREAD_FRAME), thread.frame());
    } else {
      std::uint64_t previous = 0;
      REQUIRE(here.program.read(&previous, 8, thread.frame() + thread.at(PYTHON_FRAME_PREVIOUS)));
      thread.put(MadeThread::thread + thread.at(PYTHON_THREAD_FRAME), previous);
    }
    const int end = thread.walk_it();
    CHECK(!do_scripts_fit(&here.walk, end));
    // Then the host walks again without them.
    here.walk.script.is_off = 1;
  }
}

TEST_CASE("what cannot be read, or is something else, leaves the interpreter's own frame") {
  const auto walk_with = [](auto spoil) {
    WalkHost here;
    host = &here;
    MadeThread thread(here, 11);
    call_to_and_fro(thread, 11);
    const std::uint64_t good_hash = (thread.walk_it(), end_hash(&here.walk, 0));
    here.functions.clear();
    spoil(thread, here);
    CHECK(thread.walk_it() == WALK_ROOT);
    CHECK(here.walk.script.missing == SCRIPT_NOT_READABLE);
    CHECK(end_hash(&here.walk, 0) != good_hash);
    return thread.walked();
  };
  const Words without_inner{"c", "eval", "c", "outer", "main", "root"};
  const auto code_of_inner = [](MadeThread& thread, WalkHost& here) {
    std::uint64_t code = 0;
    REQUIRE(here.program.read(&code, 8, thread.frame() + thread.at(PYTHON_FRAME_CODE)));
    return code;
  };
  CHECK(walk_with([](MadeThread& thread, WalkHost&) {
          thread.put(thread.frame() + thread.at(PYTHON_FRAME_CODE), 0x900000000);
        }) == without_inner);
  CHECK(walk_with([](MadeThread& thread, WalkHost&) {
          thread.put(thread.frame() + thread.at(PYTHON_FRAME_CODE), 3);
        }) == without_inner);
  CHECK(walk_with([&](MadeThread& thread, WalkHost& here) {
          thread.put(code_of_inner(thread, here) + 8, 0x1234560);
        }) == without_inner);
  CHECK(walk_with([&](MadeThread& thread, WalkHost& here) {
          thread.put(code_of_inner(thread, here) + thread.at(PYTHON_CODE_NAME), 0);
        }) == without_inner);
  CHECK(walk_with([&](MadeThread& thread, WalkHost& here) {
          std::uint64_t text = 0;
          REQUIRE(here.program.read(&text, 8, code_of_inner(thread, here) + thread.at(PYTHON_CODE_NAME)));
          thread.put(text + 32, 0);  // a str of an old kind
        }) == without_inner);
}

TEST_CASE("memory that is used again for another function gives another frame") {
  WalkHost here;
  host = &here;
  MadeThread thread(here, 12);
  thread.run({"main", "first"});
  thread.walk_it();
  CHECK(thread.walked() == Words{"first", "main", "root"});
  // The same objects at the same places, with another text.
  std::uint64_t code = 0;
  std::uint64_t text = 0;
  REQUIRE(here.program.read(&code, 8, thread.frame() + thread.at(PYTHON_FRAME_CODE)));
  REQUIRE(here.program.read(&text, 8, code + thread.at(PYTHON_CODE_NAME)));
  thread.put(text + 24, 4711);
  thread.put_byte(text + thread.at(PYTHON_TEXT_ASCII), 't');
  thread.walk_it();
  CHECK(thread.walked() == Words{"tirst", "main", "root"});
  // A str without a hash is read each time.
  thread.put(text + 24, ~std::uint64_t{0});
  thread.put_byte(text + thread.at(PYTHON_TEXT_ASCII), 'w');
  thread.walk_it();
  thread.put_byte(text + thread.at(PYTHON_TEXT_ASCII), 'z');
  thread.walk_it();
  CHECK(thread.walked() == Words{"zirst", "main", "root"});
}

TEST_CASE("long names are cut at their ends, and long paths at their beginnings") {
  WalkHost here;
  host = &here;
  MadeThread thread(here, 13);
  const std::string longest(300, 'x');
  thread.run({"m", longest});
  thread.walk_it();
  const auto name = std::ranges::find_if(here.names, [](const auto& sent) { return sent.second.name.is_cut != 0; });
  REQUIRE(name != here.names.end());
  CHECK(name->second.name.bytes == SCRIPT_NAME_BYTES);
  CHECK(std::string(name->second.name_text, SCRIPT_NAME_BYTES) == longest.substr(0, SCRIPT_NAME_BYTES));
}

TEST_CASE("a name without room on its way is sent the next time, although the function is known") {
  WalkHost here;
  host = &here;
  MadeThread thread(here, 11);
  thread.run({"main"});
  here.loses_names = true;
  thread.walk_it();
  CHECK(thread.walked() == Words{"?", "root"});
  here.loses_names = false;
  thread.walk_it();
  CHECK(thread.walked() == Words{"main", "root"});
}

TEST_CASE("without a wanted language the interpreter stays") {
  WalkHost here;
  host = &here;
  MadeThread thread(here, 11);
  thread.run({"main"});
  here.script.language = SCRIPT_NONE;
  thread.walk_it();
  CHECK(thread.walked() == Words{"eval", "root"});
}

TEST_CASE("with lines, a frame's word has the place in the function, and the table of its lines is sent") {
  for (unsigned minor = 9; minor <= 13; ++minor) {
    CAPTURE(minor);
    WalkHost here;
    host = &here;
    MadeThread thread(here, minor);
    thread.has_lines = true;
    if (minor < 11) {
      thread.run({"outer"});
      thread.run({"main"});
    } else {
      thread.run({"outer", "main"});
    }
    std::uint64_t code = 0;
    REQUIRE(here.program.read(&code, 8, thread.frame() + thread.at(PYTHON_FRAME_CODE)));
    const std::string table(300, 't');
    thread.put_table(code, table);
    const auto position = [&](std::int64_t unit) {
      thread.put_instruction(unit);
      thread.walk_it();
      return here.walk.frames[0] & SCRIPT_POSITION_MASK;
    };
    CHECK(position(0) == 2);
    CHECK(position(17) == 19);
    CHECK(position(-1) == 1);
    const std::uint64_t function = here.walk.frames[0] & ~SCRIPT_POSITION_MASK;
    REQUIRE(here.names.contains(function));
    CHECK(here.names[function].lines == here.script.lines);
    CHECK(here.tables[function] == table);
    // Another table is another function, although it has the same name and begins in the same line.
    thread.put_table(code, std::string(299, 't') + 'u');
    here.functions.clear();
    CHECK(position(17) == 19);
    CHECK((here.walk.frames[0] & ~SCRIPT_POSITION_MASK) != function);
    // One that is too large is not sent.
    thread.put_table(code, std::string(SCRIPT_TABLE_BYTES + 1, 't'));
    here.functions.clear();
    CHECK(position(17) == 19);
    CHECK(here.names[here.walk.frames[0] & ~SCRIPT_POSITION_MASK].table_hash == 0);
    walk_config.lines = 0;
  }
}
