// Tests which frames of a user stack are its callers. The functions that stacks begin with decide this.
#include "model/stack_roots.h"

#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <vector>

#include "fixed_profile.h"

using namespace profile;
using namespace profile::test;

namespace {

// A stack of named frames, leaf first. "?" is in no mapping; "+" is in a C library that has no symbol there.
struct Stack {
  explicit Stack(const std::vector<std::string>& leaf_first, StackEnd end = StackEnd::unknown) {
    const ProcessId app = profile.process(1, 0, "app");
    Namer name(profile);
    std::vector<FrameId> frames;
    for (const std::string& symbol : leaf_first) {
      const std::uint64_t address = 0x1000 + frames.size();
      if (symbol == "?") {
        frames.push_back(name.unnamed(profile.frame(app, FrameKind::user, {address}), Unnamed::not_mapped));
      } else if (symbol == "+") {
        const FrameId frame = profile.frame(app, FrameKind::user, {address});
        frames.push_back(name.unnamed(frame, Unnamed::no_symbol, "libc.so.6"));
      } else {
        frames.push_back(name.user(app, address, symbol, "app", 0));
      }
    }
    id = profile.stack(frames, end);
  }
  [[nodiscard]] StackExtent extent() const { return extent_of(profile, profile.stack(id)); }
  // The number of frames that are left; -1: there is no root.
  [[nodiscard]] int whole() const { return extent().has_root ? static_cast<int>(extent().frames) : -1; }

  // The part of the stack that is left in a row.
  StackId believable() {
    Row row;
    row.user = id;
    return believable_user_stack(profile, row);
  }

  Profile profile;
  StackId id{};
};

void keep_believable(Profile& profile) {
  profile.change_rows([&](Row& row) { row.user = believable_user_stack(profile, row); });
}

int whole(const std::vector<std::string>& leaf_first) { return Stack(leaf_first).whole(); }

}  // namespace

TEST_CASE("frames beyond a root are cut off, and the root stays") {
  // A static program of glibc: the register held no frame.
  CHECK(whole({"work", "main", "__libc_start_call_main", "register_tm_clones", "?"}) == 3);
  CHECK(whole({"work", "main", "__libc_start_call_main", "?"}) == 3);
  CHECK(whole({"work", "main", "libc_start_main_stage2", "data", "?", "data"}) == 3);
  CHECK(whole({"work", "start_thread", "clone", "data"}) == 3);
  CHECK(whole({"work", "start", "__clone", "data"}) == 3);
  CHECK(whole({"work", "+", "?"}) == 2);
}

TEST_CASE("a function start_thread of the program itself can have callers") {
  CHECK(whole({"work", "start_thread", "main", "+"}) == 4);
  CHECK(whole({"work", "start_thread", "main", "+", "?"}) == 4);
  CHECK(whole({"work", "start_thread", "main"}) == -1);
  CHECK(whole({"work", "start_thread"}) == 2);
  CHECK(whole({"work", "start_thread", "__clone3", "data"}) == 3);
  CHECK(whole({"work", "start_thread", "+", "main"}) == 2);
  // In the C library, the function is a root.
  Stack stack({"work", "start_thread", "data"});
  Frame& root = stack.profile.frames()[static_cast<std::size_t>(stack.profile.stack(stack.id)[1])];
  root.module = stack.profile.strings.intern("libc.so.6");
  CHECK(stack.whole() == 2);
}

TEST_CASE("the outermost of several roots counts") {
  CHECK(whole({"main", "__libc_start_call_main", "__libc_start_main_impl", "_start"}) == 4);
  CHECK(whole({"work", "start_thread", "main", "__libc_start_call_main", "_start"}) == 5);
  CHECK(whole({"clone3", "__clone_internal", "create_thread", "main", "_start"}) == 5);
}

TEST_CASE("a leaf that creates a thread has its own callers") {
  CHECK(whole({"clone3", "create_thread", "work"}) == -1);
  CHECK(Stack({"clone3", "create_thread", "work"}).extent().frames == 3);
  CHECK(whole({"clone3"}) == 1);
}

TEST_CASE("the stack of a signal handler continues to the root of the interrupted code") {
  CHECK(whole({"handler", "__restore_rt", "work", "main", "_start", "?"}) == 5);
  CHECK(whole({"handler", "__restore_rt"}) == 2);
  CHECK(whole({"handler", "__restore_rt", "work"}) == -1);
}

TEST_CASE("a function start is a root only if the chain ends there") {
  CHECK(whole({"thread", "start"}) == 2);
  CHECK(whole({"thread", "start_c11"}) == 2);
  CHECK(whole({"thread", "start", "?"}) == -1);
  CHECK(whole({"thread", "start", "other"}) == -1);
}

TEST_CASE("a stack without a root stays as it is") {
  for (const auto& leaf_first : std::vector<std::vector<std::string>>{{"f", "g", "?"}, {"?"}, {"f", "clone", "g"}}) {
    Stack stack(leaf_first);
    CHECK(stack.whole() == -1);
    CHECK(stack.believable() == stack.id);
  }
}

TEST_CASE("a stack that was walked to a root stays as it is, whatever its frames are") {
  for (const auto& leaf_first : std::vector<std::vector<std::string>>{
           {"work", "_start", "?", "a"}, {"work"}, {"?"}, {"f", "start_thread", "data"}}) {
    Stack stack(leaf_first, StackEnd::root);
    CHECK(stack.believable() == stack.id);
  }
}

TEST_CASE("an incomplete stack that ends at a root function is whole unless it may lack callers") {
  for (std::uint8_t i = static_cast<std::uint8_t>(StackEnd::too_deep); i < static_cast<std::uint8_t>(StackEnd::count);
       ++i) {
    const auto end = static_cast<StackEnd>(i);
    CAPTURE(i);
    CHECK(is_incomplete(end));
    const bool may_lack_callers = end == StackEnd::guessed || end == StackEnd::no_table_yet;
    Stack broken({"work", "helper"}, end);
    CHECK(broken.believable() == broken.id);

    Stack rooted({"work", "_start"}, end);
    const StackId believable = rooted.believable();
    CHECK(rooted.profile.stack(believable).size() == 2);
    CHECK(rooted.profile.end_of(believable) == (may_lack_callers ? end : StackEnd::root));

    Stack beyond({"work", "start_thread", "clone", "data"}, end);
    const StackId cut = beyond.believable();
    CHECK(beyond.profile.stack(cut).size() == 3);
    CHECK(beyond.profile.end_of(cut) == (may_lack_callers ? end : StackEnd::root));
  }
  CHECK_FALSE(is_incomplete(StackEnd::unknown));
  CHECK_FALSE(is_incomplete(StackEnd::root));
  Stack untold({"work", "_start", "?"});
  CHECK(untold.profile.end_of(untold.believable()) == StackEnd::unknown);
}

TEST_CASE("rows are merged if their stacks end at one root in different ways") {
  Stack stack({"work", "_start"}, StackEnd::no_cfi);
  Profile& profile = stack.profile;
  const std::vector<FrameId> frames(profile.stack(stack.id).begin(), profile.stack(stack.id).end());
  Row row;
  row.value = row.samples = 1;
  for (const StackEnd end : {StackEnd::no_cfi, StackEnd::root, StackEnd::not_mapped}) {
    row.user = profile.stack(frames, end);
    profile.add(row);
  }
  keep_believable(profile);
  REQUIRE(profile.rows().size() == 1);
  CHECK(profile.rows()[0].samples == 3);
  CHECK(profile.end_of(profile.rows()[0].user) == StackEnd::root);
}

TEST_CASE("rows are merged if their stacks differ only in garbage") {
  Stack stack({"work", "_start", "?", "a"});
  Profile& profile = stack.profile;
  const std::vector<FrameId> frames(profile.stack(stack.id).begin(), profile.stack(stack.id).end());
  const StackId other = profile.stack(std::vector{frames[0], frames[1], frames[3]});
  Row row;
  row.value = row.samples = 1;
  row.user = stack.id;
  profile.add(row);
  row.user = other;
  profile.add(row);
  row.user = StackId::missed;
  profile.add(row);
  keep_believable(profile);
  REQUIRE(profile.rows().size() == 2);
  CHECK(profile.rows()[0].samples == 2);
  CHECK(profile.stack(profile.rows()[0].user).size() == 2);
  CHECK(profile.rows()[1].user == StackId::missed);
}

TEST_CASE("a sample inside execve has one frame as its user stack if nothing of the old program is left") {
  for (const auto& [leaf_first, function, is_gone] :
       std::vector<std::tuple<std::vector<std::string>, const char*, bool>>{{{"?"}, "load_elf_binary", true},
                                                                            {{"?", "?"}, "bprm_execve", true},
                                                                            {{"execve", "main"}, "bprm_execve", false},
                                                                            {{"?", "main"}, "bprm_execve", false},
                                                                            {{"?"}, "vfs_read", false}}) {
    Stack stack(leaf_first);
    Profile& profile = stack.profile;
    Namer name(profile);
    const StackId kernel = profile.stack(std::vector{name.kernel(0xffffffff81000000, "memcpy", "kernel", 0),
                                                     name.kernel(0xffffffff81000100, function, "kernel", 0)});
    Row row;
    row.user = stack.id;
    row.value = row.samples = 1;
    row.kernel = kernel;
    profile.add(row);
    row.kernel = StackId::none;
    profile.add(row);
    keep_believable(profile);
    CHECK(profile.rows()[1].user == stack.id);
    const auto frames = profile.stack(profile.rows()[0].user);
    CHECK((profile.rows()[0].user != stack.id) == is_gone);
    if (!is_gone) continue;
    REQUIRE(frames.size() == 1);
    CHECK(profile.strings.view(profile.frame(frames[0]).symbol) == "[exec]");
    CHECK(profile.frame(frames[0]).kind == FrameKind::user);
    CHECK(extent_of(profile, frames).has_root);
    CHECK(profile.end_of(profile.rows()[0].user) == StackEnd::unknown);
  }
  // A stack that is already marked as the old program's ("[exec]"), without a kernel stack.
  Stack named({"[exec]", "?", "main"}, StackEnd::not_mapped);
  const StackId alone = named.believable();
  REQUIRE(named.profile.stack(alone).size() == 1);
  CHECK(named.profile.frame(named.profile.stack(alone)[0]).address == RuntimeAddress{});
  CHECK(named.profile.end_of(alone) == StackEnd::root);
  named.id = alone;
  CHECK(named.believable() == alone);
  Stack told({"?"}, StackEnd::not_mapped);
  Row row;
  row.user = told.id;
  row.kernel =
      told.profile.stack(std::vector{Namer(told.profile).kernel(0xffffffff81000000, "load_elf_binary", "kernel", 0)});
  const StackId exec = believable_user_stack(told.profile, row);
  CHECK(exec != told.id);
  CHECK(told.profile.end_of(exec) == StackEnd::root);
}
