// Tests how long a child is waited for. Time in which a busy machine gives it no CPU does not count.
#include "children/patience.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <utility>

#include "children/child_watch.h"
#include "support/fd.h"

namespace profile {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds hang{60'000};

class Child {
 public:
  explicit Child(void (*work)()) : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    work();
    ::_exit(0);
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void end() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    pid_ = -1;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

void stand_still() {
  for (;;) ::pause();
}
void compute() {
  for (unsigned long turn = 0;; ++turn) __asm__ volatile("" : "+r"(turn));
}

// Waits until the patience ends. Returns the time that has passed.
milliseconds waited(Patience& patience) {
  const auto begin = Clock::now();
  for (auto step = patience.next(); step.count() != 0 && Clock::now() - begin < hang; step = patience.next()) {
    std::this_thread::sleep_for(step);
  }
  return std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
}

bool waits_until(pid_t process, bool for_cpu) {
  const auto begin = Clock::now();
  while (waits_for_cpu(process) != for_cpu && Clock::now() - begin < hang) std::this_thread::sleep_for(milliseconds(1));
  return waits_for_cpu(process) == for_cpu;
}

TEST_CASE("a child that makes no progress is waited for as long as requested") {
  const Child child(stand_still);
  REQUIRE(waits_until(child.pid(), false));
  Patience patience(child.pid(), milliseconds(250));
  const auto time = waited(patience);
  CHECK(time >= milliseconds(250));
  CHECK(time < hang);
}

TEST_CASE("a child that waits for a CPU or runs is waited for longer, and a child that has ended is not") {
  Child child(compute);
  REQUIRE(waits_until(child.pid(), true));
  Patience patience(child.pid(), milliseconds(10));
  std::this_thread::sleep_for(milliseconds(30));
  CHECK(patience.next().count() != 0);
  CHECK(patience.next().count() != 0);
  const pid_t pid = child.pid();
  child.end();
  CHECK(!waits_for_cpu(pid));
  CHECK(patience.next().count() == 0);
}

TEST_CASE("a child that a signal has stopped is told from one that waits, runs or has ended") {
  Child child(compute);
  CHECK(!is_stopped(child.pid()));
  ::kill(child.pid(), SIGSTOP);
  REQUIRE(::waitpid(child.pid(), nullptr, WUNTRACED) == child.pid());
  CHECK(is_stopped(child.pid()));
  const pid_t pid = child.pid();
  child.end();
  CHECK(!is_stopped(pid));
  const Child waiting(stand_still);
  CHECK(!is_stopped(waiting.pid()));
}

TEST_CASE("the time between two late questions does not count against the child") {
  const Child child(stand_still);
  REQUIRE(waits_until(child.pid(), false));
  Patience patience(child.pid(), milliseconds(400));
  REQUIRE(patience.next().count() != 0);
  std::this_thread::sleep_for(milliseconds(1000));
  CHECK(patience.next().count() != 0);
  CHECK(waited(patience) < hang);
}

TEST_CASE("a child that makes no progress is stuck, and one late look does not count") {
  const Child child(stand_still);
  REQUIRE(waits_until(child.pid(), false));
  const ChildTimes times(child.pid());
  ChildWatch watch(times);
  std::this_thread::sleep_for(milliseconds(1500));
  CHECK(watch.look() == ChildWatch::Finding::works);
  const auto begin = Clock::now();
  while (watch.look() == ChildWatch::Finding::works && Clock::now() - begin < hang) {
    std::this_thread::sleep_for(milliseconds(50));
  }
  CHECK(watch.look() == ChildWatch::Finding::stuck);
}

// It is ready to run from one byte to the next, and then waits for another.
class WokenChild {
 public:
  WokenChild()
      : child_([] {
          int turns = 0;
          for (;;) {
            char byte = 0;
            while (::recv(pipe_.second.get(), &byte, 1, turns % 2 == 0 ? 0 : MSG_DONTWAIT) != 1) {
            }
            ++turns;
          }
        }) {}
  [[nodiscard]] pid_t pid() const { return child_.pid(); }
  void turn() const { REQUIRE(::send(pipe_.first.get(), "x", 1, 0) == 1); }

 private:
  static inline std::pair<Fd, Fd> pipe_ = new_socket_pair();
  Child child_;
};

TEST_CASE("a child that is ready to run at every look, but waits in between, is stuck") {
  const WokenChild child;
  const ChildTimes times(child.pid());
  ChildWatch watch(times);
  ChildWatch::Finding finding = ChildWatch::Finding::works;
  for (const auto begin = Clock::now(); finding == ChildWatch::Finding::works && Clock::now() - begin < hang;) {
    std::this_thread::sleep_for(milliseconds(50));
    child.turn();
    REQUIRE(waits_until(child.pid(), true));
    finding = watch.look();
    child.turn();
    REQUIRE(waits_until(child.pid(), false));
  }
  CHECK(finding == ChildWatch::Finding::stuck);
}

TEST_CASE("a child that gets a new limit for its time on a CPU has waited all the same") {
  const Child child(stand_still);
  REQUIRE(waits_until(child.pid(), false));
  const ChildTimes times(child.pid());
  ChildWatch watch(times);
  ChildWatch::Finding finding = ChildWatch::Finding::works;
  for (const auto begin = Clock::now(); finding == ChildWatch::Finding::works && Clock::now() - begin < hang;) {
    std::this_thread::sleep_for(milliseconds(50));
    watch.limit_running(1'000'000'000);
    finding = watch.look();
  }
  CHECK(finding == ChildWatch::Finding::stuck);
  CHECK(watch.took_ns() > ChildWatch::most_still_ns);
}

}  // namespace
}  // namespace profile
