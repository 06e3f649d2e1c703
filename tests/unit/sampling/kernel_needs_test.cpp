// Tests the table of pieces that a kernel must have, and that the manual has the same table.
#include "sampling/kernel_needs.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

namespace profile {
namespace {

std::string without_escapes(std::string text) {
  std::erase(text, '\\');
  return text;
}

// The list in the manual's section KERNELS: "bpf_task_pt_regs Pq 5.15", and its users on the next line.
std::vector<std::pair<std::string, std::string>> needs_in_manual() {
  std::ifstream manual(PROFILE_TEST_DATA "/../../../man/profile.8");
  REQUIRE(manual);
  std::vector<std::pair<std::string, std::string>> rows;
  bool is_there = false;
  for (std::string line; std::getline(manual, line);) {
    if (line.starts_with(".Sh ")) is_there = line == ".Sh KERNELS";
    if (!is_there || !line.starts_with(".It ")) continue;
    std::string users;
    std::getline(manual, users);
    rows.emplace_back(line.substr(4), without_escapes(users));
  }
  return rows;
}

TEST_CASE("the manual has the table of kernel needs") {
  std::vector<std::pair<std::string, std::string>> wanted;
  for (const KernelNeed& need : kernel_needs()) {
    std::ostringstream head;
    head << need.piece;
    if (need.since.major != 0) head << " Pq " << need.since.major << "." << need.since.minor;
    wanted.emplace_back(head.str(), need.needed_by);
  }
  CHECK(needs_in_manual() == wanted);
}

TEST_CASE("each kernel need has either a version or its own words, and the name of a use") {
  for (const KernelNeed& need : kernel_needs()) {
    CAPTURE(need.piece);
    CHECK((need.since.major == 0) == !need.lack.empty());
    CHECK(!need.needed_by.empty());
  }
  for (const std::string_view event : {"off-cpu", "wall", "futex", "block-io", "syscalls", "malloc", "uprobe"}) {
    CAPTURE(event);
    int needs = 0;
    for (const KernelNeed& need : kernel_needs()) needs += is_needed_by(need, event) ? 1 : 0;
    CHECK(needs >= 2);  // its own needs and those of all events
  }
}

TEST_CASE("an event with options needs what the event needs, and nothing of other events") {
  const auto needs = [](std::string_view piece, std::string_view use) {
    for (const KernelNeed& need : kernel_needs()) {
      if (need.piece == piece) return is_needed_by(need, use);
    }
    FAIL("no such piece");
    return false;
  };
  CHECK(needs("bpf_get_attach_cookie", "malloc --live"));
  CHECK(needs("bpf_for_each_map_elem", "malloc --live"));
  CHECK_FALSE(needs("bpf_for_each_map_elem", "malloc"));
  CHECK_FALSE(needs("bpf_task_pt_regs", "off-cpu without BTF"));
  CHECK(needs("bpf_for_each_map_elem", "off-cpu without BTF"));
  CHECK(needs("BPF ring buffer", "page-faults"));
  CHECK_FALSE(needs("BTF", "page-faults"));
}

TEST_CASE("the kernel version is the first part of the release") {
  CHECK(kernel_version_of("5.10.0-46-cloud-amd64") == KernelVersion{5, 10});
  CHECK(kernel_version_of("6.1") == KernelVersion{6, 1});
  CHECK(kernel_version_of("5.9.1") < KernelVersion{5, 10});
  CHECK(kernel_version_of("6.18-rc1+") == KernelVersion{6, 18});
  CHECK(kernel_version_of("") == KernelVersion{});
  CHECK(kernel_version_of("six.one") == KernelVersion{});
}

}  // namespace
}  // namespace profile
