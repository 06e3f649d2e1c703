// Which kernel stacks are shown.
#include "app/stack_edits.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fixed_profile.h"

namespace profile {
namespace {

StackId stack_of(Profile& profile, const std::vector<std::string_view>& leaf_first) {
  test::Namer namer(profile);
  std::vector<FrameId> frames;
  std::uint64_t address = 0xffffffff81000000;
  for (const std::string_view name : leaf_first) frames.push_back(namer.kernel(address += 16, name, "kernel", 0));
  return profile.stack(frames);
}

std::string leaf_of(const Profile& profile, StackId stack) {
  return std::string(profile.strings.view(profile.frame(profile.stack(stack)[0]).symbol));
}

TEST_CASE("a kernel stack that is only the kernel's own walk is missed") {
  Profile profile;
  const StackId walk = stack_of(profile, {"__unwind_start", "perf_callchain_kernel"});
  CHECK(shown_kernel_stack(profile, walk, false) == StackId::missed);
  CHECK(shown_kernel_stack(profile, walk, true) == StackId::missed);
}

TEST_CASE("a thread that walks a stack itself keeps its kernel stack") {
  Profile profile;
  const StackId walks =
      stack_of(profile, {"__unwind_start", "perf_callchain_kernel", "get_perf_callchain", "schedule"});
  CHECK(shown_kernel_stack(profile, walks, false) == walks);
  CHECK(shown_kernel_stack(profile, StackId::none, false) == StackId::none);
  CHECK(shown_kernel_stack(profile, StackId::missed, false) == StackId::missed);
}

TEST_CASE("the frames of tracing are removed from traced stacks only") {
  Profile profile;
  const StackId traced =
      stack_of(profile, {"bpf_get_stackid", "bpf_prog_1234_on_switch", "bpf_trace_run4", "__schedule"});
  CHECK(leaf_of(profile, shown_kernel_stack(profile, traced, true)) == "__schedule");
  CHECK(shown_kernel_stack(profile, traced, false) == traced);
}

}  // namespace
}  // namespace profile
