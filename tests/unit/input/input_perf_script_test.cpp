// Tests what perf script prints besides samples with the default fields: warnings, records, other fields, and files
// whose names are more than a path.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "input/profile_reader.h"
#include "output/output.h"
#include "support/error.h"

namespace {

using namespace profile;

std::string folded(const std::string& text, const OutputOptions& options = {.annotate = true}) {
  std::ostringstream out;
  find_output_format("folded")->make(options).report(out, read_profile(text, "in"));
  return out.str();
}

constexpr const char* frames =
    "\t            1212 leaf+0x22 (/srv/app/bin/app)\n\t            10ad main+0x4d (/srv/app/bin/app)\n\n";

ReadRequest from(double seconds) {
  ReadRequest request;
  request.from_s = seconds;
  return request;
}

ReadRequest of_event(const char* name) {
  ReadRequest request;
  request.event = name;
  return request;
}

std::string sample(const std::string& head) { return head + "\n" + frames; }

}  // namespace

TEST_CASE("lines that stand before the first sample are left out and counted") {
  for (const char* line :
       {"Failed to open /tmp/perf-4242.map, continuing without symbols",
        " instruction trace error type 1 time 4525.744123981 cpu 0 pid 4242 tid 4242 ip 0 code 8: Lost"}) {
    AlienLines aliens;
    const std::string text = std::string(line) + "\n" + sample("app 4242  100.000001:   10101010 cpu-clock: ");
    CHECK(folded(text) == "app;main;leaf 1\n");
    (void)read_profile(text, "in", &aliens);
    CHECK(aliens.count == 1);
  }
  CHECK(folded("warning\napp 7 1.5: cpu-clock: 401136 one+0x3 (/usr/bin/app)\n") == "app;one 1\n");
  // Folded lines may have such lines, too.
  CHECK(folded("warning\na;b 1\napp 7 1.5: cpu-clock: 401136 one+0x3 (/usr/bin/app)\n") == "a;b 1\n");
}

TEST_CASE("records of mappings and tasks are no samples") {
  const std::string event = "app  4242   100.000001:   10101010 cpu-clock: ";
  const std::string text =
      "swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1200000) @ 0]: x "
      "[kernel.kallsyms]_text\n"
      "perf-exec     0     0.000000: PERF_RECORD_COMM: perf-exec:4242/4242\n"
      "app  4242    99.900000: PERF_RECORD_COMM exec: app:4242/4242\n" +
      sample(event) + sample(event) + "app  4242   100.030000: PERF_RECORD_EXIT(4242:4242):(4242:4242)\n";
  AlienLines aliens;
  CHECK(read_profile(text, "in", &aliens).run.event == "cpu-clock");
  CHECK(aliens.count == 0);
  CHECK(folded(text) == "app;main;leaf 2\n");
  // Times count from the first sample.
  CHECK(read_profile(text, "in", nullptr, from(0)).total() == 2);
  CHECK(read_profile(text, "in", nullptr, from(1)).total() == 0);
  CHECK(folded("app 4242 PERF_RECORD_COMM: app:4242/4242\n" + sample("app 4242 cpu-clock: ")) == "app;main;leaf 1\n");
}

TEST_CASE("a file that was deleted is the same file") {
  const std::string text =
      "app 4242  100.000001: cpu-clock: \n\t1212 leaf+0x22 (/srv/a b (old)/app (deleted))\n"
      "\t2724a start_here+0x7a (/usr/lib/libc.so.6)\n\n"
      "app 4242  100.020001: cpu-clock: \n\t1218 leaf+0x28 (/srv/a b (old)/app)\n\t2724a start_here+0x7a "
      "(/usr/lib/libc.so.6)\n\n"
      "app 4242  100.040001: cpu-clock: \n\t7f1122334455 [unknown] (/memfd:doublemapper (deleted))\n\n";
  CHECK(folded(text, {.show_modules = true}) == "app;[unknown] 1\napp;start_here [libc.so.6];leaf [app] 2\n");
}

TEST_CASE("names with parentheses and blanks are whole") {
  CHECK(folded("my app 7 1.5: cpu-clock: \n\t1212 call(void (*)(int))+0x22 (/srv/app)\n"
               "\t1213 (anonymous namespace)::f(int) (/srv/app)\n\n",
               {.show_modules = true}) == "my app;(anonymous namespace)::f(int) [app];call(void (*)(int)) [app] 1\n");
}

TEST_CASE("an inlined function lies in the function that holds it") {
  const std::string text =
      "app 4242  100.000001: cpu-clock: \n\t1212 tiny+0x22 (inlined)\n\t1212 leaf+0x22 (/srv/app/bin/app)\n"
      "\t10ad main+0x4d (/srv/app/bin/app)\n\n";
  CHECK(folded(text) == "app;main;leaf;tiny_[i] 1\n");
  CHECK(folded(text, {.show_modules = true}) == "app;main [app];leaf [app];tiny [app] 1\n");
}

TEST_CASE("only code at addresses of the kernel is a kernel module") {
  CHECK(folded("com.app.main 21452/21452 [007] 11371.483014: 201198 cpu-clock:\n"
               "\tffffff9c807ad35c schedule ([kernel.kallsyms])\n\tffffff9c007ad35c nf_hook ([nf_tables])\n"
               "\t 7b0da4f360 syscall (/apex/lib64/bionic/libc.so)\n\t 9c51fd34 hashCode ([JIT app cache])\n"
               "\t 9c51fd88 art_stub ([anon:dalvik-jit-code-cache])\n\t 7b0da4f3 main (/system/bin/app)\n\n") ==
        "com.app.main;main;art_stub;hashCode;syscall;nf_hook_[k];schedule_[k] 1\n");
}

TEST_CASE("fields that were not asked for are missed only where they are needed") {
  CHECK(folded(sample("app 4242/4242 cpu-clock: ") + sample("app 4242/4243 cpu-clock: ")) == "app;main;leaf 2\n");
  CHECK(folded(sample("app 4242 ") + sample("app 4242 ")) == "app;main;leaf 2\n");
  CHECK(folded(sample("13328   100.000001:   10101010 cpu-clock: ")) == "[unknown];main;leaf 1\n");
  CHECK(folded(sample("my app 100.000001: cpu-clock: ")) == "my app;main;leaf 1\n");
  CHECK(folded(sample("app [001] cpu-clock:")) == "app;main;leaf 1\n");
  CHECK(folded(sample("app cpu-clock:") + sample("other cpu-clock:")) == "app;main;leaf 1\nother;main;leaf 1\n");
  CHECK(folded(sample("my app") + sample("my app")) == "my app;main;leaf 2\n");
  CHECK(folded(std::string(frames) + frames) == "[unknown];main;leaf 2\n");
  CHECK(folded("app 77 cpu-clock:  401136 one+0x3 (/usr/bin/app)\n") == "app;one 1\n");
  // Without the file (-F comm,pid,time,event,ip,sym).
  CHECK(folded("app 7 1.5: cpu-clock: \n\tffffffff81212121 vfs_read+0x1\n\t1212 f(int)\n\n") ==
        "app;f(int);vfs_read_[k] 1\n");
  const std::string text = sample("app 4242 ");
  CHECK_THROWS_WITH_AS((void)read_profile(text, "in", nullptr, from(1)), doctest::Contains("does not say when"), Error);
  CHECK_THROWS_WITH_AS((void)read_profile(text, "in", nullptr, of_event("x")), doctest::Contains("of which event"),
                       Error);
}
