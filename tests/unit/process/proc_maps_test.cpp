// Tests the reader of /proc/PID/maps.
#include "process/proc_maps.h"

#include <doctest/doctest.h>

#include <string>

using namespace profile;

namespace {

constexpr FileIdentity some_file{0xfe, 0, 332835};

}  // namespace

TEST_CASE("only executable lines of maps are read, with all their fields") {
  std::string_view text =
      "7f0000000000-7f0000026000 r--p 00000000 fe:00 332835                     /usr/lib/libc.so.6\n"
      "7f0000026000-7f000017c000 r-xp 00026000 fe:00 332835                     /usr/lib/libc.so.6\n"
      "7f000017c000-7f000017d000 rw-p 00000000 00:00 0 \n"
      "7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]\n";
  const auto libc = next_code_mapping(text);
  REQUIRE(libc);
  CHECK(libc->start == 0x7f0000026000);
  CHECK(libc->end == 0x7f000017c000);
  CHECK(libc->offset == 0x26000);
  CHECK(libc->file == some_file);
  CHECK(libc->path == "/usr/lib/libc.so.6");
  const auto vdso = next_code_mapping(text);
  REQUIRE(vdso);
  CHECK(vdso->path == "[vdso]");
  CHECK_FALSE(next_code_mapping(text));
}

TEST_CASE("anonymous executable memory has an empty path") {
  std::string_view text = "1000-2000 rwxp 00000000 00:00 0 \n";
  const auto entry = next_code_mapping(text);
  REQUIRE(entry);
  CHECK(entry->path.empty());
  CHECK(entry->file == FileIdentity{});
}

TEST_CASE("a line of 32 KB in maps is read whole") {
  std::string path;
  while (path.size() < 32'000) path += "/\\012\\012\\012\\012x y";
  const std::string lines = "1000-2000 r-xp 0 01:02 3 " + path + "\n3000-4000 r-xp 0 01:02 4 /b\n";
  std::string_view text = lines;
  const auto entry = next_code_mapping(text);
  REQUIRE(entry);
  CHECK(entry->path == path);
  REQUIRE(next_code_mapping(text));
}

TEST_CASE("malformed lines of maps are skipped, and the next good line is read") {
  std::string_view text =
      "\n"
      "zzzz-1000 r-xp 0 01:02 3 /a\n"
      "2000-1000 r-xp 0 01:02 3 /reversed\n"
      "1000-2000 r-xp\n"
      "1000-2000 r-xp 0 0102 3 /no-colon\n"
      "fffffffffffffffff-2000 r-xp 0 01:02 3 /too-large\n"
      "1000-2000 r-xp 0 01:02 3 /good";
  const auto entry = next_code_mapping(text);
  REQUIRE(entry);
  CHECK(entry->path == "/good");
  CHECK_FALSE(next_code_mapping(text));
}

TEST_CASE("the filter keeps only lines of code, up to the limit") {
  std::string kept;
  keep_code_lines("1-2 r--p 0 0:0 0 \n3-4 r-xp 0 0:0 0 \n5-6 rw-p 0 0:0 0 \n", kept, 1000);
  CHECK(kept == "3-4 r-xp 0 0:0 0 \n");
  for (int i = 0; i < 100; ++i) keep_code_lines("3-4 r-xp 0 0:0 0 \n", kept, 100);
  CHECK(kept.size() <= 100);
}

TEST_CASE("memory without a file in a gap of a program's mappings is a copy of what is left out") {
  const auto kept_of = [](std::string_view lines) {
    std::string kept;
    keep_code_lines(lines, kept, 1000);
    return kept;
  };
  const std::string kept = kept_of(
      "1000-2000 r--p 0 8:1 7   /bin/a\n"
      "2000-5000 r-xp 0 0:0 0 \n"
      "5000-6000 r--p 4000 8:1 7   /bin/a\n");
  std::string_view text = kept;
  const auto before = next_code_mapping(text);
  REQUIRE(before);
  CHECK(before->start == 0x1000);
  CHECK(!before->is_copy);
  const auto copy = next_code_mapping(text);
  REQUIRE(copy);
  CHECK(copy->is_copy);
  CHECK(copy->start == 0x2000);
  CHECK(copy->end == 0x5000);
  CHECK(copy->offset == 0x1000);
  CHECK(copy->file == FileIdentity{8, 1, 7});
  CHECK(copy->path == "/bin/a");
  CHECK(!next_code_mapping(text));
  // A part in the middle of code: what is before it is code anyway, and is kept once.
  CHECK(kept_of("1000-2000 r-xp 0 8:1 7 /a\n2000-5000 r-xp 0 0:0 0 \n5000-6000 r-xp 4000 8:1 7 /a\n") ==
        "1000-2000 r-xp 0 8:1 7 /a\n2000-5000 --xc 1000 8:1 7 /a\n5000-6000 r-xp 4000 8:1 7 /a\n");
  for (const char* other : {
           "1000-2000 r--p 0 8:1 7 /a\n2000-5000 r-xp 0 0:0 0 \n5000-6000 r--p 5000 8:1 7 /a\n",   // more is left out
           "1000-2000 r--p 0 8:1 7 /a\n2000-5000 r-xp 0 0:0 0 \n5000-6000 r--p 4000 8:1 8 /b\n",   // another file
           "1000-2000 r--p 0 8:1 7 /a\n2000-5000 r-xp 0 0:0 0 \n5800-6000 r--p 4000 8:1 7 /a\n",   // a hole
           "2000-5000 r-xp 0 0:0 0 \n5000-6000 r--p 4000 8:1 7 /a\n",                              // nothing before it
           "1000-2000 r--p 0 8:1 7 /a\n2000-5000 r-xp 0 0:0 0 \n",                                 // nothing behind it
           "1000-2000 rw-p 0 0:0 0 \n2000-5000 r-xp 0 0:0 0 \n5000-6000 rw-p 4000 0:0 0 \n",       // no file at all
           "1000-2000 r--p 0 8:1 7 /a\n2000-5000 r-xp 0 8:1 9 /c\n5000-6000 r--p 4000 8:1 7 /a\n"  // a file itself
       }) {
    CAPTURE(other);
    CHECK(kept_of(other).find("c ") == std::string::npos);
  }
}

TEST_CASE("the name of a mapping distinguishes files from anonymous memory") {
  CHECK(code_kind("/usr/bin/dd", some_file) == CodeKind::file);
  CHECK(code_kind("/usr/bin/dd (deleted)", some_file) == CodeKind::file);
  CHECK(code_kind("/dev/shm/lib.so", some_file) == CodeKind::file);
  CHECK(code_kind("//toolong", some_file) == CodeKind::file);
  CHECK(code_kind("[vdso]", {}) == CodeKind::vdso);
  CHECK(code_kind("[vsyscall]", {}) == CodeKind::none);
  for (const char* name : {"", "//anon", "[heap]", "[stack]", "[anon:v8]"})
    CHECK(code_kind(name, {}) == CodeKind::anonymous);
  CHECK(code_kind("/memfd:jit (deleted)", some_file) == CodeKind::memory_file);
  for (const char* name : {"/dev/zero (deleted)", "/SYSV00000000 (deleted)", "/anon_hugepage (deleted)",
                           "/dev/hugepages/x", "anon_inode:[x]", "[anon_shmem:x]"}) {
    CAPTURE(name);
    CHECK(code_kind(name, some_file) == CodeKind::anonymous);
  }
}

TEST_CASE("a path is cleaned of the kernel's mark and escapes") {
  CHECK(clean_path("/a/b (deleted)") == "/a/b");
  CHECK(clean_path("/a (deleted)/b") == "/a (deleted)/b");
  CHECK(clean_path("/a\\012b\\012") == "/a\nb\n");
  CHECK(clean_path("") == "");
}
