// Tests the tables of system calls that are made at build time, and the category of each name.
#include "sampling/syscall_names.h"

#include <doctest/doctest.h>
#include <sys/syscall.h>

#include <set>
#include <string>

#include "model/syscall_analysis.h"
#include "model/syscall_category.h"

using namespace profile;

namespace {

constexpr syscall_abi abis[] = {SYSCALL_NATIVE, SYSCALL_COMPAT, SYSCALL_X32};

std::uint32_t call_of(syscall_abi abi, std::uint32_t number) {
  return static_cast<std::uint32_t>(abi) << PROFILE_SYSCALL_ABI_SHIFT | number;
}
std::string native(long number) { return syscall_name(call_of(SYSCALL_NATIVE, static_cast<std::uint32_t>(number))); }

}  // namespace

TEST_CASE("the system call numbers of the compiler have the right names") {
  CHECK(native(SYS_read) == "read");
  CHECK(native(SYS_write) == "write");
  CHECK(native(SYS_openat) == "openat");
  CHECK(native(SYS_mmap) == "mmap");
  CHECK(native(SYS_getppid) == "getppid");
  CHECK(native(SYS_clock_nanosleep) == "clock_nanosleep");
  CHECK(native(SYS_futex) == "futex");
  CHECK(native(SYS_statx) == "statx");
  CHECK(native(SYS_bpf) == "bpf");
}

#if defined(__x86_64__)
TEST_CASE("the system calls of 32-bit programs have their own numbers") {
  // Numbers from arch/x86/entry/syscalls/syscall_32.tbl; they never change.
  CHECK(syscall_name(call_of(SYSCALL_COMPAT, 1)) == "exit");
  CHECK(syscall_name(call_of(SYSCALL_COMPAT, 3)) == "read");
  CHECK(syscall_name(call_of(SYSCALL_COMPAT, 102)) == "socketcall");
  CHECK(syscall_name(call_of(SYSCALL_COMPAT, 192)) == "mmap2");
  CHECK(syscall_name(call_of(SYSCALL_X32, 0)) == "read");
  CHECK(syscall_name(call_of(SYSCALL_X32, 513)) == "rt_sigreturn");
}
#endif

TEST_CASE("an unknown system call number is shown as a number") {
  CHECK(native(999) == "syscall 999");
  CHECK(syscall_name(call_of(SYSCALL_COMPAT, 998)) == "syscall 998");
  CHECK(native(PROFILE_SYSCALL_OUT_OF_RANGE) == "syscall out of range");
  CHECK(known_syscall_name(999).empty());
}

TEST_CASE("the tables of system calls are sorted by number and fit the arrays of the kernel side") {
  CHECK(syscall_names(SYSCALL_NATIVE).size() > 250);
  for (const syscall_abi abi : abis) {
    const auto names = syscall_names(abi);
    for (std::size_t i = 0; i < names.size(); ++i) {
      CHECK(names[i].number < PROFILE_SYSCALL_ODD);
      CHECK(!names[i].name.empty());
      if (i != 0) CHECK(names[i - 1].number <= names[i].number);
    }
  }
}

TEST_CASE("each system call of the kernel's headers is in exactly one category") {
  std::multiset<std::string> classified;
  for (std::size_t i = 0; i < syscall_categories; ++i) {
    const auto category = static_cast<SyscallCategory>(i);
    for (const std::string_view name : syscalls_of(category)) {
      INFO(name);
      CHECK(category_of_syscall(name) == category);
      classified.emplace(name);
    }
  }
  for (const std::string& name : classified) {
    INFO(name);
    CHECK(classified.count(name) == 1);
  }
  for (const syscall_abi abi : abis) {
    for (const SyscallName& call : syscall_names(abi)) {
      // A call that is new in the headers counts as `other` until a list in src/model/syscall_category.cpp has it.
      INFO(call.name);
      CHECK(classified.count(std::string(call.name)) == 1);
    }
  }
}

TEST_CASE("well-known calls are in the right categories, and an unknown call is in other") {
  CHECK(category_of_syscall("read") == SyscallCategory::file_io);
  CHECK(category_of_syscall("mmap") == SyscallCategory::memory);
  CHECK(category_of_syscall("clone") == SyscallCategory::process);
  CHECK(category_of_syscall("kill") == SyscallCategory::signal);
  CHECK(category_of_syscall("futex") == SyscallCategory::ipc);
  CHECK(category_of_syscall("sendto") == SyscallCategory::network);
  CHECK(category_of_syscall("nanosleep") == SyscallCategory::time);
  CHECK(category_of_syscall("setuid") == SyscallCategory::security);
  CHECK(category_of_syscall("mount") == SyscallCategory::system);
  CHECK(category_of_syscall("vserver") == SyscallCategory::other);
  CHECK(category_of_syscall("a call of the year 2040") == SyscallCategory::other);
  CHECK(category_of_syscall("") == SyscallCategory::other);
}
