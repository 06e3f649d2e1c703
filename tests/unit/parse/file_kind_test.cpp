#include "parse/file_kind.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "support/fd.h"

namespace profile {
namespace {

Fd file_with(std::string_view content) {
  Fd fd(::memfd_create("kind", MFD_CLOEXEC));
  REQUIRE(::write(fd.get(), content.data(), content.size()) == static_cast<ssize_t>(content.size()));
  return fd;
}

}  // namespace

TEST_CASE("a file is handed over only as the kind that it begins as") {
  struct Kind {
    std::string_view content;
    bool is_elf;
    bool is_jit_dump;
  };
  const Kind kinds[] = {
      {"\x7f"
       "ELF\x02\x01\x01",
       true, false},
      {"\x7f"
       "ELF",
       true, false},
      {"\x7f"
       "EL",
       false, false},
      {"\x7f"
       "elf",
       false, false},
      {" \x7f"
       "ELF",
       false, false},
      {"DTiJ", false, true},
      {"DTiJ\x01", false, true},
      {"JiTD", false, false},  // of a big-endian machine
      {"DTi", false, false},
      {"root:x:0:0:root:/root:/bin/bash\n", false, false},
      {"root:$y$j9T$:19000:0:99999:7:::\n", false, false},
      {"#!/bin/sh\n", false, false},
      {"-----BEGIN OPENSSH PRIVATE KEY-----\n", false, false},
      {"", false, false},
      {std::string_view("\0\0\0\0", 4), false, false},
  };
  for (const Kind& row : kinds) {
    CAPTURE(std::string(row.content));
    const Fd fd = file_with(row.content);
    CHECK(begins_as(FileKind::elf, fd.get()) == row.is_elf);
    CHECK(begins_as(FileKind::jit_dump, fd.get()) == row.is_jit_dump);
  }
  CHECK_FALSE(begins_as(FileKind::elf, -1));
}

}  // namespace profile
