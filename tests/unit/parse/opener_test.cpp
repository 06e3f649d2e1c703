// Tests the main process's side of the opener, when the opener (child process) answers late or not at all.
#include "parse/opener.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "children/channel.h"
#include "children/wire.h"
#include "hostile_parser.h"
#include "support/fd.h"

namespace profile {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds hang{60};
constexpr FileNumber number{7};
constexpr FileNumber another{8};

// Uses this much CPU time before it answers. The tests take longer than the wait for an idle child.
void compute_ms(long milliseconds) {
  const auto ran = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
  };
  const long end = ran() + milliseconds;
  while (ran() < end) {
  }
}

// A child process in place of the opener. It calls `first`, and then answers for each file that the file has changed.
class Child {
 public:
  explicit Child(void (*first)()) {
    auto [ours, its] = new_socket_pair();
    socket = std::move(ours);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    socket.reset();
    const WaitingChannel channel(std::move(its));
    while (const auto message = channel.receive()) {
      first();
      WireReader in(message->bytes);
      channel.send(message_of(in.get<std::uint64_t>(), FileFault::none, FileState::changed));
    }
    ::_exit(0);
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void stop() const {
    ::kill(pid_, SIGSTOP);
    int status = 0;
    REQUIRE(::waitpid(pid_, &status, WUNTRACED) == pid_);
  }
  void go_on() const { ::kill(pid_, SIGCONT); }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

  Fd socket;

 private:
  pid_t pid_ = -1;
};

std::optional<FileAnswer> late_answer(Opener& opener) {
  std::optional<FileAnswer> late;
  const auto begin = Clock::now();
  while (!late && Clock::now() - begin < hang) {
    opener.wait_for_answer(std::chrono::milliseconds(100));
    opener.take_answers([&late](const FileAnswer& answer) { late = answer; });
  }
  return late;
}

}  // namespace

TEST_CASE("the profiler waits for an opener without CPU time and uses its answer") {
  Child child([] { compute_ms(300); });
  Opener opener(Channel(std::move(child.socket)), child.pid());
  CHECK(opener.state(number) == FileState::changed);
}

TEST_CASE("the state of a file is unknown while the opener is stopped, and arrives when it continues") {
  Child child([] {});
  Opener opener(Channel(std::move(child.socket)), child.pid());
  child.stop();
  CHECK(opener.state(number) == FileState::unknown);
  CHECK(opener.state(another) == FileState::unknown);
  // The next question does not wait for the stopped opener either.
  CHECK(opener.hand(number, WayNumber{0}, FileKind::elf) == FileFault::not_opened);
  CHECK(opener.is_silent());
  child.go_on();
  const auto late = late_answer(opener);
  REQUIRE(late);
  CHECK((late->number == number || late->number == another));
  CHECK(late->state == FileState::changed);
  CHECK_FALSE(opener.is_silent());
}

TEST_CASE("one question that has no answer does not keep the next from its answer") {
  test::PlayedChild child([](const WaitingChannel& main_process) {
    bool is_first = true;
    while (const auto message = main_process.receive()) {
      const auto id = WireReader(message->bytes).get<std::uint64_t>();
      if (!std::exchange(is_first, false)) main_process.send(message_of(id, FileFault::none));
    }
  });
  Opener opener(Channel(std::move(child.socket)), child.pid());
  CHECK(opener.hand(number, WayNumber{0}, FileKind::elf) == FileFault::not_opened);
  CHECK(opener.is_silent());
  CHECK(opener.hand(another, WayNumber{0}, FileKind::elf) == FileFault::none);
  CHECK_FALSE(opener.is_silent());
}

TEST_CASE("the state of a file stays unknown after the opener has ended") {
  Child child([] {});
  Opener opener(Channel(std::move(child.socket)), child.pid());
  child.stop();
  CHECK(opener.state(number) == FileState::unknown);
  child.end();
  auto late = late_answer(opener);
  REQUIRE(late);
  CHECK(late->number == number);
  CHECK(late->state == FileState::unknown);
  CHECK(opener.state(another) == FileState::unknown);
  late = late_answer(opener);
  REQUIRE(late);
  CHECK(late->number == another);
  CHECK(late->state == FileState::unknown);
}

}  // namespace profile
