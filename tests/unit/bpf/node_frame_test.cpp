// Names the frames of V8 in made memory: the BPF program's own text.
#define WALK_OF_X86_64
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "walk_host.h"

namespace {

using profile::WalkedProgram;

// A thread of Node.js. Its frames have frame pointers, and its code no tables.
class MadeNode {
 public:
  static constexpr std::uint64_t root_function = 0x400000;
  static constexpr std::uint64_t engine = 0x420000;  // in the file, with a table
  static constexpr std::uint64_t code = 0x700000;    // without a file
  static constexpr std::uint64_t function_type = 2066;
  static constexpr std::uint64_t shared_type = 262;
  static constexpr std::uint64_t scope_type = 261;
  static constexpr std::uint64_t script_type = 167;
  static constexpr std::uint64_t text_type = 8;

  explicit MadeNode(WalkHost& here) : here_(here), program_(here.program) {
    program_.add(root_function, program_.add_root());
    program_.add(engine, UNWIND_SHORT | 2 << UNWIND_SHORT_CFA_SHIFT);
    program_.add(code, WalkedProgram::Kind::plain);
    script_layout& layout = here_.script;
    layout.language = SCRIPT_NODE;
    layout.head = SCRIPT_HEAD_BESIDE_FP;
    layout.at[NODE_FUNCTION_TYPE] = function_type;
    layout.at[NODE_FUNCTION_TYPES] = 16;
    layout.at[NODE_FUNCTION_SHARED] = 24;
    layout.at[NODE_SHARED_TYPE] = shared_type;
    layout.at[NODE_SHARED_NAME] = 16;
    layout.at[NODE_SHARED_SCRIPT] = 32;
    layout.at[NODE_SHARED_NUMBER] = 52;
    layout.at[NODE_SCOPE_TYPE] = scope_type;
    layout.at[NODE_SCRIPT_TYPE] = script_type;
    layout.at[NODE_SCRIPT_NUMBER] = 64;
    layout.at[NODE_PATTERN_MARK] = 54;
    program_.make_readable(stack_top - 0x10000, stack_top);
    program_.make_readable(code, code + 0x1000);
    // Each return address stands behind a call.
    for (std::uint64_t at = code; at < code + 0x100; at += 8) put(at, 0xe8e8e8e8e8e8e8e8);
    here_.stack_end = stack_top;
    script_ = script_of("/srv/app.js");
    pc_ = root_function + 8;
  }

  void call_engine() {
    sp_ -= 16;
    put(sp_ + 8, pc_);
    pc_ = engine + 8;
  }
  // A call of the function whose object this is, or of the engine's own code with another word.
  void call(std::uint64_t function, std::uint64_t context) {
    sp_ -= 8;
    put(sp_, pc_);
    sp_ -= 8;
    put(sp_, fp_);
    fp_ = sp_;
    put(sp_ - 8, context);
    put(sp_ - 16, function);
    sp_ -= 32;
    pc_ = code + 0x20;
  }
  void call_function(std::uint64_t function) { call(function, object({0}, 200)); }

  // An object with its map. The words follow the map.
  std::uint64_t object(const std::vector<std::uint64_t>& words, std::uint64_t type) {
    const std::uint64_t map = heap_ += 0x200;
    make(map, {0, type << 32});
    const std::uint64_t at = heap_ += 0x200;
    make(at, std::vector<std::uint64_t>(12));
    put(at, map + V8_TAG);
    for (std::size_t i = 0; i < words.size(); ++i) put(at + 8 + 8 * i, words[i]);
    return at + V8_TAG;
  }
  std::uint64_t text(const std::string& characters, std::uint64_t type = text_type) {
    const std::uint64_t at = object({std::uint64_t{characters.size()} << 32}, type);
    for (std::size_t from = 0; from < characters.size(); from += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, characters.data() + from, std::min<std::size_t>(8, characters.size() - from));
      put(at - V8_TAG + V8_STRING_TEXT + from, word);
    }
    return at;
  }
  std::uint64_t scope(std::uint64_t variables, const std::vector<std::uint64_t>& behind) {
    std::vector<std::uint64_t> words{0, 0, variables << 32};
    words.resize(3 + 2 * variables);
    words.insert(words.end(), behind.begin(), behind.end());
    return object(words, scope_type);
  }
  std::uint64_t script_of(const std::string& path) {
    return object({0, text(path), 0, 0, 0, 0, 0, std::uint64_t{++scripts_} << 32}, script_type);
  }
  std::uint64_t function(std::uint64_t name, std::uint32_t number = 7) {
    const std::uint64_t shared = object({0, name, 0, script_, 0, std::uint64_t{number} << 32, 0, 0}, shared_type);
    return object({0, 0, shared}, function_type + 15);
  }
  void put(std::uint64_t at, std::uint64_t word) { program_.put(at, word); }

  int walk_it() {
    begin();
    int end = walk_frames(0);
    if (here_.walk.script.is_code_late != 0 && here_.walk.code_layout != 0) {
      ++begun_again;
      begin();
      end = walk_frames(0);
    }
    return end;
  }
  int begun_again = 0;

  [[nodiscard]] std::vector<std::string> walked() const {
    std::vector<std::string> words;
    for (__u32 i = 0; i < here_.walk.depth; ++i) {
      const __u64 word = here_.walk.frames[i];
      if ((word & SCRIPT_FRAME_MASK) == SCRIPT_FRAME) {
        const auto sent = here_.names.find(word);
        REQUIRE(sent != here_.names.end());
        const ring_name& name = sent->second;
        if (name.number != 0) CHECK(std::string(name.path_text, name.path.bytes) == "/srv/app.js");
        words.emplace_back(name.name_text, name.name.bytes);
      } else {
        const __u64 page = word & ~(WalkedProgram::page_bytes - 1);
        words.emplace_back(page == code ? "code" : page == engine ? "engine" : "root");
      }
    }
    return words;
  }

 private:
  static constexpr std::uint64_t stack_top = 0x7ffe00000000;

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
    walk_config.languages = 1U << SCRIPT_NODE;
  }
  void make(std::uint64_t at, const std::vector<std::uint64_t>& words) {
    program_.make_readable(at, at + 8 * words.size() + 64);
    for (std::size_t i = 0; i < words.size(); ++i) put(at + 8 * i, words[i]);
  }

  WalkHost& here_;
  WalkedProgram& program_;
  std::uint64_t script_ = 0;
  std::uint32_t scripts_ = 0;
  std::uint64_t heap_ = 0x1000000;
  std::uint64_t pc_ = 0;
  std::uint64_t sp_ = stack_top - 256;
  std::uint64_t fp_ = 0;
};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("functions of Node.js have their names, wherever V8 keeps them") {
  WalkHost here;
  host = &here;
  MadeNode node(here);
  node.call_engine();
  node.call(0, 6);  // a frame of the engine's own: the word below it is a number
  node.call_function(node.function(node.text("named")));
  node.call_function(node.function(node.scope(2, {3 << 1, node.text("of scope")})));
  node.call_function(node.function(node.object({0, node.text("moved")}, V8_STRING_MOVED)));
  node.call_function(node.function(node.scope(0, {node.text("")})));
  node.call_function(node.function(node.object({0, node.text("joined"), node.text("rest")}, V8_STRING_JOINED)));
  node.call(0, 54);
  CHECK(node.walk_it() == WALK_ROOT);
  CHECK(node.walked() ==
        Words{"<regular expression>", "joined", "", "moved", "of scope", "named", "code", "engine", "root"});
  CHECK(here.walk.script.missing == SCRIPT_WHOLE);
  CHECK(here.walk.script.met == SCRIPT_NODE);
  // The engine's file was met behind its code, once.
  CHECK(node.begun_again == 1);
  node.walk_it();
  CHECK(node.begun_again == 1);
  CHECK(node.walked().size() == 9);
}

TEST_CASE("what is no function of V8 leaves the frame as it is") {
  WalkHost here;
  host = &here;
  MadeNode node(here);
  const std::uint64_t named = node.text("named");
  const auto walked_with = [&](std::uint64_t function) {
    MadeNode other(here);
    here.functions.clear();
    other.call_engine();
    other.call_function(function);
    other.walk_it();
    return other.walked();
  };
  const Words plain{"code", "engine", "root"};
  CHECK(walked_with(0) == plain);
  CHECK(walked_with(0x900000001) == plain);
  CHECK(here.walk.script.missing == SCRIPT_NOT_READABLE);
  CHECK(walked_with(node.object({0, 0, node.text("no shared")}, MadeNode::function_type)) == plain);
  CHECK(walked_with(node.object({0, 0, 5}, MadeNode::function_type)) == plain);
  // A function of another type than all functions have.
  CHECK(walked_with(
            node.object({0, 0, node.object({0, named, 0, node.script_of("/srv/app.js"), 0, 0}, MadeNode::shared_type)},
                        MadeNode::function_type + 16)) == plain);
  // Neither a name nor a script.
  CHECK(walked_with(node.object({0, 0, node.object({0, 4, 0, named, 0, 0}, MadeNode::shared_type)},
                                MadeNode::function_type)) == plain);
}
