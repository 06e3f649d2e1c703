// Tests the reader of folded lines. Our own lines come back byte for byte, lines of other tools are understood, and an
// error names the bad line.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "input/profile_reader.h"
#include "model/stack_end.h"
#include "output/output.h"
#include "support/error.h"

using namespace profile;

namespace {

std::string folded(const Profile& profile, const OutputOptions& options = {}) {
  std::ostringstream out;
  find_output_format("folded")->make(options).report(out, profile);
  return out.str();
}

std::string golden(const std::string& file) {
  std::ifstream in(PROFILE_TEST_DATA "/" + file, std::ios::binary);
  REQUIRE_MESSAGE(in.good(), file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The message of the error that read_folded() throws; "none": no error.
std::string error_of(const std::string& text) {
  try {
    (void)read_folded(text, "in.folded");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

const OutputOptions marked{.annotate = true};

}  // namespace

TEST_CASE("folded lines of this program are written as they were read, with the same options") {
  const struct {
    const char* file;
    OutputOptions options;
  } files[] = {
      {"default.folded", {}},
      {"annotated.folded", {.annotate = true}},
      {"delimited.folded", {.delimited = true}},
      {"modules.folded", {.show_modules = true}},
      {"lines.folded", {}},
      {"lines_marked.folded", {.annotate = true, .show_modules = true}},
      {"wall.folded", {}},
      {"wall_marked.folded", {.delimited = true, .annotate = true, .show_modules = true}},
  };
  for (const auto& [file, options] : files) {
    const std::string text = golden(file);
    CHECK_MESSAGE(folded(read_folded(text, file), options) == text, file);
    CHECK_MESSAGE(folded(read_profile(text, file), options) == text, file);
  }
}

TEST_CASE("marks distinguish kernel frames, inlined frames and JIT frames") {
  const Profile profile = read_folded("app;main;work_[j];tiny_[i];inner_[i];sys_read_[k];vfs_[k] 5\n", "x");
  REQUIRE(profile.rows().size() == 1);
  const Row& row = profile.rows()[0];
  CHECK(row.value == 5);
  CHECK(row.samples == 5);
  const auto user = profile.stack(row.user);
  REQUIRE(user.size() == 2);
  const Frame& work = profile.frame(user[0]);
  CHECK(profile.strings.view(work.symbol) == "work");
  CHECK(profile.strings.view(work.module) == jit_module);
  CHECK(work.binary == BinaryId::none);
  const SourceLocation place = profile.source(work.source);
  REQUIRE(place.inlined.size() == 2);
  CHECK(profile.strings.view(place.inlined[0].symbol) == "inner");  // innermost first
  CHECK(profile.strings.view(place.inlined[1].symbol) == "tiny");
  const auto kernel = profile.stack(row.kernel);
  REQUIRE(kernel.size() == 2);
  CHECK(profile.strings.view(profile.frame(kernel[0]).symbol) == "vfs");
  CHECK(profile.frame(kernel[0]).kind == FrameKind::kernel);
}

TEST_CASE("one or two dashes separate the user part from the kernel part") {
  for (const std::string dash : {"-", "--"}) {
    const Profile profile = read_folded("app;main;" + dash + ";sys_read 5\n", "x");
    const Row& row = profile.rows()[0];
    CHECK(profile.stack(row.user).size() == 1);
    REQUIRE(profile.stack(row.kernel).size() == 1);
    CHECK(profile.frame(profile.stack(row.kernel)[0]).kind == FrameKind::kernel);
    CHECK(folded(profile, {.delimited = true}) == "app;main;-;sys_read 5\n");
    CHECK(folded(profile, marked) == "app;main;sys_read_[k] 5\n");
  }
  // A dash with frames on only one side is a name.
  CHECK(folded(read_folded("app;-;main 1\napp;main;- 2\n", "x"), marked) == "app;-;main 1\napp;main;- 2\n");
}

TEST_CASE("a placeholder for a missing stack is no frame") {
  const Profile profile = read_folded(
      "a;[Missed User Stack];sys_read_[k] 1\na;main;[Missed Kernel Stack] 2\na;[Missed User Stack];[Missed Kernel "
      "Stack] "
      "3\na;main;[off-cpu] 4\na 5\na;[unknown];[dd+0x1f] 6\n",
      "x");
  const auto rows = profile.rows();
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].user == StackId::missed);
  CHECK(profile.stack(rows[0].kernel).size() == 1);
  CHECK(rows[1].kernel == StackId::missed);
  CHECK(rows[2].user == StackId::missed);
  CHECK(rows[2].kernel == StackId::missed);
  CHECK(profile.strings.view(rows[3].tag) == "[off-cpu]");
  CHECK(rows[4].user == StackId::none);
  CHECK(rows[4].kernel == StackId::none);
  const auto unnamed = profile.stack(rows[5].user);
  REQUIRE(unnamed.size() == 2);
  CHECK(profile.frame(unnamed[0]).unnamed == Unnamed::no_symbol);
  CHECK(profile.frame(unnamed[0]).offset == 0x1f);
  CHECK(profile.strings.view(profile.frame(unnamed[0]).module) == "dd");
  CHECK(profile.frame(unnamed[1]).symbol == StringId::empty);
  CHECK(profile.frame(unnamed[1]).module == StringId::empty);
}

TEST_CASE("an outermost [incomplete] frame becomes the end of the user stack") {
  for (std::size_t i = 0; i < static_cast<std::size_t>(StackEnd::count); ++i) {
    const auto end = static_cast<StackEnd>(i);
    if (!is_incomplete(end)) continue;
    const std::string line = "a;" + incomplete_frame(end) + ";main;sys_read_[k] 1\n";
    const Profile profile = read_folded(line, "x");
    const Row& row = profile.rows().front();
    CHECK(profile.end_of(row.user) == end);
    CHECK(profile.stack(row.user).size() == 1);
    CHECK(profile.end_of(row.kernel) == StackEnd::unknown);
    CHECK(folded(profile, marked) == line);
    CHECK(folded(profile) == "a;main;sys_read 1\n");
  }
  // No tool writes these lines. Text that is not exactly a mark stays a frame.
  for (const std::string line : {
           "a;[incomplete: no idea];main 1",
           "a;[incomplete: ];main 1",
           "a;[incomplete: no CFI;main 1",
           "a;[incomplete: no CFI]_[k];vfs_[k] 1",
           "a;main;[incomplete: no CFI] 1",
           "a;[incomplete: no CFI] 1",
           "a;[incomplete: no CFI];vfs_[k] 1",
           "a;[Missed User Stack];[incomplete: no CFI]_[k] 1",
       }) {
    const Profile profile = read_folded(line + "\n", "x");
    CHECK_MESSAGE(profile.end_of(profile.rows().front().user) == StackEnd::unknown, line);
    CHECK_MESSAGE(folded(profile, marked) == line + "\n", line);
  }
  const std::string twice = "a;[incomplete: no CFI];[incomplete: too deep];tiny_[i];main 1\n";
  CHECK(folded(read_folded(twice, "x"), marked) == twice);
}

TEST_CASE("folded lines of other programs are written as they were read") {
  for (const std::string line : {
           "app;[libc.so.6];operator new[];foo() [clone .cold];a b c 1",
           "app;k_[k];u;k2_[k] 2",
           "app;tiny_[i];main 3",
           "app;[dd+0x01];[dd+0xAB];[+0x1];[dd+0x];[dd+0x11223344556677889] 4",
           "app;f file:7;g /a/b.c:8;h x.c:09;i x.c:0;j x.c:4294967296;k  x.c:1 5",
           "app;[Missed User Stack];main;[Missed Kernel Stack] 6",
           "app;[Missed Kernel Stack];main 7",
           "app;x []; [y];z [] 8",
           "java/123;Lcom/foo/Bar;::baz_[i];$jit 9",
       }) {
    CHECK_MESSAGE(folded(read_folded(line + "\n", "x"), marked) == line + "\n", line);
  }
}

TEST_CASE("a module with an offset after a similar name is not read as an offset in that module") {
  const std::string line = "app;read [lib+0x1f];[close [lib+0x1f]_[i];[a[b+0x2] 1\n";
  const OutputOptions with_modules{.annotate = true, .show_modules = true};
  CHECK(folded(read_folded(line, "x"), with_modules) == line);
}

TEST_CASE("a module can have spaces in its name, and a clone mark is no module") {
  const Profile profile = read_folded("app;main [My App];f() [clone .cold];[My App+0x1] 1\n", "x");
  const auto stack = profile.stack(profile.rows()[0].user);
  REQUIRE(stack.size() == 3);
  const auto module = [&](std::size_t i) { return profile.strings.view(profile.frame(stack[i]).module); };
  CHECK(module(2) == "My App");
  CHECK(module(1).empty());
  CHECK(module(0) == "My App");
}

TEST_CASE("a source line after a name is no part of the name, even if a compiler invented the file") {
  const Profile profile = read_folded("app;main main.go:42;T.String <autogenerated>:1;f file:7 1\n", "x");
  const auto stack = profile.stack(profile.rows()[0].user);
  REQUIRE(stack.size() == 3);
  const auto name = [&](std::size_t i) { return profile.strings.view(profile.frame(stack[i]).symbol); };
  CHECK(name(2) == "main");
  CHECK(name(1) == "T.String");
  CHECK(name(0) == "f file:7");
}

TEST_CASE("a text that begins like a compressed file is read as text") {
  for (const char* text : {"BZh", "BZh9", "BZh91AY"}) {
    CHECK_THROWS_WITH_AS(read_profile(text, "x"), doctest::Contains("x:1: "), Error);
  }
  CHECK(read_profile("BZh9;main 1", "x").total() == 1);
}

TEST_CASE("empty lines and comments are ignored, and a carriage return is no part of a name") {
  CHECK(folded(read_folded("# by some script\r\n\r\n  \napp;main 1\r\napp;work 2\t\n#\napp;last 3", "x")) ==
        "app;main 1\napp;work 2\napp;last 3\n");
  CHECK(read_folded("", "x").rows().empty());
  CHECK(read_profile("\n", "x").rows().empty());
}

TEST_CASE("a thread whose name begins with a number sign is no comment") {
  const std::string lines = "#;main 1\n#7 3\n#worker 4;main;work 5\n";
  CHECK(folded(read_folded(lines, "x")) == lines);
  AlienLines aliens;
  const std::string comments =
      "# 7\n# samples: 12\n#Total samples: 12\n# a;main 2\n#a;b\n#offset -5\n#rate nan\n# a; b c\n#comment\n#!/bin/sh "
      "-e\n";
  CHECK(read_folded(comments, "x", &aliens).rows().empty());
  CHECK(aliens.count == 0);
}

TEST_CASE("a thread whose name looks like a comment is written in a way that readers take for a thread") {
  Profile profile;
  for (const char* name : {"# a b", "#c d", "#"}) {
    Row row{.process = profile.process(7, 0, "app"), .thread_name = profile.strings.intern(name), .value = 2};
    profile.add(row);
    Frame main;
    main.space = row.process;
    main.unnamed = Unnamed::named;
    main.symbol = profile.strings.intern("main");
    row.user = profile.stack(std::vector{profile.frame(main)});
    profile.add(row);
  }
  CHECK(folded(profile) == "#_ 2\n#;main 2\n#_a_b 2\n#_a b;main 2\n#c_d 2\n#c d;main 2\n");
  CHECK(read_folded(folded(profile), "x").total() == 12);
}

TEST_CASE("no address is printed for a frame of a file that has none, but one for a call of a null pointer") {
  const auto counted = [](const Profile& profile) {
    std::ostringstream out;
    find_output_format("counted")->make({.show_addresses = true}).report(out, profile);
    return out.str();
  };
  CHECK(counted(read_folded("app;main;[dd+0x1f];vfs_[k] 1\n", "x")).find("0x0000") == std::string::npos);
  Profile profile;
  const ProcessId app = profile.process(7, 0, "app");
  const FrameId null = profile.frame(app, FrameKind::user, RuntimeAddress{0});
  profile.frames().front().unnamed = Unnamed::not_mapped;
  profile.add({.process = app, .user = profile.stack(std::vector{null}), .value = 1, .samples = 1});
  CHECK(counted(profile).find("    0x0000000000000000 [unknown]\n") != std::string::npos);
}

TEST_CASE("values are 64-bit integers, and fractions are counted in smaller parts") {
  CHECK(folded(read_folded("a;b 18446744073709551615\n", "x")) == "a;b 18446744073709551615\n");
  CHECK(folded(read_folded("a;b 12.0\na;c 2.4e3\n", "x")) == "a;b 12\na;c 2400\n");
  const Profile read = read_folded("a;b 1.5\na;c 2.4e3\na;d 0.2\na;e 0\na;f 7\n", "x");
  CHECK(folded(read) == "a;e 0\na;d 200\na;b 1500\na;f 7000\na;c 2400000\n");
  CHECK(read.run.unit.word() == "thousandths");
  CHECK_FALSE(read.knows_samples());
  CHECK(parts_of_one(read.run.unit.word()) == 1000);
  CHECK(parts_of_one("samples") == 0);
}

TEST_CASE("small fractions keep their shares and add up to the right total") {
  std::string text = "\xef\xbb\xbf";  // some editors write this byte order mark
  for (int i = 0; i < 10; ++i) text += "x;y" + std::to_string(i) + " 0.4\n";
  const Profile profile = read_folded(text, "in");
  CHECK(profile.total() == 4000);
  CHECK(profile.strings.view(profile.processes().front().name) == "x");
  CHECK(folded(read_folded("a;b 0.3\na;c 0.1\n", "x")) == "a;c 100\na;b 300\n");
  CHECK(folded(read_folded("f;a 0.156\nf;b 0.98\nf;c 0.343\nf;d 0.888\n", "x")) ==
        "f;a 156\nf;c 343\nf;d 888\nf;b 980\n");
  CHECK(folded(read_folded("a;b 3e-10\na;c 1e-10\n", "x")) == "a;c 100\na;b 300\n");
  CHECK(folded(read_folded("a;b 0.3333333333333\na;c 0.6666666666667\n", "x")) == "a;b 333333\na;c 666667\n");
  // Large values need no smaller unit, and make the parts larger again.
  const Profile large = read_folded("a;b 0.5\na;c 18446744073709551000\n", "x");
  CHECK(large.run.unit.word() == "samples");
  CHECK(large.total() >= 18446744073709551000U);
}

TEST_CASE("of lines with two counts the second one is read, and the first one is the profile before") {
  std::optional<Profile> before;
  CHECK(folded(read_folded("a;b;c 12 15\na;b;d 3 9\na;e 0 4.5\n", "x", nullptr, &before)) ==
        "a;e 4500\na;b;d 9000\na;b;c 15000\n");
  REQUIRE(before);
  CHECK(folded(*before) == "a;e 0\na;b;d 3\na;b;c 12\n");
  CHECK(folded(read_folded("a;b;c 12 15\na;b;d 9\n", "x", nullptr, &before)) == "a;b;d 9\na;b;c 12 15\n");
  CHECK(!before);
  CHECK(folded(read_folded("a;b;c 12 15\na;b;d 3 9\na;e 0 4\n", "x")) == "a;e 4\na;b;d 9\na;b;c 15\n");
  // One line with a single count, or without a frame in any: the number belongs to the name.
  CHECK(folded(read_folded("a;b;c 12 15\na;b;d 3 9\na;e 4\n", "x")) == "a;e 4\na;b;d 3 9\na;b;c 12 15\n");
  CHECK(folded(read_folded("pool;worker 3 15\n", "x")) == "pool;worker 3 15\n");
  CHECK(read_folded("worker 1 15\nworker 2 7\n", "x").processes().size() == 2);
}

TEST_CASE("text that is no profile is refused even if some of its lines end in a number") {
  for (const char* text :
       {"Attaching 1 probe...\n\n@[\n    do_syscall_64+100\n]: 5\n@[\n    clear_page_erms+11\n]: 11\n",
        "goroutine profile: total 3\n2 @ 0x4308f6 0x465785\n#\t0x4e46d4\tmain.wait+0x34\t/srv/main.go:12\n",
        "MemTotal:  24676000 kB\nMemFree:  20000000 kB\nTotal:  0\nFree:  7\nSize:  2048 kB\n",
        "@[\n\tffffffff8103ce3b halt+6 ([kernel.kallsyms])\n, app]: 5\n",
        "# callgrind format\nevents: Ir\nfn=main\n16 400\n17 3\n"}) {
    CHECK_THROWS_AS((void)read_profile(text, "x"), Error);
  }
  CHECK_THROWS_WITH_AS((void)read_profile("@[\n    f+1\n]: 5\n", "x"), doctest::Contains("stackcollapse-bpftrace"),
                       Error);
  CHECK(read_profile("one\ntwo\nthree\na;b 1\n", "x").total() == 1);
}

TEST_CASE("an invalid folded line is refused with its number and the reason") {
  const auto starts = [](const std::string& text, const std::string& with) {
    CHECK_MESSAGE(text.substr(0, with.size()) == with, text);
  };
  starts(error_of("a;b\na;b \n 7\n"), "in.folded:1: ");
  starts(error_of("\n#\nnothing\n"), "in.folded:3: ");
  for (const char* bad :
       {"a;b x", "a;b 1x", "a;b 0x10", "a;b +1", "a;b nan", "a;b inf", "a;b 1e400", " 7", "a;b 1,5"}) {
    starts(error_of(bad), "in.folded:1: ");
  }
  CHECK(error_of("a;b -3").find("negative") != std::string::npos);
  CHECK(error_of("a;b -3.5").find("negative") != std::string::npos);
  CHECK(error_of("a;b 18446744073709551616").find("2^64") != std::string::npos);
  CHECK(error_of("a;b 1e20").find("2^64") != std::string::npos);
  CHECK(error_of("a;b 18446744073709551615\na;c 1").find("in.folded:2: ") == 0);
  CHECK(error_of(std::string("a;b\0c 1", 7)).find("no text") != std::string::npos);
}

TEST_CASE("foreign lines are left out and counted, and damaged lines are refused") {
  AlienLines aliens;
  CHECK(folded(read_folded("WARNING: 2 stacks lost.\na;b 1\n\n 7\na;b x\n#\na;c 2\n", "x", &aliens)) ==
        "a;b 1\na;c 2\n");
  CHECK(aliens.count == 3);
  CHECK(aliens.first.starts_with("x:1: "));
  CHECK(error_of("a;b 1\na;b -3\n").find("in.folded:2: ") == 0);
  CHECK(read_folded("a;b 18446744073709551615\n 7\n", "x").total() == UINT64_MAX);  // the second line is left out
  AlienLines none;
  CHECK(read_profile("a;b 1\n", "x", &none).total() == 1);
  CHECK(none.count == 0);
  CHECK_THROWS_WITH_AS(read_profile("{\n \"a\": 1,\n \"b\": 2\n}\n", "x"), doctest::Contains("JSON"), Error);
}

TEST_CASE("threads of one name are one process without an id") {
  const Profile profile = read_folded("a;x 1\nb;x 2\na;y 3\n[unknown];x 4\n", "x");
  CHECK(profile.processes().size() == 3);
  CHECK(profile.processes()[0].tgid == 0);
  CHECK(profile.rows()[0].process == profile.rows()[2].process);
  CHECK(profile.account.balanced());
}
