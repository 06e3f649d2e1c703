// Tests that a file and a piece of memory are read in the same way, and never beyond their end.
#include "support/file_bytes.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "../made_elf.h"
#include "support/file_status.h"

using namespace profile;
using namespace profile::test;

namespace {

std::string read(const FileBytes& bytes, std::uint64_t offset, std::size_t size) {
  std::string text(size, '?');
  return bytes.read_at(offset, std::as_writable_bytes(std::span(text))) ? text : "no";
}

FileBytes memory_of(std::string_view text) { return FileBytes(std::as_bytes(std::span(text))); }

}  // namespace

TEST_CASE("a file and memory are read in the same way, and never beyond their end") {
  const Fd fd = in_memory("0123456789");
  for (const FileBytes& bytes : {FileBytes(fd.get()), memory_of("0123456789")}) {
    REQUIRE(bytes);
    CHECK(bytes.size_bytes() == 10);
    CHECK(read(bytes, 0, 10) == "0123456789");
    CHECK(read(bytes, 7, 3) == "789");
    CHECK(read(bytes, 10, 0).empty());
    CHECK(read(bytes, 7, 4) == "no");
    CHECK(read(bytes, 11, 0) == "no");
    CHECK(read(bytes, UINT64_MAX, 1) == "no");
    CHECK(read(bytes, UINT64_MAX - 1, 10) == "no");
  }
  CHECK(FileBytes(fd.get()).fd() == fd.get());
  CHECK(memory_of("x").fd() == -1);
}

TEST_CASE("an empty file is valid, and a file that cannot be examined is not valid") {
  const Fd fd = in_memory("");
  CHECK(FileBytes(fd.get()));
  CHECK(FileBytes(fd.get()).size_bytes() == 0);
  CHECK_FALSE(FileBytes(-1));
  CHECK_FALSE(FileBytes());
}

TEST_CASE("a byte of a file with many holes costs more of the budget") {
  const Fd fd = in_memory(std::string(1 << 16, 'x'));
  CHECK(FileBytes(fd.get()).steps_a_byte() == 1);
  CHECK(memory_of("text").steps_a_byte() == 1);
  REQUIRE(::ftruncate(fd.get(), 1 << 20) == 0);
  CHECK(FileBytes(fd.get()).steps_a_byte() > 1);
}

TEST_CASE("a file that shrinks during the reading ends at its new size") {
  const Fd fd = in_memory("0123456789");
  const FileBytes bytes(fd.get());
  REQUIRE(::ftruncate(fd.get(), 5) == 0);
  CHECK(read(bytes, 0, 5) == "01234");
  CHECK(read(bytes, 0, 6) == "no");
}

TEST_CASE("the status of a file equals that of fstat") {
  const Fd fd = in_memory("0123456789");
  struct stat wanted {};
  REQUIRE(::fstat(fd.get(), &wanted) == 0);
  const auto status = status_of(fd.get());
  REQUIRE(status);
  CHECK(status->device == wanted.st_dev);
  CHECK(status->inode == wanted.st_ino);
  CHECK(status->size_bytes == 10);
  CHECK(status->modified_ns == wanted.st_mtim.tv_sec * 1'000'000'000LL + wanted.st_mtim.tv_nsec);
  CHECK(status->owner == wanted.st_uid);
  CHECK_FALSE(status_of(-1));
}
