#include "app/page_maker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "output/clean_text.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/process_fd.h"
#include "support/signals.h"

namespace profile {
namespace {

constexpr std::size_t most_running = 4;
constexpr std::uint64_t patience_ns = 600 * ns_per_s;  // as long as a store is waited for
constexpr rlim_t most_page_bytes = rlim_t{1} << 30;
constexpr std::size_t most_message_bytes = 4096;
constexpr int poll_ms = 1000;
constexpr unsigned bad_request = 400;
constexpr unsigned bad_gateway = 502;
constexpr unsigned took_too_long = 504;

Fd memory_file(const char* name) {
  Fd file(::memfd_create(name, MFD_CLOEXEC));
  if (!file) throw system_error("cannot make a page", errno);
  return file;
}

// After fork(), in a process with other threads, nothing may allocate, as the work of fork_child() does. The program
// that this becomes makes children of its own, so none of the limits in children/kinds.h is for it.
[[noreturn]] void become(char* const* arguments, int page, int messages) noexcept {
  const sigset_t ends = end_signals();
  ::sigprocmask(SIG_UNBLOCK, &ends, nullptr);
  restore_signals();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit most{.rlim_cur = most_page_bytes, .rlim_max = most_page_bytes};
  ::setrlimit(RLIMIT_FSIZE, &most);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(page, STDOUT_FILENO) < 0 ||
      ::dup2(messages, STDERR_FILENO) < 0) {
    ::_exit(1);
  }
  close_from(STDERR_FILENO + 1);
  ::execv("/proc/self/exe", arguments);
  ::_exit(1);
}

// The last line of what it has said, without the name of the program.
std::string message_in(const Fd& file) {
  std::array<char, most_message_bytes> bytes{};
  const ssize_t size = ::pread(file.get(), bytes.data(), bytes.size(), 0);
  std::string_view text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  while (text.ends_with('\n')) text.remove_suffix(1);
  text = text.substr(text.rfind('\n') + 1);
  constexpr std::string_view program = "profile: ";
  if (text.starts_with(program)) text.remove_prefix(program.size());
  return clean_text(text);
}

PageAnswer failure(unsigned status, const std::string& why) { return {.status = status, .text = why + '\n'}; }

}  // namespace

PageMaker::PageMaker() : wake_up_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_up_) throw system_error("cannot wait for requests", errno);
}

void PageMaker::add(Job job) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t told = ::write(wake_up_.get(), &one, sizeof one);
}

void PageMaker::work() {
  std::vector<pollfd> ready{{.fd = wake_up_.get(), .events = POLLIN, .revents = 0}};
  for (const Running& each : running_) ready.push_back({.fd = each.process.get(), .events = POLLIN, .revents = 0});
  ::poll(ready.data(), ready.size(), poll_ms);
  std::uint64_t woken = 0;
  while (::read(wake_up_.get(), &woken, sizeof woken) < 0 && errno == EINTR) continue;
  std::erase_if(running_, [this](Running& each) {
    if (has_ended(each.process)) {
      end(each);
      return true;
    }
    if (!each.job.waiter->is_there() || monotonic_ns() > each.give_up_ns) kill_process(each.process);
    return false;
  });
  while (running_.size() < most_running) {
    std::optional<Job> next;
    {
      const std::scoped_lock lock(mutex_);
      if (waiting_.empty()) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    if (next->waiter->is_there()) {
      start(std::move(*next));
    } else {
      next->waiter->answer({});
    }
  }
}

void PageMaker::start(Job job) {
  const std::shared_ptr<PageWaiter> waiter = job.waiter;
  try {
    Running running{.job = std::move(job),
                    .pid = 0,
                    .process = {},
                    .page = memory_file("page"),
                    .messages = memory_file("messages"),
                    .give_up_ns = monotonic_ns() + patience_ns};
    std::vector<char*> arguments;
    for (std::string& word : running.job.arguments) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    running.pid = ::fork();
    if (running.pid == 0) become(arguments.data(), running.page.get(), running.messages.get());
    if (running.pid < 0) throw system_error("cannot start a process", errno);
    running.process = process_fd(running.pid);
    if (!running.process) {
      const int why = errno;
      ::kill(running.pid, SIGKILL);
      ::waitpid(running.pid, nullptr, 0);
      throw system_error("cannot watch a process", why);
    }
    running_.push_back(std::move(running));
  } catch (const std::exception& error) {
    waiter->answer(failure(bad_gateway, error.what()));
  }
}

void PageMaker::end(Running& running) {
  int status = 0;
  while (::waitpid(running.pid, &status, 0) < 0 && errno == EINTR) continue;
  PageWaiter& waiter = *running.job.waiter;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    running.job.page.file = std::move(running.page);
    waiter.answer(std::move(running.job.page));
  } else if (WIFEXITED(status)) {
    waiter.answer(
        failure(WEXITSTATUS(status) == Error::misused ? bad_request : bad_gateway, message_in(running.messages)));
  } else if (monotonic_ns() > running.give_up_ns) {
    waiter.answer(failure(took_too_long, "the store has not answered in time; ask for less"));
  } else {
    waiter.answer(failure(bad_gateway, "the process that made the page was killed, maybe for want of memory"));
  }
}

}  // namespace profile
