// Walks through the frames of Ruby's scripts in made memory: the BPF program's own text.
#define WALK_OF_X86_64
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "walk_host.h"

namespace {

using profile::WalkedProgram;

struct Shape {
  std::uint64_t frame_bytes;
  bool line_is_tagged;
  std::uint64_t text_at;
};
constexpr Shape shapes[] = {{56, true, 16}, {64, true, 16}, {64, false, 24}, {56, false, 24}};

// A thread whose functions of C and methods of Ruby call each other.
class MadeThread {
 public:
  static constexpr std::uint64_t root_function = 0x400000;
  static constexpr std::uint64_t c_function = 0x410000;
  static constexpr std::uint64_t interpreter = 0x420000;
  static constexpr std::uint64_t core = 0x430000;
  static constexpr std::uint64_t context = 0x50000;

  MadeThread(WalkHost& here, const Shape& shape) : here_(here), program_(here.program), shape_(shape) {
    program_.add(root_function, program_.add_root());
    program_.add(c_function, UNWIND_SHORT | 2 << UNWIND_SHORT_CFA_SHIFT);
    program_.add(interpreter, UNWIND_SHORT | 8 << UNWIND_SHORT_CFA_SHIFT | UNWIND_X86_64_INTERPRETER);
    program_.add(core, UNWIND_SHORT | 4 << UNWIND_SHORT_CFA_SHIFT | UNWIND_X86_64_INTERPRETER);
    const auto place = program_.place_of(interpreter);
    script_layout& layout = here_.script;
    layout.language = SCRIPT_RUBY;
    layout.head = SCRIPT_HEAD_OF_MODULE;
    layout.start = static_cast<__u32>(place.offset);
    layout.head_at = static_cast<__s64>(module_at - (interpreter - place.offset));
    layout.at[RUBY_THREAD_OFFSET] = 8;
    layout.at[RUBY_FRAME_BYTES] = static_cast<__u32>(shape.frame_bytes);
    layout.at[RUBY_LINE_IS_TAGGED] = shape.line_is_tagged ? 1 : 0;
    layout.at[RUBY_TEXT_AT] = static_cast<__u32>(shape.text_at);
    layout.at[RUBY_CORE] = static_cast<__u32>(program_.place_of(core).offset);
    layout.at[RUBY_CORE_BYTES] = WalkedProgram::page_bytes;
    program_.make_readable(stack_top - 0x10000, stack_top);
    here_.stack_end = stack_top;
    here_.thread_base = thread;
    make(thread, {0, blocks});
    make(module_at, {2});
    make(blocks + 32, {block});
    make(block + 8, {context});
    make(context, {frames_begin, frames_words, 0});
    next_frame_ = frames_begin + 8 * frames_words - shape.frame_bytes;
    pc_ = root_function + 8;
  }

  void call_c() { call(c_function + 8, 16); }
  // A method that is written in C.
  void run_c() { add_frame(0, 0x55550001); }
  // The interpreter runs these methods, the outermost first, for the C function that is there.
  void run(const std::vector<std::string>& methods) {
    call(interpreter + 8, 64);
    std::uint64_t finish = RUBY_FLAG_FINISH;
    for (const std::string& name : methods) {
      add_frame(method_of(name), 0x11110003 | finish);
      finish = 0;
    }
  }
  void go_into_core() { call(core + 8, 32); }

  std::uint64_t method_of(const std::string& name) {
    const std::uint64_t iseq = heap_ += 0x200;
    const std::uint64_t body = heap_ += 0x200;
    const std::uint64_t path = heap_ += 0x200;
    make(iseq + 16, {body});
    make(body + RUBY_BODY_LOCATION, {path, 0, text_of(name), shape_.line_is_tagged ? 7 << 1 | 1U : 7U});
    // An Array with its elements in itself.
    make(path, {RUBY_ARRAY | RUBY_IS_ELSEWHERE | 2 << 15, 0, text_of("/srv/a_long_path_of_an_app.rb"), 0, 0});
    return iseq;
  }
  void add_frame(std::uint64_t iseq, std::uint64_t flags) {
    const std::uint64_t flags_at = heap_ += 0x200;
    make(flags_at, {flags});
    next_frame_ -= shape_.frame_bytes;
    make(next_frame_, {iseq != 0 ? 0x1234560U : 0, 0, iseq, 0, flags_at});
    put(context + 16, next_frame_);
  }
  // The innermost control frame is taken off.
  void pop_frame() { put(context + 16, next_frame_ += shape_.frame_bytes); }
  void put(std::uint64_t at, std::uint64_t word) { program_.put(at, word); }
  [[nodiscard]] std::uint64_t frame() const { return next_frame_; }

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
    walk_config.languages = 1U << SCRIPT_RUBY;
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
        words.emplace_back(name.name_text, name.name.bytes);
      } else {
        const __u64 function = word & ~(WalkedProgram::page_bytes - 1);
        words.push_back(function == interpreter  ? "exec"
                        : function == core       ? "core"
                        : function == c_function ? "c"
                                                 : "root");
      }
    }
    return words;
  }

 private:
  static constexpr std::uint64_t stack_top = 0x7ffe00000000;

  static constexpr std::uint64_t thread = 0x10000;
  static constexpr std::uint64_t blocks = 0x20000;
  static constexpr std::uint64_t block = 0x30000;
  static constexpr std::uint64_t module_at = 0x600000;
  static constexpr std::uint64_t frames_begin = 0x700000;
  static constexpr std::uint64_t frames_words = 0x800;

  void make(std::uint64_t at, const std::vector<std::uint64_t>& words) {
    program_.make_readable(at, at + 8 * words.size());
    for (std::size_t i = 0; i < words.size(); ++i) put(at + 8 * i, words[i]);
  }
  // Short texts lie in the object.
  std::uint64_t text_of(const std::string& characters) {
    const std::uint64_t text = heap_ += 0x200;
    const bool is_own = characters.size() < 20;
    const std::uint64_t from = is_own ? text + shape_.text_at : text + 0x100;
    std::uint64_t flags = RUBY_STRING;
    if (!is_own) flags |= RUBY_IS_ELSEWHERE;
    if (is_own && shape_.text_at == 16) flags |= characters.size() << 14;
    make(text, {flags, 0, characters.size(), from, 0, 0});
    program_.make_readable(from, from + 64);
    for (std::size_t at = 0; at < characters.size(); at += 8) {
      std::uint64_t word = 0;
      characters.copy(reinterpret_cast<char*>(&word), 8, at);
      put(from + at, word);
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
  Shape shape_;
  std::uint64_t heap_ = 0x1000000;
  std::uint64_t next_frame_ = 0;
  std::uint64_t pc_ = 0;
  std::uint64_t sp_ = stack_top - 256;
};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("methods of Ruby stand where the interpreter runs them, and neither of its two functions stands there") {
  for (const Shape& shape : shapes) {
    CAPTURE(shape.frame_bytes);
    CAPTURE(shape.text_at);
    WalkHost here;
    host = &here;
    MadeThread thread(here, shape);
    thread.run({"<main>", "main", "each_of_many_things_at_once"});
    thread.go_into_core();
    thread.run_c();
    thread.call_c();
    thread.run({"block in main", "inner"});
    thread.go_into_core();
    const int end = thread.walk_it();
    CHECK(end == WALK_ROOT);
    CHECK(thread.walked() ==
          Words{"inner", "block in main", "c", "each_of_many_things_at_once", "main", "<main>", "root"});
    CHECK(here.walk.script.missing == SCRIPT_WHOLE);
    CHECK(do_scripts_fit(&here.walk, end));
    for (const auto& [word, name] : here.names) {
      CHECK(name.line == 7);
      CHECK(std::string(name.path_text, name.path.bytes) == "/srv/a_long_path_of_an_app.rb");
    }
    thread.walk_it();
    CHECK(thread.walked().size() == 7);
    // Between "control frame taken off" and "function returned".
    thread.pop_frame();
    thread.pop_frame();
    const int later = thread.walk_it();
    CHECK((!do_scripts_fit(&here.walk, later) || here.walk.script.missing != SCRIPT_WHOLE));
  }
}

TEST_CASE("what is no control frame leaves the interpreter's own frame") {
  for (const std::uint64_t bad : {std::uint64_t{3}, std::uint64_t{0x900000000}}) {
    WalkHost here;
    host = &here;
    MadeThread thread(here, shapes[1]);
    thread.run({"main"});
    thread.put(thread.frame() + 16, bad);
    thread.walk_it();
    CHECK(thread.walked() == Words{"exec", "root"});
    CHECK(here.walk.script.missing == SCRIPT_NOT_READABLE);
    thread.put(MadeThread::context + 8, ~std::uint64_t{0});
    thread.walk_it();
    CHECK(thread.walked() == Words{"exec", "root"});
  }
}
