// Walks through the frames of PHP's scripts in made memory: the BPF program's own text.
#define WALK_OF_X86_64
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "walk_host.h"

namespace {

using profile::WalkedProgram;

// A process whose functions of C and of the script call each other.
class MadeProcess {
 public:
  static constexpr std::uint64_t root_function = 0x400000;
  static constexpr std::uint64_t c_function = 0x410000;
  static constexpr std::uint64_t interpreter = 0x420000;
  static constexpr std::uint64_t head_at = 0x600000;
  static constexpr std::uint64_t file_in_function = 152;
  static constexpr std::uint64_t code_in_function = 88;

  explicit MadeProcess(WalkHost& here) : here_(here), program_(here.program) {
    program_.add(root_function, program_.add_root());
    program_.add(c_function, UNWIND_SHORT | 2 << UNWIND_SHORT_CFA_SHIFT);
    program_.add(interpreter, UNWIND_SHORT | 8 << UNWIND_SHORT_CFA_SHIFT | UNWIND_X86_64_INTERPRETER);
    const auto place = program_.place_of(interpreter);
    here_.script.language = SCRIPT_PHP;
    here_.script.head = SCRIPT_HEAD_GLOBAL;
    here_.script.start = static_cast<__u32>(place.offset);
    here_.script.head_at = static_cast<__s64>(head_at - (interpreter - place.offset));
    here_.script.at[PHP_FUNCTION_FILE] = file_in_function;
    here_.script.at[PHP_FUNCTION_CODE] = code_in_function;
    here_.script.at[PHP_FUNCTION_LENGTH] = code_in_function - 8;
    here_.script.lines = SCRIPT_LINES_DIRECT;
    program_.make_readable(stack_top - 0x10000, stack_top);
    here_.stack_end = stack_top;
    file_ = text_of("/srv/app.php");
    pc_ = root_function + 8;
  }

  void call_c() { call(c_function + 8, 16); }
  // The interpreter runs these functions of the script, the outermost first, for the C function that is there.
  void run(const std::vector<std::string>& functions) {
    call(interpreter + 8, 64);
    bool is_from_c = true;
    for (const std::string& name : functions) {
      add_frame(function_of(name), is_from_c);
      is_from_c = false;
    }
  }
  // One of PHP's own functions.
  void run_own(const std::string& name) { add_frame(function_of(name, 1), true); }

  std::uint64_t function_of(const std::string& name, std::uint64_t type = 2) {
    const std::uint64_t function = heap_ += 0x200;
    const std::size_t mark = name.find("::");
    program_.make_readable(function, function + 0x200);
    put(function, type);
    put(function + 8, name.empty() ? 0 : text_of(mark == name.npos ? name : name.substr(mark + 2)));
    if (mark != name.npos) {
      const std::uint64_t class_at = heap_ += 0x200;
      put(class_at + 8, text_of(name.substr(0, mark)));
      put(function + 16, class_at);
    }
    if (type != 1) {
      put(function + file_in_function, file_);
      put(function + file_in_function + 8, 7);
    }
    return function;
  }
  void add_frame(std::uint64_t function, bool is_from_c) {
    const std::uint64_t frame = heap_ += 0x100;
    program_.make_readable(frame, frame + 0x100);
    put(frame + 24, function);
    put(frame + 40, is_from_c ? 1 << 17 : 0);
    put(frame + 48, frame_);
    put(head_at, frame_ = frame);
  }
  // Gives the innermost function code with instructions in these lines. Returns where it begins.
  std::uint64_t put_code(const std::vector<std::uint32_t>& lines) {
    const std::uint64_t code = heap_ += 0x200;
    std::uint64_t function = 0;
    REQUIRE(program_.read(&function, sizeof function, frame_ + 24));
    put(function + code_in_function, code);
    put(function + code_in_function - 8, lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) put(code + 32 * i + 24, lines[i]);
    return code;
  }
  bool has_lines = false;

  [[nodiscard]] std::uint64_t frame() const { return frame_; }
  [[nodiscard]] std::uint64_t sp() const { return sp_; }
  void put(std::uint64_t at, std::uint64_t word) { program_.put(at, word); }

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
    walk_config.languages = 1U << SCRIPT_PHP;
    walk_config.lines = has_lines ? 1 : 0;
    return walk_frames(0);
  }

  [[nodiscard]] std::vector<std::string> walked() const {
    std::vector<std::string> words;
    for (__u32 i = 0; i < here_.walk.depth; ++i) {
      const __u64 word = here_.walk.frames[i];
      if ((word & SCRIPT_FRAME_MASK) == SCRIPT_FRAME) {
        const auto sent = here_.names.find(word);
        REQUIRE(sent != here_.names.end());
        const ring_name& name = sent->second;
        const std::string owner(name.owner_text, name.owner.bytes);
        words.push_back((owner.empty() ? "" : owner + "::") + std::string(name.name_text, name.name.bytes));
      } else {
        const __u64 function = word & ~(WalkedProgram::page_bytes - 1);
        words.push_back(function == interpreter ? "execute" : function == c_function ? "c" : "root");
      }
    }
    return words;
  }

 private:
  static constexpr std::uint64_t stack_top = 0x7ffe00000000;

  std::uint64_t text_of(const std::string& characters) {
    const std::uint64_t text = heap_ += 0x200;
    program_.make_readable(text, text + 0x200);
    put(text + 8, std::hash<std::string>()(characters) | 1);
    put(text + 16, characters.size());
    for (std::size_t at = 0; at < characters.size(); at += 8) {
      std::uint64_t word = 0;
      characters.copy(reinterpret_cast<char*>(&word), 8, at);
      put(text + 24 + at, word);
    }
    return text;
  }
  void call(std::uint64_t function, std::uint64_t bytes) {
    sp_ -= bytes;
    put(sp_ + bytes - 8, pc_);
    pc_ = function;
  }

  WalkHost& here_;
  WalkedProgram& program_;
  std::uint64_t heap_ = 0x1000000;
  std::uint64_t file_ = 0;
  std::uint64_t pc_ = 0;
  std::uint64_t sp_ = stack_top - 256;
  std::uint64_t frame_ = 0;
};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("functions of PHP stand where the interpreter runs them, with their classes and PHP's own functions") {
  WalkHost here;
  host = &here;
  MadeProcess process(here);
  process.run({"", "main", "Server::handle"});
  process.run_own("array_map");
  process.call_c();
  process.run({"{closure}", "inner"});
  const int end = process.walk_it();
  CHECK(end == WALK_ROOT);
  CHECK(process.walked() == Words{"inner", "{closure}", "c", "array_map", "Server::handle", "main", "", "root"});
  CHECK(here.walk.script.missing == SCRIPT_WHOLE);
  CHECK(do_scripts_fit(&here.walk, end));
  for (const auto& [word, name] : here.names) {
    const bool is_own = std::string(name.name_text, name.name.bytes) == "array_map";
    CHECK(name.line == (is_own ? 0 : 7));
    CHECK(std::string(name.path_text, name.path.bytes) == (is_own ? "" : "/srv/app.php"));
  }
  process.walk_it();
  CHECK(process.walked().size() == 8);
}

TEST_CASE("a frame of PHP that only holds a place is no function") {
  WalkHost here;
  host = &here;
  MadeProcess process(here);
  process.run({"", "generated"});
  process.add_frame(0, false);
  process.add_frame(process.function_of("inner"), false);
  CHECK(process.walk_it() == WALK_ROOT);
  CHECK(process.walked() == Words{"inner", "generated", "", "root"});
}

TEST_CASE("a generator that takes its values from another one has called that one") {
  WalkHost here;
  host = &here;
  MadeProcess process(here);
  here.script.at[PHP_GENERATOR_FRAME] = 56;
  process.run({""});
  const std::uint64_t delegated = process.frame() + 0x10000;
  const std::uint64_t object = delegated + 0x1000;
  here.program.make_readable(delegated, object + 0x100);
  process.put(delegated + 24, process.function_of("delegated"));
  process.put(object + 56, delegated);
  process.add_frame(0, false);
  process.put(process.frame() + 32, object);
  process.put(process.frame() + 40, 8);
  process.add_frame(process.function_of("inner"), false);
  CHECK(process.walk_it() == WALK_ROOT);
  CHECK(process.walked() == Words{"inner", "delegated", "", "root"});
}

TEST_CASE("PHP's chain that is shorter or longer than the stack does not fit it") {
  for (const bool is_longer : {false, true}) {
    CAPTURE(is_longer);
    WalkHost here;
    host = &here;
    MadeProcess process(here);
    process.run({""});
    const std::uint64_t outer = process.frame();
    process.call_c();
    process.run({"inner"});
    if (is_longer) {
      process.add_frame(process.function_of("made"), true);
    } else {
      process.put(MadeProcess::head_at, outer);
    }
    const int end = process.walk_it();
    CHECK((!do_scripts_fit(&here.walk, end) || here.walk.script.missing != SCRIPT_WHOLE));
  }
}

TEST_CASE("what is no frame and no function of PHP leaves the interpreter's own frame") {
  for (const std::uint64_t bad : {std::uint64_t{3}, std::uint64_t{0x900000000}}) {
    WalkHost here;
    host = &here;
    MadeProcess process(here);
    process.run({"main"});
    process.put(process.frame() + 24, bad);
    process.walk_it();
    CHECK(process.walked() == Words{"execute", "root"});
    CHECK(here.walk.script.missing == SCRIPT_NOT_READABLE);
  }
}

TEST_CASE("with lines, the register says where the innermost function is, and its frame where an outer one is") {
  WalkHost here;
  host = &here;
  MadeProcess process(here);
  process.has_lines = true;
  process.run({"main"});
  const std::uint64_t outer = process.put_code({10, 11, 12});
  process.put(process.frame(), outer + 32);
  process.call_c();
  process.run({"inner"});
  const std::uint64_t inner = process.put_code({20, 21, 22});
  process.put(process.frame(), inner);
  process.call_c();
  const auto position = [&](std::size_t at) {
    process.walk_it();
    return here.walk.frames[at] & SCRIPT_POSITION_MASK;
  };
  here.walk.innermost[REGISTER_SP] = process.sp();
  here.walk.innermost[PHP_INSTRUCTION_REGISTER] = 0x1234;
  CHECK(position(1) == 20);
  CHECK(position(3) == 11);
  here.walk.innermost[PHP_INSTRUCTION_REGISTER] = inner + 64;
  CHECK(position(1) == 22);
  CHECK(position(3) == 11);
  // Of another function, or behind its end.
  for (const std::uint64_t other : {outer + 64, inner + 96}) {
    here.walk.innermost[PHP_INSTRUCTION_REGISTER] = other;
    CHECK(position(1) == 20);
  }
  // The C function has saved the register: the frame may lag behind.
  process.put(process.sp(), inner + 32);
  CHECK(position(1) == 0);
  process.put(process.sp(), inner);
  CHECK(position(1) == 20);
  // The frame does not point into its function's code.
  process.put(process.frame(), outer);
  process.put(process.sp(), 0);
  CHECK(position(1) == 0);
  // A line that has no room in the word.
  process.put_code({1U << SCRIPT_POSITION_BITS});
  CHECK(position(1) == 0);
  walk_config.lines = 0;
}
