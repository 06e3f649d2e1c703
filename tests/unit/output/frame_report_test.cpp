// Tests the report about frames without a name and stacks without a root. Both are known in the profiles here.
// Promise 8: "unresolved" is an answer with a reason.
#include "output/frame_report.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "fixed_profile.h"

using namespace profile;
using namespace profile::test;

namespace {

// A profile of one process. The test adds stack by stack.
struct Made {
  FrameId named(std::string_view symbol, std::string_view module) {
    return namer.user(app, ++address, symbol, module, 0);
  }
  FrameId unnamed(Unnamed reason, std::string_view module = {}) {
    return namer.unnamed(profile.frame(app, FrameKind::user, {++address}), reason, module);
  }
  void add(const std::vector<FrameId>& leaf_first, std::uint64_t samples, StackEnd end = StackEnd::unknown) {
    Row row;
    row.process = app;
    row.user = profile.stack(leaf_first, end);
    row.value = 1000 * samples;  // not the same number as the samples
    row.samples = samples;
    profile.add(row);
  }
  [[nodiscard]] FrameReport report() const {
    FrameReport made;
    made.add(profile);
    return made;
  }

  Profile profile;
  Namer namer{profile};
  ProcessId app = profile.process(1, 0, "app");
  std::uint64_t address = 0x1000;
};

bool has_root(std::string_view outermost, std::string_view module = "app") {
  Made made;
  made.add({made.named("work", "app"), made.named(outermost, module)}, 1);
  return made.report().rootless() == 0;
}

bool has_root_in_unnamed(std::string_view inner_module, std::string_view outer_module) {
  Made made;
  made.add({made.named("work", inner_module), made.unnamed(Unnamed::no_symbol, outer_module)}, 1);
  return made.report().rootless() == 0;
}

}  // namespace

TEST_CASE("a profile without frames or without problems gives no lines") {
  CHECK(FrameReport().lines().empty());
  Made made;
  CHECK(made.report().lines().empty());
  made.add({made.named("work", "app"), made.named("_start", "app")}, 100);
  CHECK(made.report().frames() == 200);
  CHECK(made.report().user_stacks() == 100);
  CHECK(made.report().lines().empty());
}

TEST_CASE("each frame counts once for each sample, by reason") {
  Made made;
  const FrameId root = made.named("_start", "app");
  made.add({made.unnamed(Unnamed::no_symbol, "app"), root}, 3);
  made.add({made.unnamed(Unnamed::no_jit_map), root}, 2);
  made.add({made.unnamed(Unnamed::file_gone, "gone.so"), root}, 5);
  const FrameReport report = made.report();
  CHECK(report.frames() == 20);
  CHECK(report.unnamed(Unnamed::named) == 10);
  CHECK(report.unnamed(Unnamed::no_symbol) == 3);
  CHECK(report.unnamed(Unnamed::no_jit_map) == 2);
  CHECK(report.unnamed(Unnamed::file_gone) == 5);
  REQUIRE(report.lines().size() == 3);
  CHECK(report.lines()[0] ==
        "50.0 % of 20 frames have a function name; 3 no symbol in their file, 5 file gone, 2 JIT code without a perf "
        "map");
  CHECK(report.lines()[1].starts_with("most frames without a symbol are in: app (3); --debuginfod"));
  CHECK(report.lines()[2] ==
        "JIT code without names is of: app (2); its runtime may be able to write /tmp/perf-PID.map");
}

TEST_CASE("where debuginfod was asked, the remedy is another one") {
  Made made;
  made.profile.run.debuginfod = "https://debug.example.org";
  made.add({made.unnamed(Unnamed::no_symbol, "app"), made.named("_start", "app")}, 3);
  CHECK(made.report().lines()[1] ==
        "most frames without a symbol are in: app (3); debuginfod (https://debug.example.org) did not name them; a "
        "-dbgsym or -debuginfo package may");
}

TEST_CASE("JIT code comes with what makes its runtime write names") {
  Made made;
  made.add({made.unnamed(Unnamed::no_jit_map), made.named("uv_run", "libnode.so.108"), made.named("_start", "node")},
           4);
  CHECK(made.report().lines().back() == "JIT code without names is of: app (4); node --perf-basic-prof writes names");
  // A few frames among many are not worth a line.
  made.add({made.named("work", "app"), made.named("_start", "app")}, 1000);
  CHECK(made.report().lines().size() == 1);
}

TEST_CASE("every reason has its own words") {
  for (std::size_t i = static_cast<std::size_t>(Unnamed::no_symbol); i < static_cast<std::size_t>(Unnamed::count);
       ++i) {
    Made made;
    made.add({made.unnamed(static_cast<Unnamed>(i)), made.named("_start", "app")}, 7);
    REQUIRE(!made.report().lines().empty());
    const std::string line = made.report().lines()[0];
    CHECK(line.starts_with("50.0 % of 14 frames have a function name; 7 "));
    CHECK(line.size() > std::string("50.0 % of 14 frames have a function name; 7 ").size());
  }
}

TEST_CASE("kernel frames count as frames, and a kernel stack is no user stack") {
  Made made;
  Row row;
  row.process = made.app;
  row.kernel = made.profile.stack(std::vector{made.namer.kernel(0xffffffff81000000, "vfs_read", "kernel", 0)});
  row.value = 4;
  row.samples = 4;
  made.profile.add(row);
  row.user = StackId::missed;
  made.profile.add(row);
  CHECK(made.report().frames() == 8);
  CHECK(made.report().user_stacks() == 0);
  CHECK(made.report().lines().empty());
}

TEST_CASE("the counts of several intervals add up") {
  Made made;
  made.add({made.unnamed(Unnamed::no_symbol, "app"), made.named("_start", "app")}, 3);
  FrameReport report;
  report.add(made.profile);
  report.add(made.profile);
  CHECK(report.frames() == 12);
  CHECK(report.unnamed(Unnamed::no_symbol) == 6);
  CHECK(report.user_stacks() == 6);
}

TEST_CASE("the functions in which threads begin are roots, and other functions are not") {
  for (const char* root : {"_start", "__libc_start_main", "clone3", "start_thread", "runtime.goexit.abi0",
                           "libc_start_main_stage2", "start", "__clone"}) {
    CHECK_MESSAGE(has_root(root), root);
  }
  for (const char* other : {"main", "starts", "_start_", "", "clone_node"}) CHECK_MESSAGE(!has_root(other), other);
}

TEST_CASE("a C library without symbols that calls a program is a root, and other unnamed code is not") {
  for (const char* library : {"libc.so.6", "libc-2.31.so", "libpthread-2.31.so", "ld-linux-x86-64.so.2"}) {
    CHECK_MESSAGE(has_root_in_unnamed("app", library), library);
    CHECK_MESSAGE(!has_root_in_unnamed(library, library), library);
  }
  CHECK_FALSE(has_root_in_unnamed("app", "libfoo.so"));
  CHECK_FALSE(has_root_in_unnamed("app", "libcrypto.so.3"));
  CHECK_FALSE(has_root_in_unnamed("app", ""));
  Made alone;
  alone.add({alone.unnamed(Unnamed::no_symbol, "libc.so.6")}, 1);
  CHECK(alone.report().rootless() == 1);
}

TEST_CASE("unmapped frames at the outer end do not hide the root") {
  Made made;
  const FrameId nowhere = made.unnamed(Unnamed::not_mapped);
  made.add({made.named("work", "app"), made.named("_start", "app"), nowhere, nowhere}, 1);
  CHECK(made.report().rootless() == 0);
  made.add({nowhere}, 1);
  CHECK(made.report().rootless() == 1);
}

TEST_CASE("stacks without a root are reported if they are more than one in twenty") {
  for (const std::uint64_t broken : {5U, 6U}) {
    Made made;
    made.add({made.named("work", "app"), made.named("_start", "app")}, 100 - broken);
    made.add({made.named("inflate", "libz.so.1")}, broken);
    const auto lines = made.report().lines();
    CHECK(made.report().rootless() == broken);
    if (broken == 5) {
      CHECK(lines.empty());
    } else {
      REQUIRE(lines.size() == 1);
      CHECK(
          lines[0] ==
          "6.0 % of the user stacks end before a root function; built without frame pointers, it seems: libz.so.1 (6)");
    }
  }
}

TEST_CASE("the four worst files are named, the worst first") {
  Made made;
  for (const std::uint64_t samples : {2U, 5U, 1U, 4U, 3U}) {
    made.add({made.named("f", "lib" + std::to_string(samples) + ".so")}, samples);
  }
  REQUIRE(made.report().lines().size() == 1);
  CHECK(made.report().lines()[0].ends_with(": lib5.so (5), lib4.so (4), lib3.so (3), lib2.so (2)"));
}

TEST_CASE("no file is named if none is known") {
  Made made;
  made.add({made.unnamed(Unnamed::not_mapped)}, 1);
  made.add({made.unnamed(Unnamed::no_jit_map)}, 1);
  REQUIRE(made.report().lines().size() == 3);  // the last one says how JIT code gets names
  CHECK(made.report().lines()[1] == "100.0 % of the user stacks end before a root function");
}

TEST_CASE("the summary counts incomplete walked stacks by their reason") {
  Made made;
  const FrameId root = made.named("_start", "app");
  made.add({made.named("work", "app"), root}, 800, StackEnd::root);
  made.add({made.named("alone", "app")}, 5, StackEnd::root);
  made.add({made.named("early", "new.so")}, 20, StackEnd::no_table_yet);
  made.add({made.named("inflate", "libz.so.1")}, 9, StackEnd::no_cfi);
  made.add({made.named("a", "app"), made.named("b", "libfoo.so"), made.unnamed(Unnamed::not_mapped)}, 40,
           StackEnd::no_cfi);
  made.add({made.named("deep", "app")}, 3, StackEnd::too_deep);
  const FrameReport report = made.report();
  CHECK(report.user_stacks() == 877);
  CHECK(report.rootless() == 0);
  CHECK(report.ends().of(StackEnd::root) == 805);
  CHECK(report.ends().incomplete() == 72);
  REQUIRE(report.lines().size() == 2);  // the first line is about a frame without a name
  CHECK(report.lines()[1] ==
        "8.2 % of the user stacks are incomplete: 3 deeper than is taken (--max-stack-depth takes more), 20 taken "
        "before a file was read, 49 no "
        "unwind table and no "
        "frame pointer in: libfoo.so (40), libz.so.1 (9)");
}

TEST_CASE("one incomplete stack is reported among many, separate from stacks that were not walked") {
  Made made;
  const FrameId root = made.named("_start", "app");
  made.add({made.named("work", "app"), root}, 9000, StackEnd::root);
  made.add({made.named("work", "app"), root}, 1, StackEnd::guessed);
  REQUIRE(made.report().lines().size() == 1);
  CHECK(made.report().lines()[0] == "<0.1 % of the user stacks are incomplete: 1 begun with a guessed frame pointer");
  made.add({made.named("inflate", "libz.so.1")}, 999);
  REQUIRE(made.report().lines().size() == 2);
  CHECK(
      made.report().lines()[1] ==
      "10.0 % of the user stacks end before a root function; built without frame pointers, it seems: libz.so.1 (999)");
}
