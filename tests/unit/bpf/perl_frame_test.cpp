// Walks through the frames of Perl's scripts in made memory: the BPF program's own text.
#define WALK_OF_X86_64
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "walk_host.h"

namespace {

using profile::WalkedProgram;

// Of a word, in bytes.
constexpr std::uint64_t offset_of(std::uint64_t word) { return 8 * word; }

// A thread whose functions of C and of the script call each other.
class MadeThread {
 public:
  static constexpr std::uint64_t root_function = 0x400000;
  static constexpr std::uint64_t c_function = 0x410000;
  static constexpr std::uint64_t interpreter = 0x420000;
  static constexpr std::uint64_t catcher = 0x430000;

  explicit MadeThread(WalkHost& here, bool name_is_own = true) : here_(here), program_(here.program) {
    program_.add(root_function, program_.add_root());
    program_.add(c_function, UNWIND_SHORT | 2 << UNWIND_SHORT_CFA_SHIFT);
    program_.add(interpreter, UNWIND_SHORT | 4 << UNWIND_SHORT_CFA_SHIFT | UNWIND_X86_64_INTERPRETER);
    program_.add(catcher, UNWIND_SHORT | std::uint32_t{catcher_bytes / 8} << UNWIND_SHORT_CFA_SHIFT);
    const auto place = program_.place_of(interpreter);
    const std::uint64_t bias = interpreter - place.offset;
    script_layout& layout = here_.script;
    layout.language = SCRIPT_PERL;
    layout.head = SCRIPT_HEAD_BY_KEY;
    layout.start = static_cast<__u32>(place.offset);
    layout.head_at = static_cast<__s64>(key_at - bias);
    layout.at[PERL_STACK] = stack_in_interpreter;
    layout.at[PERL_SCRIPT_NAME] = name_in_interpreter;
    layout.at[PERL_NAME_IS_OWN] = name_is_own ? 1 : 0;
    layout.at[PERL_CATCH] = static_cast<__u32>(catcher - bias);
    layout.at[PERL_CATCH_BYTES] = WalkedProgram::page_bytes;
    program_.make_readable(stack_top - 0x10000, stack_top);
    here_.stack_end = stack_top;
    here_.thread_base = thread;
    make(key_at, {3});
    make(thread + GLIBC_VALUES_AT + offset_of(6), {1, perl});
    make(perl + stack_in_interpreter - 8, {0, 0, 0});
    make(perl + PERL_OPERATION, {0});
    here_.script.lines = SCRIPT_LINES_DIRECT;
    make(perl + name_in_interpreter, {c_text("job.pl")});
    name_is_own_ = name_is_own;
    package_ = package_of("main");
    push_stack(PERL_KIND_MAIN);
    pc_ = root_function + 8;
  }

  // Calls of C functions.
  void call_c() { call(c_function + 8, 16); }
  void call_catcher() { call(catcher + 8, catcher_bytes); }
  void call_interpreter() { call(interpreter + 8, 32); }

  void push_stack(std::uint64_t kind) {
    const std::uint64_t info = heap_ += 0x200;
    contexts_ = heap_ += 0x200;
    heap_ += 0x1000;
    program_.make_readable(contexts_, contexts_ + 0x1000);
    const std::uint64_t array = heap_ += 0x200;
    make(info, {array, contexts_, info_, 0, ~std::uint64_t{0}, 0xffffffff | kind << 32});
    info_ = info;
    index_ = -1;
    put(perl + stack_in_interpreter, array);
    put(perl + stack_in_interpreter + 8, info);
  }
  // Pushes a call of a function. `from_c`: it returns to no operation.
  void push(const std::string& name, bool from_c = false, std::uint64_t type = PERL_TYPE_CALL) {
    const std::uint64_t context = push_context(type, from_c);
    function_ = function_of(name);
    put(context + offset_of(PERL_CONTEXT_FUNCTION), function_);
    put(context + offset_of(PERL_CONTEXT_TIMES), 0);
  }
  // The function that was pushed last calls itself.
  void push_again() {
    const std::uint64_t context = push_context(PERL_TYPE_CALL, false);
    put(context + offset_of(PERL_CONTEXT_FUNCTION), function_);
    put(context + offset_of(PERL_CONTEXT_TIMES), 0);
  }
  void push_eval(std::uint64_t catcher_at, bool from_c = false) {
    put(push_context(PERL_TYPE_EVAL, from_c) + offset_of(PERL_CONTEXT_CATCH), catcher_at);
  }
  // Where the catcher's frame that was called last keeps what exceptions jump to.
  [[nodiscard]] std::uint64_t catcher_at() const { return catcher_at_; }
  void put(std::uint64_t at, std::uint64_t word) { program_.put(at, word); }
  bool has_lines = false;
  std::uint64_t statement(std::uint64_t line, const std::string& file = "job.pl") {
    const std::uint64_t at = heap_ += 0x200;
    make(at + PERL_STATEMENT_AT, {line << 32, 0, c_text(file)});
    return at;
  }
  // The current statement, and the one at which the call or eval that was pushed last was made.
  void set_statement(std::uint64_t at) { put(perl + stack_in_interpreter - 8, at); }
  void made_at(std::uint64_t at) { put(context() + offset_of(PERL_CONTEXT_STATEMENT), at); }
  // The operation that runs, with the one behind it.
  void set_operation(std::uint64_t next) {
    const std::uint64_t at = heap_ += 0x200;
    make(at, {next});
    put(perl + PERL_OPERATION, at);
  }
  // The lines of the functions, innermost first; 0: not known.
  [[nodiscard]] std::vector<std::uint64_t> lines() const {
    std::vector<std::uint64_t> found;
    for (__u32 i = 0; i < here_.walk.depth; ++i) {
      const __u64 word = here_.walk.frames[i];
      if ((word & SCRIPT_FRAME_MASK) == SCRIPT_FRAME) found.push_back(word & SCRIPT_POSITION_MASK);
    }
    return found;
  }
  [[nodiscard]] std::uint64_t context() const {
    return contexts_ + static_cast<std::uint64_t>(index_) * PERL_CONTEXT_BYTES;
  }

  // As walk_to_end() of bpf/walk.bpf.h.
  int walk_it() {
    int end = begin_and_walk(SHIFT_NONE);
    if (do_scripts_fit(&here_.walk, end)) return end;
    const auto shift = shift_of(&here_.walk, end);
    if (shift != SHIFT_NONE) end = begin_and_walk(shift);
    fits_ = do_scripts_fit(&here_.walk, end);
    return end;
  }
  [[nodiscard]] bool fits() const { return fits_; }

  [[nodiscard]] std::vector<std::string> walked() const {
    std::vector<std::string> words;
    for (__u32 i = 0; i < here_.walk.depth; ++i) {
      const __u64 word = here_.walk.frames[i];
      if ((word & SCRIPT_FRAME_MASK) == SCRIPT_FRAME) {
        const auto sent = here_.names.find(has_lines ? word & ~SCRIPT_POSITION_MASK : word);
        REQUIRE(sent != here_.names.end());
        const ring_name& name = sent->second;
        CHECK(std::string(name.path_text, name.path.bytes) == "job.pl");
        if (name.name.bytes != 0) CHECK(std::string(name.owner_text, name.owner.bytes) == "main");
        words.emplace_back(name.name_text, name.name.bytes);
      } else {
        const __u64 function = word & ~(WalkedProgram::page_bytes - 1);
        words.emplace_back(function == interpreter  ? "runops"
                           : function == catcher    ? "catcher"
                           : function == c_function ? "c"
                                                    : "root");
      }
    }
    return words;
  }

 private:
  std::uint64_t function_ = 0;
  static constexpr std::uint64_t stack_top = 0x7ffe00000000;
  static constexpr std::uint64_t thread = 0x10000;
  static constexpr std::uint64_t perl = 0x20000;
  static constexpr std::uint64_t key_at = 0x600000;
  static constexpr std::uint64_t stack_in_interpreter = 0xd8;
  static constexpr std::uint64_t name_in_interpreter = 0x5c0;
  static constexpr unsigned catcher_bytes = 272;

  int begin_and_walk(unsigned shift) {
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
    walk.script.shift = shift;
    enter_space(&walk);
    walk_config.mode = WALK_AUTO;
    walk_config.depth = WALK_MOST_FRAMES;
    walk_config.languages = 1U << SCRIPT_PERL;
    walk_config.lines = has_lines ? 1 : 0;
    return walk_frames(0);
  }

  void make(std::uint64_t at, const std::vector<std::uint64_t>& words) {
    program_.make_readable(at, at + 8 * words.size());
    for (std::size_t i = 0; i < words.size(); ++i) put(at + 8 * i, words[i]);
  }
  void make_text(std::uint64_t at, const std::string& text) {
    program_.make_readable(at, at + text.size() + 8);
    for (std::size_t from = 0; from < text.size(); from += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + from, std::min<std::size_t>(8, text.size() - from));
      put(at + from, word);
    }
  }
  std::uint64_t c_text(const std::string& text) {
    const std::uint64_t at = heap_ += 0x200;
    make_text(at, text + '\0');
    return at;
  }
  std::uint64_t name_of(const std::string& name) {
    const std::uint64_t at = heap_ += 0x200;
    make(at, {std::uint64_t{0x1234} | name.size() << 32});
    make_text(at + PERL_NAME_AT, name + '\0' + '\0');
    return at;
  }
  std::uint64_t package_of(const std::string& name) {
    const std::uint64_t package = heap_ += 0x200;
    const std::uint64_t body = heap_ += 0x200;
    const std::uint64_t buckets = heap_ += 0x200;
    make(package, {body, 0, buckets});
    make(body, std::vector<std::uint64_t>(10));
    make(buckets, std::vector<std::uint64_t>(16));
    put(body + PERL_HASH_LAST, 7);
    const std::uint64_t at = name_is_own_ ? body + PERL_HASH_NAME : buckets + offset_of(8);
    put(at, name_of(name));
    return package;
  }
  std::uint64_t function_of(const std::string& name) {
    const std::uint64_t function = heap_ += 0x200;
    const std::uint64_t body = heap_ += 0x200;
    const std::uint64_t start = heap_ += 0x200;
    make(function, {body});
    make(start, std::vector<std::uint64_t>(8));
    const bool has_own_name = name.size() % 2 == 0;
    std::uint64_t bound = name_of(name);
    if (!has_own_name) {
      const std::uint64_t glob = heap_ += 0x200;
      const std::uint64_t glob_body = heap_ += 0x200;
      make(glob, {glob_body});
      make(glob_body + PERL_GLOB_NAME, {bound, package_});
      bound = glob;
    }
    make(body + PERL_BODY_AT,
         {package_, start, 0, bound, c_text("job.pl"), 0, 0, (has_own_name ? PERL_HAS_OWN_NAME : 0) << 32, 1});
    return function;
  }
  std::uint64_t push_context(std::uint64_t type, bool from_c) {
    ++index_;
    const std::uint64_t at = context();
    put(at, type);
    put(at + offset_of(PERL_CONTEXT_RETURN), from_c ? 0 : 0x1230);
    put(at + offset_of(PERL_CONTEXT_OUTER), static_cast<std::uint32_t>(index_ - 1));
    std::uint64_t innermost_and_kind = 0;
    program_.read(&innermost_and_kind, sizeof innermost_and_kind, info_ + 40);
    put(info_ + 32, static_cast<std::uint32_t>(index_));
    put(info_ + 40, static_cast<std::uint32_t>(index_) | innermost_and_kind >> 32 << 32);
    return at;
  }
  void call(std::uint64_t function, std::uint64_t bytes) {
    sp_ -= bytes;
    put(sp_ + bytes - 8, pc_);
    pc_ = function;
    if (bytes == catcher_bytes) catcher_at_ = sp_ + 16;
  }

  WalkHost& here_;
  WalkedProgram& program_;
  bool name_is_own_ = true;
  bool fits_ = true;
  std::uint64_t package_ = 0;
  std::uint64_t heap_ = 0x1000000;
  std::uint64_t info_ = 0;
  std::uint64_t contexts_ = 0;
  std::int64_t index_ = -1;
  std::uint64_t catcher_at_ = 0;
  std::uint64_t pc_ = 0;
  std::uint64_t sp_ = stack_top - 256;
};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("functions of Perl stand where the interpreter runs them, and the script outside of functions is the last") {
  for (const bool name_is_own : {true, false}) {
    WalkHost here;
    host = &here;
    MadeThread thread(here, name_is_own);
    thread.call_interpreter();
    thread.push("outer");
    thread.push("sort_by");
    thread.call_c();
    thread.push_stack(2);
    thread.push("compared", true);
    thread.call_interpreter();
    thread.push("leaf");
    CHECK(thread.walk_it() == WALK_ROOT);
    CHECK(thread.walked() == Words{"leaf", "compared", "c", "sort_by", "outer", "", "root"});
    CHECK(thread.fits());
    CHECK(here.walk.script.missing == SCRIPT_WHOLE);
    thread.walk_it();
    CHECK(thread.walked().size() == 7);
  }
}

TEST_CASE("an eval ends the run of the interpreter that it has made, and no other one") {
  WalkHost here;
  host = &here;
  MadeThread thread(here);
  thread.call_interpreter();
  thread.push("outer");
  thread.call_c();
  thread.push("from_c", true);
  thread.call_interpreter();
  thread.push_eval(0x1230);
  thread.push("with_eval");
  thread.call_catcher();
  const std::uint64_t catcher_at = thread.catcher_at();
  thread.push_eval(catcher_at);
  thread.call_interpreter();
  thread.push("inside");
  thread.push_eval(catcher_at);
  thread.push("leaf");
  thread.walk_it();
  CHECK(thread.walked() == Words{"leaf", "inside", "catcher", "with_eval", "from_c", "c", "outer", "", "root"});
  CHECK(thread.fits());
}

TEST_CASE("behind an eval that is over, its frame of the interpreter goes on with the rest") {
  WalkHost here;
  host = &here;
  MadeThread thread(here);
  thread.call_interpreter();
  thread.push("outer");
  thread.call_c();
  thread.push("from_c", true);
  thread.call_interpreter();
  thread.push("had_eval");
  thread.call_catcher();
  thread.call_interpreter();
  thread.walk_it();
  CHECK(thread.walked() == Words{"had_eval", "from_c", "catcher", "c", "outer", "", "root"});
  CHECK(thread.fits());
}

TEST_CASE("C code that makes an eval around its call") {
  WalkHost here;
  host = &here;
  MadeThread thread(here);
  thread.call_interpreter();
  thread.push("outer");
  thread.call_c();
  thread.push_stack(6);
  thread.push_eval(0x1230, true);
  thread.push("DESTROY", true);
  thread.call_interpreter();
  thread.walk_it();
  CHECK(thread.walked() == Words{"DESTROY", "c", "outer", "", "root"});
  CHECK(thread.fits());
}

TEST_CASE("the code of a regular expression belongs to its function, also if a call ends it") {
  WalkHost here;
  host = &here;
  MadeThread thread(here);
  thread.call_interpreter();
  thread.push("matching");
  thread.call_c();
  thread.push_stack(10);
  thread.push("matching", true, PERL_TYPE_CALL | PERL_IS_PATTERN | PERL_IN_PATTERN);
  thread.push("last", true);
  thread.call_interpreter();
  thread.walk_it();
  CHECK(thread.walked() == Words{"last", "c", "matching", "", "root"});
  CHECK(thread.fits());
}

TEST_CASE("a call that C code prepares, and one that the interpreter still looks for") {
  WalkHost here;
  host = &here;
  MadeThread thread(here);
  thread.call_interpreter();
  thread.push("sort_by");
  thread.call_c();
  thread.push_stack(2);
  thread.push("compared", true);
  thread.walk_it();
  CHECK(thread.walked() == Words{"c", "sort_by", "", "root"});
  CHECK(thread.fits());
  thread.call_interpreter();
  thread.call_c();
  thread.push_stack(3);
  thread.call_interpreter();
  thread.walk_it();
  CHECK(thread.walked() == Words{"c", "compared", "c", "sort_by", "", "root"});
  CHECK(thread.fits());
  // The same without a stack of its own.
  WalkHost other;
  host = &other;
  MadeThread second(other);
  second.call_interpreter();
  second.push("outer");
  second.call_c();
  second.call_interpreter();
  second.walk_it();
  CHECK(second.walked() == Words{"c", "outer", "", "root"});
  CHECK(second.fits());
}

TEST_CASE("the innermost call counts only when it is whole") {
  WalkHost here;
  host = &here;
  MadeThread thread(here);
  thread.call_interpreter();
  thread.push("outer");
  thread.push("inner");
  // Its place has an earlier call still, which has run less often, or none any more.
  thread.put(thread.context() + offset_of(PERL_CONTEXT_TIMES), 4);
  thread.walk_it();
  CHECK(thread.walked() == Words{"outer", "", "root"});
  thread.put(thread.context() + offset_of(PERL_CONTEXT_FUNCTION), 0);
  thread.walk_it();
  CHECK(thread.walked() == Words{"outer", "", "root"});
  CHECK(thread.fits());
}

TEST_CASE("what is no context leaves the interpreter's own frame") {
  for (const std::uint64_t bad : {std::uint64_t{3}, std::uint64_t{0x900000000}}) {
    WalkHost here;
    host = &here;
    MadeThread thread(here);
    thread.call_interpreter();
    thread.push("outer");
    thread.push("inner");
    thread.put(thread.context() + offset_of(PERL_CONTEXT_FUNCTION), bad);
    thread.walk_it();
    CHECK(thread.walked() == Words{"runops", "root"});
    CHECK(here.walk.script.missing == SCRIPT_NOT_READABLE);
    // A context that names itself, or an inner one, as the outer one.
    thread.put(thread.context() + offset_of(PERL_CONTEXT_OUTER), 1);
    thread.walk_it();
    CHECK(thread.walked() == Words{"runops", "root"});
  }
}

using Lines = std::vector<std::uint64_t>;

TEST_CASE("with lines, each call says at which statement its caller is") {
  WalkHost here;
  host = &here;
  MadeThread thread(here);
  thread.has_lines = true;
  thread.call_interpreter();
  thread.push("outer");
  thread.made_at(thread.statement(10));
  thread.push("leaf");
  const std::uint64_t of_outer = thread.statement(20);
  thread.made_at(of_outer);
  thread.set_operation(0x7770);
  thread.set_statement(thread.statement(30));
  thread.walk_it();
  CHECK(thread.walked() == Words{"leaf", "outer", "", "root"});
  CHECK(thread.lines() == Lines{30, 20, 10});
  SUBCASE("a call that is still at its caller's statement has begun none of its own") {
    thread.set_statement(of_outer);
    thread.walk_it();
    CHECK(thread.lines() == Lines{0, 20, 10});
  }
  SUBCASE("a function that calls itself may be at the same statement in both calls") {
    const std::uint64_t of_leaf = thread.statement(31);
    thread.push_again();
    thread.made_at(of_leaf);
    thread.set_statement(of_leaf);
    thread.walk_it();
    CHECK(thread.walked() == Words{"leaf", "leaf", "outer", "", "root"});
    CHECK(thread.lines() == Lines{31, 31, 20, 10});
    thread.set_operation(0x1230);  // where it returns to
    thread.walk_it();
    CHECK(thread.lines() == Lines{0, 31, 20, 10});
  }
  SUBCASE("an eval of a block is at its function's statement, an eval of a text is not") {
    thread.push_eval(0x1230);
    thread.made_at(thread.statement(29));
    thread.put(thread.context(), PERL_TYPE_EVAL | 0x40);
    thread.walk_it();
    CHECK(thread.lines() == Lines{30, 20, 10});
    thread.put(thread.context(), PERL_TYPE_EVAL | 0x20);
    thread.walk_it();
    CHECK(thread.lines() == Lines{29, 20, 10});
  }
  SUBCASE("a statement of another file is none of the function") {
    thread.set_statement(thread.statement(30, "(eval 3)"));
    thread.walk_it();
    CHECK(thread.lines() == Lines{0, 20, 10});
  }
  SUBCASE("a call that is half made says nothing of its caller") {
    thread.put(thread.context() + offset_of(PERL_CONTEXT_TIMES), 4);
    thread.walk_it();
    CHECK(thread.lines() == Lines{0, 10});
    thread.set_statement(of_outer);
    thread.walk_it();
    CHECK(thread.lines() == Lines{20, 10});
  }
  SUBCASE("what cannot be read has no line") {
    thread.set_statement(0x900000000);
    thread.walk_it();
    CHECK(thread.lines() == Lines{0, 20, 10});
  }
}

TEST_CASE("a function that C code calls again and again is at no statement in between") {
  WalkHost here;
  host = &here;
  MadeThread thread(here);
  thread.has_lines = true;
  thread.call_interpreter();
  thread.push("outer");
  thread.made_at(thread.statement(10));
  thread.call_c();
  thread.push_stack(2);
  thread.push("compared", true);
  const std::uint64_t of_outer = thread.statement(20);
  thread.made_at(of_outer);
  thread.set_statement(of_outer);
  thread.call_interpreter();
  thread.walk_it();
  CHECK(thread.walked() == Words{"compared", "c", "outer", "", "root"});
  CHECK(thread.lines() == Lines{0, 20, 10});
}
