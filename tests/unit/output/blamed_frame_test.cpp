// Tests which function a wait or an allocation belongs to.
#include "output/blamed_frame.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "fixed_profile.h"
#include "output/hottest.h"

using namespace profile;

namespace {

// reader calls read() of the C library, which waits in the kernel.
Profile waiting(std::string_view counted) {
  Profile profile;
  profile.run.counted = counted;
  test::Namer name(profile);
  const ProcessId app = profile.process(7, 0, "app");
  const FrameId read = name.user(app, 0x1000, "read", "libc.so.6", 0);
  const FrameId reader = name.user(app, 0x2000, "reader", "app", 0);
  const FrameId main = name.user(app, 0x3000, "main", "app", 0);
  const FrameId schedule = name.kernel(0x9000, "__schedule", "kernel", 0);
  Row row;
  row.process = app;
  row.user = profile.stack(std::vector{read, reader, main});
  row.kernel = profile.stack(std::vector{schedule});
  row.value = row.samples = 10;
  profile.add(row);
  return profile;
}

std::uint64_t self_of(const Profile& profile, std::string_view function) {
  for (const HotFunction& each : hottest_functions(profile)) {
    if (each.name == function) return each.self;
  }
  return 0;
}

std::string_view call_of(const Profile& profile, const Row& row) {
  return call_of_blamed(profile, row, blamed_place(profile, row));
}

}  // namespace

TEST_CASE("a wait belongs to the first function outside kernel and C library") {
  const Profile profile = waiting("waits");
  CHECK(blamed_place(profile, profile.rows()[0]) == 2);
  CHECK(self_of(profile, "reader") == 10);
  CHECK(self_of(profile, "__schedule") == 0);
}

TEST_CASE("what the blamed function called is the outermost function of the C library, else the system call") {
  Profile profile = waiting("waits");
  CHECK(call_of(profile, profile.rows()[0]) == "read");
  test::Namer name(profile);
  Row row = profile.rows()[0];
  const FrameId raw = name.user(row.process, 0x4000, "raw_call", "app", 0);
  const FrameId entry = name.kernel(0x9100, "entry_SYSCALL_64_after_hwframe", "kernel", 0);
  const FrameId call = name.kernel(0x9200, "do_syscall_64", "kernel", 0);
  const FrameId fsync = name.kernel(0x9300, "__x64_sys_fsync", "kernel", 0);
  row.user = profile.stack(std::vector{raw});
  row.kernel = profile.stack(std::vector{fsync, call, entry});
  CHECK(call_of(profile, row) == "fsync");
  row.kernel = StackId::missed;
  CHECK(call_of(profile, row).empty());
  profile.run.counted = "samples";
  CHECK(call_of(profile, row).empty());
}

TEST_CASE("the functions that programs wrap around malloc are not what allocates") {
  Profile profile;
  profile.run.counted = "allocations";
  test::Namer name(profile);
  const ProcessId app = profile.process(7, 0, "app");
  auto blamed = [&, address = std::uint64_t{0x1000}](const char* wrapper) mutable {
    const FrameId inner = name.user(app, address += 0x100, "malloc", "libc.so.6", 0);
    const FrameId own = name.user(app, address += 0x100, wrapper, "app", 0);
    const FrameId caller = name.user(app, address += 0x100, "caller", "app", 0);
    Row row;
    row.process = app;
    row.user = profile.stack(std::vector{inner, own, caller});
    row.value = row.samples = 1;
    return blamed_place(profile, row);
  };
  for (const char* const wrapper : {"xmalloc", "zmalloc_usable", "ztrymalloc_usable", "g_malloc0", "g_malloc_n",
                                    "ruby_xrealloc2", "xstrdup", "palloc0", "CRYPTO_malloc"}) {
    CAPTURE(wrapper);
    CHECK(blamed(wrapper) == 2);
  }
  for (const char* const own : {"xmallocate", "my_function", "smart_realloc_all", "x", "mallocator"}) {
    CAPTURE(own);
    CHECK(blamed(own) == 1);
  }
}

TEST_CASE("a tag comes before the frames") {
  Profile profile = waiting("samples");
  const StringId tag = profile.strings.intern(off_cpu_tag);
  profile.change_rows([&](Row& row) { row.tag = tag; });
  CHECK(blamed_place(profile, profile.rows()[0]) == 3);
  CHECK(self_of(profile, "reader") == 10);
  CHECK(self_of(profile, "[off-cpu]") == 0);
}

TEST_CASE("a wait in a script belongs to the script's function, and not to its interpreter") {
  Profile profile;
  profile.run.counted = "waits";
  test::Namer name(profile);
  const ProcessId app = profile.process(7, 0, "python3");
  const FrameId select = name.user(app, 0x1000, "select", "libc.so.6", 0);
  const FrameId sleep = name.user(app, 0x2000, "pysleep", "python3.11", 0);
  const FrameId own = name.user(app, 0x3000, "hash_block", "_hashing.cpython-311-x86_64-linux-gnu.so", 0);
  const FrameId worker = name.user(app, 0x4000, "worker", "job.py", 0);
  const FrameId main = name.user(app, 0x5000, "Py_BytesMain", "python3.11", 0);
  profile.frames()[static_cast<std::size_t>(worker)].kind = FrameKind::script;
  Row row;
  row.process = app;
  row.value = row.samples = 10;
  row.user = profile.stack(std::vector{select, sleep, worker, main});
  profile.add(row);
  CHECK(self_of(profile, "worker") == 10);
  CHECK(self_of(profile, "pysleep") == 0);
  // Below another library, whose function can be changed.
  row.user = profile.stack(std::vector{select, own, sleep, worker, main});
  profile.add(row);
  CHECK(self_of(profile, "hash_block") == 10);
  // No script is known.
  row.user = profile.stack(std::vector{select, sleep, main});
  profile.add(row);
  CHECK(self_of(profile, "pysleep") == 10);
}

TEST_CASE("a hit of an allocator belongs to its caller, and one of a program's function to itself") {
  Profile profile;
  profile.run.unit = Unit::hits;
  test::Namer name(profile);
  const ProcessId app = profile.process(7, 0, "service");
  const FrameId allocator = name.user(app, 0x1000, "runtime.mallocgc", "service", 0);
  const FrameId copies = name.user(app, 0x2000, "runtime.slicebytetostring", "service", 0);
  const FrameId decode = name.user(app, 0x3000, "encoding/json.Unmarshal", "service", 0);
  Row row;
  row.process = app;
  row.value = row.samples = 10;
  row.user = profile.stack(std::vector{allocator, copies, decode});
  profile.add(row);
  CHECK(blamed_place(profile, profile.rows()[0]) == 2);
  CHECK(call_of(profile, profile.rows()[0]) == "runtime.slicebytetostring");
  row.user = profile.stack(std::vector{decode});
  profile.add(row);
  CHECK(blamed_place(profile, profile.rows()[1]) == 0);
}

TEST_CASE("what comes with a language is not the answer, unless the program has nothing of its own") {
  Profile profile;
  profile.run.counted = "waits";
  test::Namer name(profile);
  const ProcessId app = profile.process(7, 0, "app");
  auto blamed = [&, address = std::uint64_t{0x1000}](const std::vector<const char*>& names) mutable {
    std::vector<FrameId> stack{name.user(app, address += 0x100, "read", "libc.so.6", 0)};
    for (const char* const one : names) stack.push_back(name.user(app, address += 0x100, one, "app", 0));
    stack.push_back(name.user(app, address += 0x100, "start_thread", "libc.so.6", 0));
    Row row;
    row.process = app;
    row.user = profile.stack(stack);
    row.value = row.samples = 1;
    return std::pair(blamed_place(profile, row), std::string(call_of(profile, row)));
  };
  CHECK(blamed({"syscall.read", "internal/poll.(*FD).Read", "os.(*File).Read", "main.load", "runtime.goexit"}) ==
        std::pair(std::size_t{4}, std::string("os.(*File).Read")));
  CHECK(blamed({"reflect.MakeSlice", "encoding/json.(*decodeState).array", "main.parseConfig"}).first == 3);
  CHECK(blamed({"std::unique_lock<std::mutex>::lock()", "Shop::save(int)"}) ==
        std::pair(std::size_t{2}, std::string("std::unique_lock<std::mutex>::lock()")));
  CHECK(blamed({"void std::__introsort_loop<int*, long>(int*, int*, long)", "order"}).first == 2);
  CHECK(blamed({"std::sys::unix::fs::File::read", "<std::fs::File as std::io::Read>::read", "app::load"}).first == 3);
  // The thread's function is inlined into the outermost.
  CHECK(blamed({"std::this_thread::sleep_for<long>()", "std::thread::_State_impl<work()>::_M_run()"}).first == 2);
  for (const char* const own :
       {"time.part.0", "sort.constprop.0", "std::vector<int> shop::list<int>(int)", "mystd::f()",
        "(anonymous namespace)::load(int)", "shop::(anonymous namespace)::load(int)"}) {
    CAPTURE(own);
    CHECK(blamed({own, "main"}).first == 1);
  }
}

TEST_CASE("the standard library of a script's language is not the answer, and packages are") {
  Profile profile;
  profile.run.counted = "waits";
  test::Namer name(profile);
  const ProcessId app = profile.process(7, 0, "app");
  const FrameId wait = name.user(app, 0x900, "pthread_cond_wait", "libc.so.6", 0);
  auto blamed = [&, address = std::uint64_t{0x1000}](
                    const char* interpreter,
                    const std::vector<std::pair<const char*, const char*>>& functions) mutable {
    std::vector<FrameId> stack{wait, name.user(app, address += 0x100, "wait", interpreter, 0)};
    for (const auto& [function, file] : functions) {
      const FrameId id = name.user(app, address += 0x100, function, "script", 0);
      Frame& frame = profile.frames()[static_cast<std::size_t>(id)];
      frame.kind = FrameKind::script;
      frame.source = profile.source({.at = {.file = profile.strings.intern(file), .line = 7}, .inlined = {}});
      stack.push_back(id);
    }
    Row row;
    row.process = app;
    row.user = profile.stack(stack);
    row.value = row.samples = 1;
    return std::pair(blamed_place(profile, row), std::string(call_of(profile, row)));
  };
  CHECK(blamed("libjvm.so", {{"jdk.internal.misc.Unsafe.park", "Unsafe.java"},
                             {"java.util.concurrent.locks.ReentrantLock.lock", "ReentrantLock.java"},
                             {"Shop.order", "Shop.java"}}) ==
        std::pair(std::size_t{4}, std::string("java.util.concurrent.locks.ReentrantLock.lock")));
  CHECK(blamed("node", {{"<regular expression>", ""}, {"check", "/srv/app.js"}}).first == 3);
  CHECK(blamed("python3.11", {{"wait", "/usr/lib/python3.11/threading.py"},
                              {"get", "/usr/lib/python3.11/queue.py"},
                              {"work", "/srv/job.py"}}) == std::pair(std::size_t{4}, std::string("get")));
  CHECK(blamed("python3.11", {{"execute", "/usr/lib/python3/dist-packages/psycopg2/x.py"}, {"work", "/srv/job.py"}})
            .first == 2);
  CHECK(blamed("node", {{"read", "node:fs"}, {"load", "/srv/app.js"}}).first == 3);
  CHECK(blamed("ruby", {{"synchronize", "/usr/lib/ruby/3.1.0/monitor.rb"}, {"run", "/srv/app.rb"}}).first == 3);
  CHECK(blamed("perl", {{"sleep", "/usr/share/perl/5.36/IO.pm"}, {"run", "/srv/app.pl"}}).first == 3);
  // Nothing of its own: the innermost of the library.
  CHECK(
      blamed("python3.11", {{"serve", "/usr/lib/python3.11/socketserver.py"}, {"run", "/usr/lib/python3.11/runpy.py"}})
          .first == 2);
}

TEST_CASE("a stub of Java's engine is not what waits") {
  Profile profile;
  profile.run.counted = "waits";
  test::Namer name(profile);
  const ProcessId app = profile.process(7, 0, "java");
  const FrameId wait = name.user(app, 0x1000, "Unsafe_Park", "libjvm.so", 0);
  const FrameId stub = name.user(app, 0x2000, "~monitorenter_nofpu Runtime1 stub", "libjvm.so", 0);
  const FrameId method = name.user(app, 0x3000, "Shop$Audit.record", "Shop.java", 0);
  for (const FrameId id : {stub, method}) profile.frames()[static_cast<std::size_t>(id)].kind = FrameKind::script;
  Row row;
  row.process = app;
  row.value = row.samples = 10;
  row.user = profile.stack(std::vector{wait, stub, method});
  profile.add(row);
  CHECK(self_of(profile, "Shop$Audit.record") == 10);
}

TEST_CASE("a sample of a clock belongs to its leaf") {
  const Profile profile = waiting("samples");
  CHECK(blamed_place(profile, profile.rows()[0]) == 0);
  CHECK(self_of(profile, "__schedule") == 10);
}

TEST_CASE("the leaf keeps what no program asked for, and what only an allocator did") {
  Profile profile;
  profile.run.counted = "allocations";
  test::Namer name(profile);
  const ProcessId app = profile.process(7, 0, "app");
  const FrameId inside = name.user(app, 0x1000, "malloc", "app", 0);
  const FrameId throwing = name.user(app, 0x2000, "operator new(unsigned long)", "app", 0);
  Row row;
  row.process = app;
  row.user = profile.stack(std::vector{inside, throwing});
  row.value = row.samples = 5;
  profile.add(row);
  row.user = StackId::none;
  profile.add(row);
  CHECK(self_of(profile, "malloc") == 5);
  CHECK(self_of(profile, "[No Stack]") == 5);
}
