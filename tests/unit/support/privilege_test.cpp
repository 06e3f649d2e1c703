// Tests the error text when the kernel refuses a call although this process has the privilege.
#include "support/privilege.h"

#include <doctest/doctest.h>

#include <cerrno>

using namespace profile;

namespace {

constexpr const char* by_filter =
    "a seccomp filter (a container's?) refuses it although this process has the privilege; allow bpf and "
    "perf_event_open there";

}  // namespace

TEST_CASE("a refusal names the seccomp filter and the security modules if both can be the cause") {
  CHECK(words_of_refusal("it", EPERM, true, "lockdown,capability,apparmor") ==
        "a seccomp filter (a container's?) or a security module (there are lockdown,capability,apparmor) refuses it "
        "although this process has the privilege; allow bpf and perf_event_open there");
  CHECK(words_of_refusal("it", EACCES, true, std::nullopt) ==
        "a seccomp filter (a container's?) or a security module refuses it although this process has the privilege; "
        "allow bpf and perf_event_open there");
}

TEST_CASE("a refusal names only the seccomp filter if nothing else can be the cause") {
  CHECK(words_of_refusal("it", ENOSYS, true, "capability,selinux") == by_filter);
  CHECK(words_of_refusal("it", ENOSYS, true, std::nullopt) == by_filter);
  CHECK(words_of_refusal("it", EPERM, true, "lockdown,capability,landlock,yama") == by_filter);
  CHECK(words_of_refusal("it", EPERM, true, "") == by_filter);
}

TEST_CASE("a refusal without a seccomp filter names a security module") {
  CHECK(words_of_refusal("it", EPERM, false, "capability,selinux") ==
        "a security module refuses it although this process has the privilege (there are capability,selinux)");
}
