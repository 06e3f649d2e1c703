// Tests the frames of the waker: they follow the frames of the wait, in the right order.
// A marker stands for a stack that could not be taken.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "app/stack_edits.h"
#include "input/profile_reader.h"
#include "model/profile.h"
#include "model/wakers.h"
#include "output/hottest.h"
#include "output/output.h"

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
  void show() {
    StackEdits(false).apply(profile);
    append_wakers(profile);
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
  waits.show();
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
  waits.show();
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
  waits.show();
  CHECK(waits.shown(0) == "[Missed Kernel Stack];--;[Missed Kernel Stack];[Missed User Stack];giver");
}

TEST_CASE(
    "JSON and pprof keep wakers as data, of which the frames can be made again, and no function is a thread name") {
  Waits waits;
  Row row = waits.row();
  row.waker = waits.profile.strings.intern("giver");
  row.waker_user = waits.stack(FrameKind::user, {"give", "run"});
  row.waker_kernel = waits.stack(FrameKind::kernel, {"wake_up", "write"});
  waits.profile.add(row);
  row.waker_user = StackId::missed;
  row.waker_kernel = StackId::none;
  waits.profile.add(row);
  StackEdits(false).apply(waits.profile);
  for (const HotFunction& function : hottest_functions(waits.profile)) {
    CHECK(function.name != "giver");
    CHECK(function.name != waker_delimiter);
  }
  for (const char* const format : {"json", "pprof"}) {
    CAPTURE(format);
    std::stringstream file;
    find_output_format(format)->make({}).report(file, waits.profile);
    Waits read;
    std::string bytes = std::move(file).str();
    read.profile = read_profile(bytes, "file");
    REQUIRE(read.profile.rows().size() == 2);
    CHECK(has_wakers(read.profile));
    CHECK(read.shown(0) == "do_nap;schedule");
    append_wakers(read.profile);
    CHECK(read.shown(0) == "do_nap;schedule;--;wake_up;write;give;run;giver");
    CHECK(read.shown(1) == "do_nap;schedule;--;[Missed User Stack];giver");
    CHECK(read.profile.total() == 14);
  }
}
