#include "app/command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "children/kinds.h"
#include "support/error.h"
#include "support/fd_limit.h"
#include "support/signals.h"

namespace profile {
namespace {

// Replaces each standard descriptor that is a terminal by /dev/null.
void leave_terminal() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::isatty(fd) == 0) continue;
    const int nothing = ::open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
    if (nothing < 0) continue;
    ::dup2(nothing, fd);
    ::close(nothing);
  }
}

// The file that execvp() runs for `word`, or `word` itself if there is none. execvp() would try each directory of PATH,
// and -e syscalls would count each failed execve.
std::string program_of(const std::string& word) {
  const char* const path = std::getenv("PATH");
  if (word.empty() || word.find('/') != std::string::npos || path == nullptr) return word;
  std::string_view rest = path;
  for (;;) {
    const std::string_view directory = rest.substr(0, rest.find(':'));
    std::string file = (directory.empty() ? "." : std::string(directory)) + "/" + word;
    struct stat found {};
    if (::stat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode) && ::access(file.c_str(), X_OK) == 0) return file;
    if (directory.size() == rest.size()) return word;
    rest.remove_prefix(directory.size() + 1);
  }
}

// Runs between fork and exec: waits, then becomes the command. It must not allocate memory.
[[noreturn]] void become(const char* program, char* const* words, int wait_fd, int failure_fd) {
  restore_signals();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  restore_fd_limit();
  // What is above would be counted as the command's if sampling began meanwhile.
  char byte = 0;
  ssize_t got = ::write(failure_fd, &byte, 1);
  do got = ::read(wait_fd, &byte, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1) ::_exit(1);  // the profiler ended without a release
  ::unsetenv(push_secret);
  ::execvp(program, words);
  if (errno == EACCES) ::execvp(words[0], words);  // another directory may have an executable one
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(failure_fd, &error, sizeof error);
  ::_exit(error == ENOENT ? 127 : 126);
}

}  // namespace

Command::Command(const std::vector<std::string>& words, bool without_terminal) : name_(words[0]) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::string program = program_of(words[0]);
  auto [wait_end, release_end] = new_pipe();
  auto [failure_end, tell_end] = new_pipe();
  pid_ = ::fork();
  if (pid_ < 0) throw system_error("cannot start " + name_, errno);
  if (pid_ == 0) {
    release_end.reset();  // otherwise the child would wait for itself
    if (without_terminal) leave_terminal();
    become(program.c_str(), arguments.data(), wait_end.get(), tell_end.get());
  }
  release_ = std::move(release_end);
  exec_failure_ = std::move(failure_end);
  tell_end.reset();
  char ready = 0;
  while (::read(exec_failure_.get(), &ready, 1) < 0 && errno == EINTR) continue;
}

Command::~Command() {
  if (!release_ || status_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Command::release() {
  const char go = 1;
  // Ctrl-C may have ended the child already. Then exit_status() tells how.
  if (::write(release_.get(), &go, 1) != 1 && errno != EPIPE) throw system_error("cannot start the command", errno);
  release_.reset();
  int error = 0;
  ssize_t got;
  do got = ::read(exec_failure_.get(), &error, sizeof error);
  while (got < 0 && errno == EINTR);
  exec_failure_.reset();
  if (got != static_cast<ssize_t>(sizeof error)) return;
  throw Error(system_error("cannot run " + name_, error).what(), error == ENOENT ? 127 : 126);
}

std::optional<int> Command::exit_status() {
  if (status_) return status_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  if (WIFEXITED(status)) status_ = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) status_ = 128 + WTERMSIG(status);
  return status_;
}

void Command::signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

}  // namespace profile
