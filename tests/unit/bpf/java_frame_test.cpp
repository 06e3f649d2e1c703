// Walks and names frames of HotSpot in made memory: the BPF program's own text.
#define WALK_OF_X86_64
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "walk_host.h"

namespace {

using profile::WalkedProgram;

// A thread of Java. The layout is that of JDK 17, but for members that are put together.
class MadeJava {
 public:
  static constexpr std::uint64_t root_function = 0x400000;
  static constexpr std::uint64_t engine = 0x420000;       // in the file, with a table
  static constexpr std::uint64_t heap = 0x700000;         // code of methods, without a file
  static constexpr std::uint64_t interpreter = 0x740000;  // likewise
  static constexpr std::uint64_t heap_bytes = 0x10000;
  static constexpr std::uint64_t interpreter_bytes = 0x1000;

  explicit MadeJava(WalkHost& here) : here_(here), program_(here.program) {
    program_.add(root_function, program_.add_root());
    program_.add(engine, UNWIND_SHORT | 2 << UNWIND_SHORT_CFA_SHIFT);
    for (std::uint64_t at = heap; at < heap + heap_bytes; at += WalkedProgram::page_bytes) {
      program_.add(at, WalkedProgram::Kind::plain);
    }
    program_.add(interpreter, WalkedProgram::Kind::plain);
    program_.make_readable(stack_top - 0x10000, stack_top);
    program_.make_readable(heap, heap + heap_bytes);
    program_.make_readable(interpreter, interpreter + interpreter_bytes);
    program_.make_readable(engine, engine + 0x1000);
    // Each return address stands behind a call, and code without one is a longer instruction's middle.
    for (std::uint64_t at = interpreter; at < interpreter + 0x100; at += 8) put(at, 0xe8e8e8e8e8e8e8e8);
    for (std::uint64_t at = engine; at < engine + 0x100; at += 8) put(at, 0xe8e8e8e8e8e8e8e8);
    bias_ = engine - program_.place_of(engine).offset;

    script_layout& layout = here_.script;
    layout.language = SCRIPT_JAVA;
    layout.head = SCRIPT_HEAD_IN_CODE;
    const auto set = [&layout](script_java place, std::uint64_t number) {
      layout.at[place] = static_cast<std::uint32_t>(number);
    };
    set(JAVA_HEAPS, heaps_variable);
    set(JAVA_HEAPS_DATA, 8);
    set(JAVA_HEAP_LOW, 24);
    set(JAVA_HEAP_HIGH, 16);
    set(JAVA_HEAP_SEGMENTS, 136);
    set(JAVA_HEAP_SHIFT, 256);
    set(JAVA_BLOCK_BYTES, 16);
    set(JAVA_INTERPRETER, interpreter_variable);
    set(JAVA_QUEUE_BUFFER, 8);
    set(JAVA_QUEUE_LIMIT, 20);
    set(JAVA_BLOB_NAME, 96);
    set(JAVA_BLOB_BEGIN, 32);
    set(JAVA_BLOB_END, 40);
    set(JAVA_BLOB_COMPLETE, 20);
    set(JAVA_BLOB_COMPLETE_BYTES, 4);
    set(JAVA_BLOB_FRAME, 28);
    set(JAVA_BLOB_METHOD, 112);
    set(JAVA_BLOB_NUMBER, 304);
    set(JAVA_PLACES_BEGIN, 320);
    set(JAVA_PLACES_END, 324);
    set(JAVA_SCOPES, 328);
    set(JAVA_METHODS, 332);
    set(JAVA_TABLES, 336);
    set(JAVA_OTHER_TABLES, 344);
    set(JAVA_METHOD_CONST, 8);
    set(JAVA_CONST_POOL, 8);
    set(JAVA_CONST_NAME, 34);
    set(JAVA_CONST_CODE, 32);
    set(JAVA_CONST_BYTES, 48);
    set(JAVA_POOL_HOLDER, 24);
    set(JAVA_POOL_BYTES, 72);
    set(JAVA_CLASS_NAME, 24);
    set(JAVA_SOURCE, 54);
    set(JAVA_SYMBOL_LENGTH, 4);
    set(JAVA_SYMBOL_TEXT, 6);
    set(JAVA_FRAME_CODE, 64);

    make(bias_ + heaps_variable, {list});
    make(list, {1 | 4ULL << 32, list + 64});
    make(list + 64, {code_heap});
    make(code_heap, {0, 0, heap + heap_bytes, heap});
    make(code_heap + 136, {segments});
    make(code_heap + 256, {7});
    for (std::uint64_t at = 0; at < heap_bytes / 128; at += 8) put(segments + at, UINT64_MAX);
    make(bias_ + interpreter_variable, {queue});
    make(queue, {0, interpreter, interpreter_bytes << 32});
    nmethod_ = text("nmethod");
    stub_ = text("StubRoutines (1)");
    here_.stack_end = stack_top;
    pc_ = root_function + 8;
  }

  // Code of `frame_words`. `complete`: how far in it its frame is complete.
  struct Blob {
    std::uint64_t begin = 0;
    std::uint64_t frame_words = 0;
  };
  Blob blob(std::uint64_t name, std::uint64_t frame_words, const std::vector<std::uint8_t>& code,
            std::uint32_t complete, std::uint64_t method = 0) {
    const std::uint64_t at = next_blob_;
    constexpr std::uint64_t header = header_bytes;
    const std::uint64_t bytes = 16 + header + 256;
    next_blob_ += (bytes + 127) / 128 * 128;
    for (std::uint64_t i = 0; i < (next_blob_ - at) / 128; ++i) {
      put_byte(segments + (at - heap) / 128 + i, static_cast<std::uint8_t>(std::min<std::uint64_t>(i, 3)));
    }
    const std::uint64_t self = at + 16;
    const std::uint64_t begin = self + header;
    put(self + 16, std::uint64_t{complete} << 32);
    put(self + 24, frame_words << 32);
    put(self + 32, begin);
    put(self + 40, begin + 256);
    put(self + 96, name);
    put(self + 112, method);
    put(self + 304, ++compiled_);
    for (std::uint64_t i = 0; i < 256; i += 8) put(begin + i, 0xe8e8e8e8e8e8e8e8);
    for (std::size_t i = 0; i < code.size(); ++i) put_byte(begin + i, code[i]);
    return {.begin = begin, .frame_words = frame_words};
  }
  // `complete`: how far in the code its frame is complete; 0: at its end.
  Blob compiled(const std::string& name, const std::vector<std::uint8_t>& code, std::uint64_t frame_words = 4,
                std::size_t complete = 0) {
    return blob(nmethod_, frame_words, code, static_cast<std::uint32_t>(complete != 0 ? complete : code.size()),
                method("app/Of", name, 10));
  }
  [[nodiscard]] std::uint64_t bias() const { return bias_; }
  // Says of the blob that at `place` in its code these methods are at work, the innermost first.
  // Each runs at the index of a bytecode that is ten times its number, counted from 1.
  void inline_into(const Blob& of, std::uint32_t place, const std::vector<std::uint64_t>& methods) {
    constexpr std::uint32_t first_scope = 1;
    constexpr std::uint32_t scope_bytes = 16;
    constexpr std::uint64_t scopes = 64;  // behind the places
    const std::uint64_t self = of.begin - header_bytes;
    const std::uint64_t tables = heap_ += 0x400;
    const std::uint64_t others = heap_ += 0x400;
    make(tables, std::vector<std::uint64_t>(100));
    make(others, std::vector<std::uint64_t>(100));
    put(self + 320, 48ULL << 32);
    put(self + 328, scopes);
    put(self + 336, tables);
    put(self + 344, others);
    put(tables, UINT32_MAX);
    put(tables + 16, place | std::uint64_t{first_scope} << 32);
    put(tables + 32, INT32_MAX);
    const auto bias = static_cast<std::uint8_t>(here_.script.at[JAVA_SCOPES_BIAS]);
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const std::uint64_t at = tables + scopes + first_scope + i * scope_bytes;
      const bool is_last = i + 1 == methods.size();
      put_byte(at, static_cast<std::uint8_t>((is_last ? 0 : first_scope + (i + 1) * scope_bytes) + bias));
      put_byte(at + 1, static_cast<std::uint8_t>(i + 1 + bias));
      put_byte(at + 2, static_cast<std::uint8_t>(10 * (i + 1) + 1 + bias));
      put(others + 8 * i, methods[i]);
    }
  }
  [[nodiscard]] std::uint64_t method_of(const Blob& of) const { return word(of.begin - header_bytes + 112); }
  Blob stub() { return blob(stub_, 0, {0x55, 0x48, 0x8b, 0xec}, 0); }

  std::uint64_t symbol(const std::string& characters) {
    const std::uint64_t at = heap_ += 0x200;
    make(at, std::vector<std::uint64_t>(32));
    put(at, std::uint64_t{++hashes_} << 16 | std::uint64_t{characters.size()} << 32);
    for (std::size_t i = 0; i < characters.size(); ++i) put_byte(at + 6 + i, static_cast<std::uint8_t>(characters[i]));
    return at;
  }
  // `bytes`: of its instructions.
  std::uint64_t method(const std::string& of_class, const std::string& name, std::uint64_t bytes) {
    const std::uint64_t at = heap_ += 0x200;
    const std::uint64_t constants = heap_ += 0x200;
    const std::uint64_t pool = heap_ += 0x200;
    const std::uint64_t holder = heap_ += 0x200;
    make(at, {0, constants});
    make(constants, {0, pool, 0, 0, bytes | std::uint64_t{2} << 16, 0, 0});
    make(pool, {0, 0, 0, holder, 0, 0, std::uint64_t{3} << 48, 0, 0, 0, 0, symbol(name), symbol("Of.java")});
    make(holder, {0, 0, 0, symbol(of_class)});
    return at;
  }
  [[nodiscard]] std::uint64_t code_of(std::uint64_t method) const { return word(method + 8) + 48; }

  void call_engine() {
    push(pc_);
    sp_ -= 8;
    pc_ = engine + 8;
  }
  // Makes the blob the innermost frame, whose frame is complete.
  void call(const Blob& callee) {
    push(pc_);
    push(fp_);
    fp_ = 0x1234567;  // the compiler uses it for data
    sp_ -= 8 * (callee.frame_words - 2);
    pc_ = callee.begin + 0x80;
  }
  void call_stub(const Blob& callee) {
    push(pc_);
    push(fp_);
    fp_ = sp_;
    sp_ -= 64;
    pc_ = callee.begin + 0x80;
  }
  void call_interpreted(std::uint64_t method, std::uint64_t instruction) {
    const std::uint64_t caller_sp = sp_;
    push(pc_);
    push(fp_);
    fp_ = sp_;
    put(fp_ - 8, caller_sp);
    put(fp_ - 24, method);
    put(fp_ - 64, instruction);
    sp_ -= 96;
    pc_ = interpreter + 0x80;
  }
  // Makes the blob the innermost one, `at` bytes behind its beginning, when its stack pointer is `bytes` below the
  // return address.
  void enter(const Blob& callee, std::uint64_t at, std::uint64_t bytes, bool has_saved, bool has_fp_in_register) {
    push(pc_);
    if (has_saved) put(sp_ - 8, fp_);
    if (!has_fp_in_register) fp_ = 0x1234567;
    sp_ -= bytes;
    pc_ = callee.begin + at;
  }
  void put(std::uint64_t at, std::uint64_t word) { program_.put(at, word); }
  void put_byte(std::uint64_t at, std::uint8_t byte) {
    std::uint64_t word = 0;
    program_.make_readable(at & ~std::uint64_t{7}, (at & ~std::uint64_t{7}) + 8);
    program_.read(&word, 8, at & ~std::uint64_t{7});
    std::memcpy(reinterpret_cast<std::uint8_t*>(&word) + at % 8, &byte, 1);
    put(at & ~std::uint64_t{7}, word);
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t at) const {
    std::uint64_t word = 0;
    program_.read(&word, 8, at);
    return word;
  }

  bool has_lines = false;

  int walk_it() {
    begin();
    int end = walk_frames(0);
    if (here_.walk.script.is_code_late == 0 || here_.walk.code_layout == 0) return end;
    begin();
    return walk_frames(0);
  }

  // Of each frame, innermost first; 0: none.
  [[nodiscard]] std::vector<std::uint64_t> positions() const {
    std::vector<std::uint64_t> all;
    for (__u32 i = 0; i < here_.walk.depth; ++i) {
      const __u64 word = here_.walk.frames[i];
      all.push_back((word & SCRIPT_FRAME_MASK) == SCRIPT_FRAME ? word & SCRIPT_POSITION_MASK : 0);
    }
    return all;
  }
  [[nodiscard]] std::vector<std::string> walked() const {
    std::vector<std::string> words;
    for (__u32 i = 0; i < here_.walk.depth; ++i) {
      const __u64 word = here_.walk.frames[i];
      if ((word & SCRIPT_FRAME_MASK) == SCRIPT_FRAME) {
        const auto sent = here_.names.find(word);
        REQUIRE(sent != here_.names.end());
        const ring_name& name = sent->second;
        const std::string path(name.path_text, name.path.bytes);
        words.push_back((path.empty() ? "" : path + '.') + std::string(name.name_text, name.name.bytes));
      } else {
        const bool is_root = word < engine;
        const bool is_engine = !is_root && word < heap;
        words.emplace_back(is_root ? "root" : is_engine ? "engine" : "code");
      }
    }
    return words;
  }

 private:
  static constexpr std::uint64_t header_bytes = 352;
  static constexpr std::uint64_t stack_top = 0x7ffe00000000;
  static constexpr std::uint64_t heaps_variable = 0x9000;
  static constexpr std::uint64_t interpreter_variable = 0x9100;
  static constexpr std::uint64_t list = 0x900000;
  static constexpr std::uint64_t code_heap = 0x901000;
  static constexpr std::uint64_t segments = 0x902000;
  static constexpr std::uint64_t queue = 0x903000;

  void begin() {
    walk& walk = here_.walk;
    walk.pc = pc_;
    walk.sp = sp_;
    walk.fp = fp_;
    walk.extra = walk.fp_at = walk.extra_at = 0;
    walk.lost = walk.guessed = walk.depth = walk.stuck.depth = 0;
    walk.was_interrupted = 1;
    walk.start_stack = stack_top;
    walk.stack_end = walk.window_bytes = 0;
    begin_hash(&walk);
    begin_scripts(&walk);
    enter_space(&walk);
    walk_config.mode = WALK_AUTO;
    walk_config.depth = WALK_MOST_FRAMES;
    walk_config.languages = 1U << SCRIPT_JAVA;
    walk_config.lines = has_lines ? 1 : 0;
  }
  void push(std::uint64_t word) { put(sp_ -= 8, word); }
  void make(std::uint64_t at, const std::vector<std::uint64_t>& words) {
    program_.make_readable(at, at + 8 * words.size() + 64);
    for (std::size_t i = 0; i < words.size(); ++i) put(at + 8 * i, words[i]);
  }
  std::uint64_t text(const std::string& characters) {
    const std::uint64_t at = heap_ += 0x200;
    make(at, std::vector<std::uint64_t>(16));
    for (std::size_t i = 0; i < characters.size(); ++i) put_byte(at + i, static_cast<std::uint8_t>(characters[i]));
    return at;
  }

  WalkHost& here_;
  WalkedProgram& program_;
  std::uint64_t bias_ = 0;
  std::uint64_t nmethod_ = 0;
  std::uint64_t stub_ = 0;
  std::uint64_t heap_ = 0x1000000;
  std::uint64_t next_blob_ = heap;
  std::uint32_t compiled_ = 0;
  std::uint32_t hashes_ = 0;
  std::uint64_t pc_ = 0;
  std::uint64_t sp_ = stack_top - 256;
  std::uint64_t fp_ = 0;
};

using Words = std::vector<std::string>;
using Positions = std::vector<std::uint64_t>;
using Code = std::vector<std::uint8_t>;

// mov [rsp - n], eax; push rbp; sub rsp, 16
const Code pushes{0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff, 0x55, 0x48, 0x83, 0xec, 0x10};
// nop; nop; nop; nop; sub rsp, 24; mov [rsp + 16], rbp
const Code stores{0x90, 0x90, 0x90, 0x90, 0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x6c, 0x24, 0x10};
// push rbp; mov rbp, rsp; sub rsp, 16
const Code links{0x90, 0x55, 0x48, 0x8b, 0xec, 0x48, 0x83, 0xec, 0x10};

// As `pushes`, then pop rbp; cmp rsp, [r15 + 832]; ja n; ret
const Code pops{0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff, 0x55, 0x48, 0x83, 0xec, 0x10, 0x5d, 0x49,
                0x3b, 0xa7, 0x40, 0x03, 0x00, 0x00, 0x0f, 0x87, 0x01, 0x00, 0x00, 0x00, 0xc3};

}  // namespace

TEST_CASE("frames of Java are left by what the engine says of them") {
  WalkHost here;
  host = &here;
  MadeJava java(here);
  const std::uint64_t main = java.method("app/Main", "main", 30);
  java.call_engine();
  java.call_stub(java.stub());
  java.call_interpreted(main, java.code_of(main) + 29);
  java.call(java.compiled("fast", pushes));
  java.call(java.compiled("other", stores, 7));
  java.call_interpreted(java.method("app/Main", "nat", 0), 0);
  java.call_engine();
  CHECK(java.walk_it() == WALK_ROOT);
  const Words all{"engine",        "app/Main.nat",     "app/Of.other", "app/Of.fast",
                  "app/Main.main", "StubRoutines (1)", "engine",       "root"};
  CHECK(java.walked() == all);
  CHECK(here.walk.script.missing == SCRIPT_WHOLE);
  CHECK(here.walk.script.met == SCRIPT_JAVA);
  CHECK(here.walk.guessed == 0);
  // What is known already costs fewer reads.
  here.reads = 0;
  java.walk_it();
  CHECK(java.walked() == all);
  CHECK(here.reads < 60);
}

TEST_CASE("methods that the compiler has put into another one are frames of their own") {
  for (const std::uint32_t bias : {0U, 1U}) {
    CAPTURE(bias);
    WalkHost here;
    host = &here;
    MadeJava java(here);
    here.engine_bias = java.bias();
    here.script.at[JAVA_SCOPES_BIAS] = bias;
    const std::uint64_t main = java.method("app/Main", "main", 30);
    java.call_engine();
    java.call_stub(java.stub());
    java.call_interpreted(main, java.code_of(main));
    const MadeJava::Blob outer = java.compiled("outer", pushes);
    const std::uint64_t in = java.method("app/In", "in", 10);
    const std::uint64_t deeper = java.method("app/In", "deeper", 10);
    java.inline_into(outer, 0x80, {deeper, in, java.method_of(outer)});
    java.call(outer);
    java.call(java.compiled("leaf", pushes));
    const Words all{"app/Of.leaf",   "app/In.deeper",    "app/In.in", "app/Of.outer",
                    "app/Main.main", "StubRoutines (1)", "engine",    "root"};
    CHECK(java.walk_it() == WALK_ROOT);
    CHECK(java.walked() == all);
    here.reads = 0;
    CHECK(java.walk_it() == WALK_ROOT);
    CHECK(java.walked() == all);
    CHECK(here.reads < 40);
    // What does not lead to the method that was compiled is not read as it is meant.
    here.java_places = {};
    java.inline_into(outer, 0x80, {deeper, in, main});
    CHECK(java.walk_it() == WALK_ROOT);
    CHECK(java.walked() == Words{"app/Of.leaf", "app/Of.outer", "app/Main.main", "StubRoutines (1)", "engine", "root"});
    // A call has a place of its own.
    here.java_places = {};
    java.inline_into(outer, 0x90, {deeper, in, java.method_of(outer)});
    CHECK(java.walk_it() == WALK_ROOT);
    CHECK(java.walked().size() == 6);
  }
}

TEST_CASE("a loop says which methods are at work in it, where the places around do not agree") {
  struct Case {
    std::string what;
    std::vector<std::uint8_t> end;  // of the loop: what lies at its place
    std::uint64_t at;               // where the program was interrupted
    bool is_in_loop;
  };
  constexpr std::uint64_t place = 0x80;
  // test [r10], eax; cmp r11d, r8d; jl place - 0x20
  const std::vector<std::uint8_t> far{0x41, 0x85, 0x02, 0x45, 0x3b, 0xd8, 0x0f, 0x8c, 0xd4, 0xff, 0xff, 0xff};
  const Case cases[] = {
      {"in the loop", far, 0x60, true},
      {"at its last instruction", far, 0x7c, true},
      {"before the loop", far, 0x5f, false},
      // test eax, [rip + n]; add ecx, 16; cmp ecx, ebx; jge on; jmp place - 0x10
      {"with other instructions",
       {0x85, 0x05, 1, 2, 3, 4, 0x83, 0xc1, 0x10, 0x3b, 0xcb, 0x7d, 0x10, 0xeb, 0xe1},
       0x70,
       true},
      // test [r11], eax; cmp ebx, 0x4e11; jge on; mov r10d, ebx; mov r11d, 0x4e11; sub r11d, r10d; cmp r11d, 0x3e80;
      // cmova r11d, r8d; add r11d, r10d; jmp place - 0x40
      {"of loops, of which the inner one does not ask",
       {0x41, 0x85, 0x03, 0x81, 0xfb, 0x11, 0x4e, 0x00, 0x00, 0x7d, 0x1f, 0x44, 0x8b, 0xd3,
        0x41, 0xbb, 0x11, 0x4e, 0x00, 0x00, 0x45, 0x2b, 0xda, 0x41, 0x81, 0xfb, 0x80, 0x3e,
        0x00, 0x00, 0x45, 0x0f, 0x47, 0xd8, 0x45, 0x03, 0xda, 0xe9, 0x96, 0xff, 0xff, 0xff},
       0x60,
       true},
      {"whose place is none of the loop's end", {0x45, 0x3b, 0xd8, 0x0f, 0x8c, 0xd7, 0xff, 0xff, 0xff}, 0x60, false},
      {"that goes on", {0x41, 0x85, 0x02, 0x0f, 0x8c, 0x20, 0x00, 0x00, 0x00, 0xc3}, 0x60, false},
      {"with an instruction that is not known", {0x41, 0x85, 0x02, 0xc5, 0xf8, 0x77, 0x7c, 0xe0}, 0x60, false},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    WalkHost here;
    host = &here;
    MadeJava java(here);
    here.engine_bias = java.bias();
    const std::uint64_t main = java.method("app/Main", "main", 30);
    java.call_engine();
    java.call_stub(java.stub());
    java.call_interpreted(main, java.code_of(main));
    Code code = pushes;
    code.resize(place, 0x90);
    code.insert(code.end(), one.end.begin(), one.end.end());
    const MadeJava::Blob outer = java.compiled("outer", code, 4, pushes.size());
    java.inline_into(outer, place, {java.method("app/In", "in", 40), java.method_of(outer)});
    java.enter(outer, one.at, 24, true, false);
    CHECK(java.walk_it() == WALK_ROOT);
    Words words{"app/Of.outer", "app/Main.main", "StubRoutines (1)", "engine", "root"};
    if (one.is_in_loop) words.insert(words.begin(), "app/In.in");
    CHECK(java.walked() == words);
  }
}

TEST_CASE("with lines, a frame of Java has the index of the bytecode that runs, where that is known") {
  WalkHost here;
  host = &here;
  MadeJava java(here);
  here.engine_bias = java.bias();
  java.has_lines = true;
  const std::uint64_t main = java.method("app/Main", "main", 30);
  java.call_engine();
  java.call_stub(java.stub());
  java.call_interpreted(main, java.code_of(main) + 7);
  const MadeJava::Blob outer = java.compiled("outer", pushes);
  java.inline_into(outer, 0x80, {java.method("app/In", "in", 40), java.method_of(outer)});
  java.call(outer);
  // Its own place is an old one: it has called the engine.
  const std::uint64_t nat = java.method("app/Main", "nat", 30);
  java.call_interpreted(nat, java.code_of(nat) + 3);
  java.call_engine();
  CHECK(java.walk_it() == WALK_ROOT);
  //                                   engine, nat, in, outer, main, stub, engine, root
  CHECK(java.positions() == Positions{0, 0, 11, 21, 8, 0, 0, 0});
}

TEST_CASE("the innermost frame of Java may be half made") {
  struct Case {
    std::string what;
    const Code* code;
    std::uint64_t at;
    std::uint64_t bytes;  // that the stack pointer is below the return address
    bool has_saved;
    bool has_fp_in_register;
  };
  const Case cases[] = {
      {"before all", &pushes, 0, 0, false, true},
      {"before the push", &pushes, 7, 0, false, true},
      {"pushed", &pushes, 8, 8, true, true},
      {"complete", &pushes, 12, 24, true, false},
      {"before the room", &stores, 4, 0, false, true},
      {"room without the pointer", &stores, 8, 24, false, true},
      {"complete with the pointer", &stores, 13, 24, true, false},
      {"before the link", &links, 1, 0, false, true},
      {"pushed before the link", &links, 2, 8, true, true},
      {"linked", &links, 5, 8, true, false},
      {"linked and complete", &links, 9, 24, true, false},
      {"about to pop", &pops, 12, 8, true, false},
      {"popped, and asks the thread", &pops, 13, 0, false, true},
      {"asked", &pops, 20, 0, false, true},
      {"about to return", &pops, 26, 0, false, true},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    WalkHost here;
    host = &here;
    MadeJava java(here);
    here.engine_bias = java.bias();
    const std::uint64_t main = java.method("app/Main", "main", 30);
    java.call_engine();
    java.call_stub(java.stub());
    java.call_interpreted(main, java.code_of(main));
    java.enter(java.compiled("leaf", *one.code, 4, one.code == &pops ? pushes.size() : one.code->size()), one.at,
               one.bytes, one.has_saved, one.has_fp_in_register);
    CHECK(java.walk_it() == WALK_ROOT);
    CHECK(java.walked() == Words{"app/Of.leaf", "app/Main.main", "StubRoutines (1)", "engine", "root"});
  }
}

TEST_CASE("what does not look like Java's ends the stack and is counted") {
  const auto walked_from = [](std::uint64_t instruction, std::uint32_t complete, const Code& code) {
    static WalkHost here;
    here = {};
    host = &here;
    MadeJava java(here);
    here.engine_bias = java.bias();
    const std::uint64_t main = java.method("app/Main", "main", 30);
    java.call_engine();
    java.call_stub(java.stub());
    java.call_interpreted(main, java.code_of(main) + instruction);
    java.enter(java.compiled("leaf", code, 4, complete), 12, 24, true, false);
    const int end = java.walk_it();
    CHECK((end == WALK_ROOT) == (here.walk.script.missing == SCRIPT_WHOLE));
    return java.walked();
  };
  const auto bytes = static_cast<std::uint32_t>(pushes.size());
  CHECK(walked_from(0, bytes, pushes).size() == 5);
  // No instruction of the method.
  CHECK(walked_from(30, bytes, pushes) == Words{"app/Of.leaf", "code"});
  // The frame is not complete, and nothing says where it begins.
  CHECK(walked_from(0, 40, Code(40, 0x90)) == Words{"app/Of.leaf"});
}
