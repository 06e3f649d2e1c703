// Tests the ten hottest functions that a run prints at its end.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "app/print.h"
#include "fixed_profile.h"
#include "output/hottest.h"
#include "output/tables.h"

namespace {

using namespace profile;

const HotFunction* find(const std::vector<HotFunction>& functions, const std::string& name) {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const auto& one) { return one.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

// `rec` calls itself, and two processes run the same functions.
Profile recursive() {
  Profile profile;
  test::Namer name(profile);
  for (const std::uint32_t tgid : {7U, 8U}) {
    const ProcessId app = profile.process(tgid, 0, "app");
    const FrameId leaf = name.user(app, 0x1000, "leaf", "app", 0);
    const FrameId rec = name.user(app, 0x2000, "rec", "app", 0);
    const FrameId rec_again = name.user(app, 0x2010, "rec", "app", 0x10);
    Row row;
    row.process = app;
    row.user = profile.stack(std::vector{leaf, rec, rec_again, rec});
    row.value = row.samples = 10;
    profile.add(row);
    row.user = profile.stack(std::vector{rec, rec_again});
    row.value = row.samples = 3;
    profile.add(row);
  }
  return profile;
}

}  // namespace

TEST_CASE("a recursive function counts once in its total, and is one function in all processes") {
  const Profile profile = recursive();
  const std::vector<HotFunction> functions = hottest_functions(profile);
  REQUIRE(functions.size() == 2);
  CHECK(functions[0].name == "leaf");
  CHECK(functions[0].module == "app");
  CHECK(functions[0].self == 20);
  CHECK(functions[0].total == 20);
  CHECK(functions[1].name == "rec");
  CHECK(functions[1].self == 6);
  CHECK(functions[1].total == 26);
  CHECK(hottest_lines(profile, 10) == std::vector<std::string>{"Top 2 functions, in samples",
                                                               "SELF  SHARE  TOTAL   SHARE  FUNCTION  MODULE",
                                                               "  20  76.9%     20   76.9%  leaf      app",
                                                               "   6  23.1%     26  100.0%  rec       app",
                                                               "hottest path, 76.9% in app: rec > leaf"});
}

TEST_CASE("the own values of all functions add up to the total, with placeholders") {
  const Profile profile = test::fixed_profile();
  const std::vector<HotFunction> functions = hottest_functions(profile);
  const std::uint64_t selves = std::accumulate(functions.begin(), functions.end(), std::uint64_t{0},
                                               [](std::uint64_t sum, const auto& one) { return sum + one.self; });
  CHECK(selves == profile.total());
  const HotFunction* read = find(functions, "vfs_read");
  REQUIRE(read != nullptr);
  CHECK(read->module == "[kernel]");
  CHECK(read->self == 13);
  REQUIRE(find(functions, "[No Stack]") != nullptr);
  REQUIRE(find(functions, "[Missed User Stack]") != nullptr);
  CHECK(find(functions, "[Missed User Stack]")->total == 7);
}

TEST_CASE("inlined functions are separate functions, and source lines are not") {
  const Profile profile = test::profile_with_lines();
  const std::vector<HotFunction> functions = hottest_functions(profile);
  REQUIRE(find(functions, "deep(int)") != nullptr);
  CHECK(find(functions, "deep(int)")->self == 8);
  CHECK(find(functions, "deep(int)")->total == 15);
  CHECK(find(functions, "main")->total == 17);
}

TEST_CASE("the hottest functions are in the profile's unit, with clean and short lines") {
  Profile profile = test::fixed_profile();
  profile.run.unit = "microseconds";
  const std::vector<std::string> lines = hottest_lines(profile, 3);
  REQUIRE(lines.size() >= 5);
  CHECK(lines[0].starts_with("Top 3 functions of "));
  CHECK(lines[0].ends_with(", in us"));
  for (const std::string& line : hottest_lines(profile, 100)) {
    CHECK(line.size() < 300);
    CHECK(line.find('\x1b') == std::string::npos);
  }
  CHECK(hottest_lines(Profile(), 10).empty());
  profile.run.unit = "bytes";
  CHECK(profile.weigh(1'000'000, Unit::bytes));
  CHECK(hottest_lines(profile, 3)[0].ends_with(", in kB"));
}

TEST_CASE("a function whose share would be 0.0 % is not among the hottest") {
  Profile profile;
  test::Namer name(profile);
  const ProcessId app = profile.process(7, 0, "app");
  const FrameId main = name.user(app, 0x1000, "main", "app", 0);
  const FrameId hot = name.user(app, 0x2000, "hot", "app", 0);
  const FrameId rare = name.user(app, 0x3000, "rare", "app", 0);
  Row row;
  row.process = app;
  row.user = profile.stack(std::vector{hot, main});
  row.value = row.samples = 99'960;
  profile.add(row);
  row.user = profile.stack(std::vector{rare, main});
  row.value = row.samples = 40;
  profile.add(row);
  CHECK(hottest_lines(profile, 10) == std::vector<std::string>{"Top 1 function of 3, in samples",
                                                               " SELF   SHARE  TOTAL   SHARE  FUNCTION  MODULE",
                                                               "99960  100.0%  99960  100.0%  hot       app",
                                                               "hottest path, 100.0% in app: main > hot"});
  row.value = row.samples = 12;
  profile.add(row);
  CHECK(hottest_lines(profile, 10)[3] == "   52   0.1%     52   0.1%  rare      app");
}

TEST_CASE("the functions that wait have the whole of the threads that wait, or say how theirs differs") {
  Profile profile;
  test::Namer name(profile);
  profile.run.event = "off-cpu";
  profile.run.unit = "microseconds";
  profile.run.counted = "waits";
  profile.duration_ns = 10'000'000'000;
  const auto wait = [&](std::uint32_t tgid, const char* thread, std::uint64_t us, bool is_kernel_thread) {
    const ProcessId process = profile.process(tgid, 0, thread);
    Row row;
    row.process = process;
    row.thread_name = profile.strings.intern(thread);
    const FrameId leaf =
        is_kernel_thread ? name.kernel(0xffffffff81000010, "worker_thread", "kernel", 0x10)
                         : name.user(process, std::uint64_t{0x1000} * tgid, std::string("wait_in_") + thread, "app", 0);
    (is_kernel_thread ? row.kernel : row.user) = profile.stack(std::vector{leaf});
    row.value = us;
    row.samples = 1;
    profile.add(row);
    ThreadWait of{
        .tgid = tgid, .tid = tgid, .name = row.thread_name, .is_kernel_thread = is_kernel_thread, .waits = {}};
    of.waits = {.count = 1, .total_ns = us * 1000, .min_ns = us * 1000, .max_ns = us * 1000, .histogram = {}};
    return of;
  };
  std::vector<ThreadWait> waits{wait(2, "kworker/0:1", 9'000'000, true), wait(7, "app", 1'500'000, false)};
  profile.thread_waits = waits;
  CHECK(hottest_lines(profile, 10) ==
        std::vector<std::string>{"Top 1 function, in ms: SELF is of the first frame outside kernel, standard "
                                 "libraries, allocator and interpreter",
                                 "    SELF   SHARE     TOTAL   SHARE  FUNCTION     MODULE",
                                 "1500.000  100.0%  1500.000  100.0%  wait_in_app  app",
                                 "all together 1500.000 ms; waits of kernel threads are left out"});
  waits.push_back(wait(9, "idle", 10'000'000, false));
  waits.back().never_woke = true;
  profile.thread_waits = waits;
  const std::vector<std::string> lines = hottest_lines(profile, 10);
  CHECK(lines[2] == "10.000  87.0%  10.000  87.0%  wait_in_idle  app");
  CHECK(lines.back() ==
        "all together 11.500 s, with the threads that never woke up; waits of kernel threads are left out");
}

TEST_CASE("the list of waits says what the functions called, on which lines, and who ended the waits") {
  Profile profile;
  test::Namer name(profile);
  profile.run.event = "off-cpu";
  profile.run.unit = "microseconds";
  profile.run.counted = "waits";
  const ProcessId app = profile.process(7, 0, "app");
  const FrameId lock = name.user(app, 0x1000, "pthread_mutex_lock", "libc.so.6", 0);
  const FrameId sync = name.user(app, 0x1100, "fsync", "libc.so.6", 0);
  const FrameId at_lock = name.user(app, 0x2000, "save", "app", 0x10);
  const FrameId at_sync = name.user(app, 0x2020, "save", "app", 0x30);
  const FrameId unlock = name.user(app, 0x1200, "pthread_mutex_unlock", "libc.so.6", 0);
  const FrameId holder = name.user(app, 0x3000, "hold", "app", 0);
  const StringId file = profile.strings.intern("/src/save.c");
  const auto set_line = [&](FrameId id, std::uint32_t line) {
    profile.frames()[static_cast<std::size_t>(id)].source =
        profile.source({.at = {.file = file, .line = line}, .inlined = {}});
  };
  set_line(at_lock, 12);
  set_line(at_sync, 30);
  Row row;
  row.process = app;
  row.samples = 1;
  row.user = profile.stack(std::vector{lock, at_lock});
  row.value = 750;
  row.waker = profile.strings.intern("worker");
  row.waker_user = profile.stack(std::vector{unlock, holder});
  profile.add(row);
  row.user = profile.stack(std::vector{sync, at_sync});
  row.value = 250;
  row.waker = profile.strings.intern("swapper/0");
  row.waker_user = StackId::none;
  profile.add(row);
  std::string text;
  for (const std::string& line : hottest_lines(profile, 10)) text += line + '\n';
  CHECK(text ==
        "Top 1 function of 3, in ms: SELF is of the first frame outside kernel, standard libraries, allocator and "
        "interpreter\n"
        " SELF   SHARE  TOTAL   SHARE  FUNCTION  MODULE  CALLS                              LINES\n"
        "1.000  100.0%  1.000  100.0%  save      app     pthread_mutex_lock 75%, fsync 25%  save.c:12 75%, save.c:30 "
        "25%\n"
        "Top 2 wakers, in ms: who ended the waits of FUNCTION\n"
        "WAITED  SHARE  FUNCTION  WOKEN BY   IN\n"
        " 0.750  75.0%  save      worker     hold\n"
        " 0.250  25.0%  save      swapper/0\n");
}

TEST_CASE("sizes have the unit that makes them short") {
  CHECK(size_text(0) == "0 bytes");
  CHECK(size_text(1) == "1 byte");
  CHECK(size_text(999) == "999 bytes");
  CHECK(size_text(1200) == "1.2 kB");
  CHECK(size_text(98'400) == "98 kB");
  CHECK(size_text(2'000'000'000) == "2.0 GB");
}

namespace {

// A script whose function calls another, which spends its time in the interpreter.
Profile of_script(std::uint64_t in_interpreter, std::uint64_t in_script) {
  Profile profile;
  test::Namer name(profile);
  const ProcessId app = profile.process(7, 0, "ruby");
  const FrameId compare = name.user(app, 0x1000, "rb_cmp", "libruby.so", 0);
  const FrameId slow = name.user(app, 0x2000, "slow_dedupe", "app.rb", 0);
  const FrameId top = name.user(app, 0x3000, "<main>", "app.rb", 0);
  for (const FrameId id : {slow, top}) profile.frames()[static_cast<std::size_t>(id)].kind = FrameKind::script;
  Row row;
  row.process = app;
  row.user = profile.stack(std::vector{compare, slow, top});
  row.value = row.samples = in_interpreter;
  profile.add(row);
  row.user = profile.stack(std::vector{slow, top});
  row.value = row.samples = in_script;
  profile.add(row);
  return profile;
}

}  // namespace

TEST_CASE("functions of a script that its interpreter hides have a table of their own") {
  CHECK(hottest_lines(of_script(90, 10), 10) ==
        std::vector<std::string>{
            "Top 2 functions of 3, in samples", "SELF  SHARE  TOTAL   SHARE  FUNCTION     MODULE",
            "  90  90.0%     90   90.0%  rb_cmp       libruby.so", "  10  10.0%    100  100.0%  slow_dedupe  app.rb",
            "Top 1 function, in samples, of programs and scripts: SELF is with what they call outside of their "
            "own code",
            "SELF   SHARE  TOTAL   SHARE  FUNCTION     MODULE", " 100  100.0%    100  100.0%  slow_dedupe  app.rb",
            "hottest path, 90.0% in ruby: <main> > slow_dedupe"});
  CHECK(hottest_lines(of_script(10, 90), 10).size() == 5);
}

TEST_CASE("own functions of a program that its libraries and runtime hide have a table, with what they call there") {
  Profile profile;
  test::Namer name(profile);
  const ProcessId app = profile.process(7, 0, "shop");
  const FrameId move = name.user(app, 0x1000, "memmove", "libc.so.6", 0);
  const FrameId grow = name.user(app, 0x2000, "runtime.growslice", "shop", 0);
  const FrameId parse = name.user(app, 0x3000, "main.parse", "shop", 0);
  const FrameId main = name.user(app, 0x4000, "main.main", "shop", 0);
  const FrameId collect = name.user(app, 0x5000, "runtime.gcDrain", "shop", 0);
  Row row;
  row.process = app;
  const auto add = [&](std::uint64_t value, const std::vector<FrameId>& stack) {
    row.user = profile.stack(stack);
    row.value = row.samples = value;
    profile.add(row);
  };
  add(50, {move, parse, main});
  add(20, {move, grow, parse, main});
  add(10, {parse, main});
  add(20, {collect});  // has no function of the program
  const std::vector<std::string> lines = hottest_lines(profile, 10);
  REQUIRE(lines.size() == 9);
  CHECK(lines[1] == "SELF  SHARE  TOTAL  SHARE  FUNCTION         MODULE");
  CHECK(lines[2] == "  70  70.0%     70  70.0%  memmove          libc.so.6");
  CHECK(lines[5] ==
        "Top 1 function, in samples, of programs and scripts: SELF is with what they call outside of their own "
        "code");
  CHECK(lines[6] == "SELF  SHARE  TOTAL  SHARE  FUNCTION    MODULE  CALLS");
  CHECK(lines[7] == "  80  80.0%     80  80.0%  main.parse  shop    memmove 62%, runtime.growslice 25%");
  CHECK(lines[8] == "hottest path, 50.0% in shop: main.main > main.parse > memmove");
}

TEST_CASE("threads of a language's runtime are left out of the waits, if their stacks show that they are its own") {
  Profile profile;
  test::Namer name(profile);
  profile.run.event = "off-cpu";
  profile.run.unit = "microseconds";
  profile.run.counted = "waits";
  profile.duration_ns = 10'000'000'000;
  const ProcessId app = profile.process(7, 0, "java");
  const FrameId wait = name.user(app, 0x1000, "pthread_cond_wait", "libc.so.6", 0);
  const FrameId monitor = name.user(app, 0x2000, "Monitor::wait", "libjvm.so", 0);
  const FrameId take = name.user(app, 0x3000, "Queue.take", "Queue.java", 0);
  profile.frames()[static_cast<std::size_t>(take)].kind = FrameKind::script;
  std::vector<ThreadWait> waits;
  const auto add = [&](const char* thread, const std::vector<FrameId>& stack, StackEnd end) {
    Row row;
    row.process = app;
    row.thread_name = profile.strings.intern(thread);
    row.user = profile.stack(stack, end);
    row.value = 1'000'000;
    row.samples = 1;
    profile.add(row);
    ThreadWait& of = waits.emplace_back();
    of.tgid = 7;
    of.tid = static_cast<std::uint32_t>(10 + waits.size());
    of.name = row.thread_name;
    of.waits = {.count = 1, .total_ns = 1'000'000'000, .min_ns = 1, .max_ns = 1, .histogram = {}};
  };
  add("G1 Service", {wait, monitor}, StackEnd::root);
  add("broken", {wait, monitor}, StackEnd::no_cfi);  // may have run a script
  add("native", {wait}, StackEnd::root);
  profile.thread_waits = waits;
  CHECK(blocking_threads(profile).listed.size() == 3);  // no script is known, so the interpreter's code is the program
  add("worker", {wait, monitor, take}, StackEnd::root);
  profile.thread_waits = waits;
  const BlockingThreads threads = blocking_threads(profile);
  CHECK(threads.listed.size() == 3);
  CHECK(threads.runtime_ns == 1'000'000'000);
  const std::vector<std::string> lines = hottest_lines(profile, 10);
  CHECK(lines.back() == "all together 3000.000 ms; waits of the runtimes' own threads are left out");
  std::ostringstream out;
  write_tables(out, profile, 10);
  CHECK(out.str().find("in 3 waits; the runtimes' own threads, 1000.000 ms, are left out\n") != std::string::npos);
  CHECK(out.str().find("G1 Service") == std::string::npos);
}

TEST_CASE("a wait that an interrupt ended was not ended by the thread that it met") {
  Profile profile;
  test::Namer name(profile);
  profile.run.event = "off-cpu";
  profile.run.unit = "microseconds";
  profile.run.counted = "waits";
  const ProcessId app = profile.process(7, 0, "app");
  const FrameId waits = name.user(app, 0x2000, "read_disk", "app", 0);
  const FrameId wake = name.kernel(0xffffffff81000010, "try_to_wake_up", "kernel", 0x10);
  const FrameId interrupt = name.kernel(0xffffffff81000020, "asm_common_interrupt", "kernel", 0x10);
  const FrameId bystander = name.user(app, 0x3000, "compute", "other", 0);
  Row row;
  row.process = app;
  row.user = profile.stack(std::vector{waits});
  row.waker = profile.strings.intern("other");
  row.waker_user = profile.stack(std::vector{bystander});
  row.waker_kernel = profile.stack(std::vector{wake, interrupt});
  row.value = 1000;
  row.samples = 1;
  profile.add(row);
  CHECK(hottest_lines(profile, 10).back() == " 1.000  100.0%  read_disk  (interrupt)");
}
