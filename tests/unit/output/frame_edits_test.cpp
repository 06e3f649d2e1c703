// Tests focus, hide and collapse on stacks whose result is known.
#include "output/frame_edits.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fixed_profile.h"
#include "output/shown_frame.h"
#include "support/error.h"

namespace profile {
namespace {

using test::Namer;
using Lines = std::map<std::string, std::uint64_t>;

// The stacks as folded lines, with the module after each function: "main [app];malloc [libc.so.6]".
Lines lines_of(const Profile& profile) {
  Lines lines;
  for (const Row& row : profile.rows()) {
    std::string line;
    for (const ShownPart& part : shown_parts(profile, row)) {
      if (part.stack == StackId::none) line = std::string(part.text) + (line.empty() ? "" : ";") + line;
      for_each_shown(profile, part.stack, [&](const ShownFrame& shown) {
        std::string name;
        append_function(name, profile, shown, Semicolon::keep);
        const std::string_view module = profile.strings.view(shown.frame->module);
        if (!module.empty()) name.append(" [").append(module).append("]");
        line = name + (line.empty() ? "" : ";") + line;
      });
    }
    lines[line] += row.value;
  }
  return lines;
}

// A stack of the process "app", root first; "name@file" lies in that file, otherwise in app.
void add(Profile& profile, const std::vector<std::string>& root_first, std::uint64_t value, bool is_kernel = false) {
  static std::uint64_t address = 0x400000;
  Namer namer(profile);
  Row row;
  row.process = profile.process(1, 0, "app");
  row.thread_name = profile.strings.intern("app");
  std::vector<FrameId> leaf_first;
  for (auto name = root_first.rbegin(); name != root_first.rend(); ++name) {
    const std::size_t at = name->find('@');
    const std::string symbol = name->substr(0, at);
    const std::string module = at == name->npos ? "app" : name->substr(at + 1);
    address += 16;
    leaf_first.push_back(is_kernel ? namer.kernel(address, symbol, module, 0)
                                   : namer.user(row.process, address, symbol, module, 0));
  }
  (is_kernel ? row.kernel : row.user) = profile.stack(leaf_first);
  row.value = row.samples = value;
  profile.add(row);
  profile.account.taken += value;
  profile.account.recorded += value;
}

Profile calls() {
  Profile profile;
  add(profile, {"main", "fib", "fib", "fib", "malloc@libc.so.6", "_int_malloc@libc.so.6"}, 10);
  add(profile, {"main", "fib", "leaf"}, 20);
  add(profile, {"main", "write@libc.so.6"}, 30);
  add(profile, {"a", "b", "a", "b", "a"}, 40);
  return profile;
}

Lines edited(Profile profile, const FrameEdits& edits) {
  edits.apply(profile);
  CHECK(profile.account.balanced());
  return lines_of(profile);
}

TEST_CASE("a focus keeps the stacks with a matching function, and the others count as filtered") {
  FrameEdits edits;
  edits.focus("^fib$");
  Profile profile = calls();
  edits.apply(profile);
  CHECK(profile.total() == 30);
  CHECK(profile.account.filtered == 70);
  CHECK(profile.account.balanced());
  edits = {};
  edits.focus("nowhere");
  CHECK(edited(calls(), edits).empty());
  edits.focus("^wri");
  CHECK(edited(calls(), edits) == Lines{{"main [app];write [libc.so.6]", 30}});
}

TEST_CASE("hidden frames are taken out of all stacks, and the total stays") {
  FrameEdits edits;
  edits.hide("malloc");
  edits.hide("^(main|a|b)$");
  CHECK(
      edited(calls(), edits) ==
      Lines{{"fib [app];fib [app];fib [app]", 10}, {"fib [app];leaf [app]", 20}, {"write [libc.so.6]", 30}, {"", 40}});
}

TEST_CASE("a function that is on the stack already is collapsed, with all between") {
  FrameEdits edits;
  edits.collapse("recursion");
  CHECK(edited(calls(), edits) == Lines{{"main [app];fib [app];malloc [libc.so.6];_int_malloc [libc.so.6]", 10},
                                        {"main [app];fib [app];leaf [app]", 20},
                                        {"main [app];write [libc.so.6]", 30},
                                        {"a [app]", 40}});
  // The same name in another file is another function, and what has no name is none.
  Profile profile;
  add(profile, {"f", "f@lib.so", "f"}, 1);
  add(profile, {"[unknown]", "x", "[unknown]"}, 2);
  CHECK(edited(profile, edits) == Lines{{"f [app]", 1}, {"[unknown] [app];x [app];[unknown] [app]", 2}});
}

TEST_CASE("the frames of a file become one frame with its name, also in the kernel") {
  FrameEdits edits;
  edits.collapse("lib:libc*");
  edits.collapse("lib:kernel");
  Profile profile = calls();
  add(profile, {"do_syscall_64@kernel", "vfs_read@kernel", "read@ext4"}, 5, true);
  CHECK(edited(profile, edits) == Lines{{"main [app];fib [app];fib [app];fib [app];[libc.so.6] [libc.so.6]", 10},
                                        {"main [app];fib [app];leaf [app]", 20},
                                        {"main [app];[libc.so.6] [libc.so.6]", 30},
                                        {"a [app];b [app];a [app];b [app];a [app]", 40},
                                        {"[kernel] [kernel];read [ext4]", 5}});
}

TEST_CASE("a run of matching functions becomes the one nearest to the root, also where hidden frames were between") {
  FrameEdits edits;
  edits.collapse("^(a|b|fib)$");
  CHECK(edited(calls(), edits) == Lines{{"main [app];fib [app];malloc [libc.so.6];_int_malloc [libc.so.6]", 10},
                                        {"main [app];fib [app];leaf [app]", 20},
                                        {"main [app];write [libc.so.6]", 30},
                                        {"a [app]", 40}});
  edits = {};
  edits.collapse("^a$");
  edits.hide("^b$");
  CHECK(edited(calls(), edits)["a [app]"] == 40);
}

TEST_CASE("inlined functions are hidden and collapsed like others, and the rest of their frame stays") {
  const Lines before = lines_of(test::profile_with_lines());
  CHECK(before.at(
            "__libc_start_call_main [libc.so.6];main [app];outer(int) [app];Box<int>::get(int) const [app];deep(int) "
            "[app]") == 8);
  FrameEdits edits;
  edits.hide("^outer");  // has the code
  edits.hide("^deep");   // the innermost
  Lines lines = edited(test::profile_with_lines(), edits);
  CHECK(lines["__libc_start_call_main [libc.so.6];main [app];Box<int>::get(int) const [app]"] == 8);
  edits = {};
  edits.hide("Box<");  // in the middle
  lines = edited(test::profile_with_lines(), edits);
  CHECK(lines["__libc_start_call_main [libc.so.6];main [app];outer(int) [app];deep(int) [app]"] == 8);
  edits = {};
  edits.hide("outer|Box<|deep");
  lines = edited(test::profile_with_lines(), edits);
  CHECK(lines["__libc_start_call_main [libc.so.6];main [app]"] == 8);
  edits = {};
  edits.collapse("lib:app");
  lines = edited(test::profile_with_lines(), edits);
  CHECK(lines["__libc_start_call_main [libc.so.6];[app] [app]"] == 10);
}

TEST_CASE("the line of a function that takes the place of the one with the code is its own") {
  FrameEdits edits;
  edits.hide("^outer");
  Profile profile = test::profile_with_lines();
  edits.apply(profile);
  bool has_line = false;
  for_each_shown(profile, profile.rows()[0].user, [&](const ShownFrame& shown) {
    if (profile.strings.view(shown.symbol) == "Box<int>::get(int) const") has_line = shown.at.line == 30;
  });
  CHECK(has_line);
}

TEST_CASE("tags and missed stacks are functions, too") {
  Profile profile = test::fixed_profile();
  const std::uint64_t total = profile.total();
  FrameEdits edits;
  edits.hide("Missed User");
  edits.apply(profile);
  CHECK(profile.total() == total);
  CHECK(lines_of(profile).contains("[Missed Kernel Stack]"));
  edits = {};
  edits.focus("Missed Kernel");
  edits.apply(profile);
  CHECK(profile.total() == 5);
}

TEST_CASE("every edit of every stack keeps the total, whatever the names are") {
  for (const char* rule : {".", "recursion", "lib:*", "<", "lib:node"}) {
    CAPTURE(rule);
    for (Profile profile : {test::fixed_profile(), test::profile_with_lines(), test::profile_with_ends()}) {
      const std::uint64_t total = profile.total();
      FrameEdits edits;
      edits.collapse(rule);
      edits.apply(profile);
      edits.hide("^w|[aeiou]{2}");
      edits.apply(profile);
      CHECK(profile.total() == total);
      CHECK(profile.account.balanced());
    }
  }
}

TEST_CASE("long names and expressions that explode elsewhere take little time and no deep stack") {
  Profile profile;
  add(profile, {"main", std::string(1 << 20, 'a')}, 1);
  FrameEdits edits;
  edits.hide("(a+)+$x");
  edits.hide("^(.*)*b$");
  edits.apply(profile);
  CHECK(profile.total() == 1);
}

TEST_CASE("what is no rule is refused") {
  FrameEdits edits;
  CHECK_THROWS_WITH_AS(edits.focus(""), "an empty expression would match every name", Error);
  CHECK_THROWS_AS(edits.hide("("), Error);
  CHECK_THROWS_AS(edits.hide("[z-a]"), Error);
  CHECK_THROWS_AS(edits.hide("(a)\\1"), Error);
  CHECK_THROWS_AS(edits.hide(std::string(5000, 'a')), Error);
  CHECK_THROWS_AS(edits.collapse("lib:"), Error);
  CHECK_THROWS_AS(edits.collapse("*"), Error);
}

}  // namespace
}  // namespace profile
