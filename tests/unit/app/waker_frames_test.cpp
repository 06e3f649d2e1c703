// Tests the frames of the waker: they follow the frames of the wait, in the right order.
// A marker stands for a stack that could not be taken.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "app/stack_edits.h"
#include "model/profile.h"

using namespace profile;

namespace {

class Waits {
 public:
  // `names` are leaf first.
  StackId stack(FrameKind kind, const std::vector<std::string>& names) {
    std::vector<FrameId> frames;
    for (const std::string& name : names) {
      Frame frame;
      frame.kind = kind;
      frame.space = kind == FrameKind::kernel ? ProcessId::kernel : sleeper_;
      frame.address = RuntimeAddress{std::hash<std::string>()(name)};
      frame.unnamed = Unnamed::named;
      frame.symbol = profile.strings.intern(name);
      frames.push_back(profile.frame(frame));
    }
    return profile.stack(frames);
  }
  Row row() {
    Row row;
    row.process = sleeper_;
    row.user = stack(FrameKind::user, {"nap", "main"});
    row.kernel = stack(FrameKind::kernel, {"schedule", "do_nap"});
    row.value = 7;
    row.samples = 1;
    return row;
  }
  // The names of the row's kernel stack, root first.
  std::string shown(std::size_t index) {
    std::string names;
    const auto leaf_first = profile.stack(profile.rows()[index].kernel);
    for (auto frame = leaf_first.rbegin(); frame != leaf_first.rend(); ++frame) {
      names += (names.empty() ? "" : ";") + std::string(profile.strings.view(profile.frame(*frame).symbol));
    }
    return names;
  }

  Profile profile;

 private:
  ProcessId sleeper_ = profile.process(1, 0, "sleeper");
};

}  // namespace

TEST_CASE("the stacks of the waker follow the stack of the wait, the innermost frame first and the name last") {
  Waits waits;
  Row row = waits.row();
  row.waker = waits.profile.strings.intern("giver");
  row.waker_user = waits.stack(FrameKind::user, {"give", "run"});
  row.waker_kernel = waits.stack(FrameKind::kernel, {"bpf_prog_1_on_waking", "bpf_trace_run1", "wake_up", "write"});
  waits.profile.add(row);
  StackEdits(false).apply(waits.profile);
  REQUIRE(waits.profile.rows().size() == 1);
  CHECK(waits.shown(0) == "do_nap;schedule;--;wake_up;write;give;run;giver");
  CHECK(waits.profile.rows()[0].user == row.user);
  CHECK(waits.profile.rows()[0].waker == StringId::empty);
  CHECK(waits.profile.total() == 7);
}

TEST_CASE("waits with different wakers are separate, and a wait without a waker stays as it is") {
  Waits waits;
  Row row = waits.row();
  waits.profile.add(row);
  for (const char* name : {"one", "other", "one"}) {
    row.waker = waits.profile.strings.intern(name);
    waits.profile.add(row);
  }
  CHECK(waits.profile.rows().size() == 3);
  StackEdits(false).apply(waits.profile);
  REQUIRE(waits.profile.rows().size() == 3);
  CHECK(waits.shown(0) == "do_nap;schedule");
  CHECK(waits.shown(1) == "do_nap;schedule;--;one");
  CHECK(waits.profile.rows()[1].value == 14);
  CHECK(waits.shown(2) == "do_nap;schedule;--;other");
}

TEST_CASE("missed stacks are marked on both sides of the delimiter") {
  Waits waits;
  Row row = waits.row();
  row.kernel = StackId::missed;
  row.waker = waits.profile.strings.intern("giver");
  row.waker_user = StackId::missed;
  row.waker_kernel = StackId::missed;
  waits.profile.add(row);
  StackEdits(false).apply(waits.profile);
  CHECK(waits.shown(0) == "[Missed Kernel Stack];--;[Missed Kernel Stack];[Missed User Stack];giver");
}
