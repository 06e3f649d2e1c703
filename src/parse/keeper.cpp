#include "parse/keeper.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "parse/fetcher_child.h"
#include "parse/opener_child.h"
#include "parse/parser_child.h"
#include "parse/prober_child.h"
#include "parse/sandbox.h"
#include "parse/wire.h"
#include "support/error.h"
#include "support/fd.h"
#include "support/priority.h"
#include "support/process_fd.h"

namespace profile {
namespace {

constexpr const char* names[] = {"profile-opener", "profile-parser", "profile-parser", "profile-fetch",
                                 "profile-prober"};
// The keeper has nothing else to do. It takes longer only when something has stopped it.
constexpr std::uint64_t most_still_ns = 2'000'000'000;

[[noreturn]] void run_child(ChildKind kind, std::vector<Fd> channels, pid_t parent,
                            const std::vector<std::string>& debug_directories) {
  become_child(names[static_cast<std::size_t>(kind)], parent, channels);
  std::vector<Fd> kept;
  for (std::size_t i = 0; i < channels.size(); ++i) kept.emplace_back(STDERR_FILENO + 1 + static_cast<int>(i));
  std::optional<RaisedPriority> raised;
  switch (kind) {
    case ChildKind::opener:
      run_opener(std::move(kept[0]), debug_directories);
    case ChildKind::parser_of_root:
      raised.emplace();
      [[fallthrough]];
    case ChildKind::parser:
      run_parser(std::move(kept[0]), std::move(kept[1]), kept.size() > 2 ? std::move(kept[2]) : Fd());
    case ChildKind::fetcher:
      run_fetcher(std::move(kept[0]));
    case ChildKind::prober:
      run_prober(std::move(kept[0]), std::move(kept[1]));
    case ChildKind::count:
      break;
  }
  ::_exit(1);
}

[[noreturn]] void run_keeper(Fd socket, pid_t parent, const std::vector<std::string>& debug_directories) {
  become_child("profile-keeper", parent, std::span(&socket, 1));
  const WaitingChannel channel(Fd(STDERR_FILENO + 1));
  const pid_t self = ::getpid();
  while (auto message = channel.receive()) {
    WireReader in(message->bytes);
    const auto kind = in.one_of(ChildKind::count);
    if (!in.ok() || message->fds.empty()) continue;
    // Otherwise the kernel ends children without a trace. Here that waits until the descriptor is there: before, the
    // child's number could already be another process's.
    ::signal(SIGCHLD, SIG_DFL);
    const pid_t child = ::fork();
    if (child == 0) run_child(kind, std::move(message->fds), self, debug_directories);
    const Fd process = process_fd(child);
    ::signal(SIGCHLD, SIG_IGN);
    ::waitpid(child, nullptr, WNOHANG);
    const int fd = process.get();
    channel.send(message_of(child), process ? std::span(&fd, 1) : std::span<const int>());
  }
  ::_exit(0);
}

}  // namespace

Keeper::Keeper(const std::vector<std::string>& debug_directories) : channel_(Fd()) {
  auto [ours, its] = new_socket_pair();
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw system_error("cannot start a process", errno);
  if (child == 0) {
    ours.reset();
    run_keeper(std::move(its), self, debug_directories);
  }
  times_.emplace(child);
  channel_ = Channel(std::move(ours), true);
}

Keeper::Keeper(pid_t keeper, Fd channel) : times_(std::in_place, keeper), channel_(std::move(channel), true) {}

std::optional<Keeper::Child> Keeper::start(ChildKind kind, std::vector<Fd> channels) {
  auto [ours, its] = new_socket_pair();
  channels.insert(channels.begin(), std::move(its));
  channel_.allow({.messages = 1, .bytes = sizeof(pid_t)});
  channel_.send(message_of(kind), std::move(channels));
  ChildWatch watch(*times_, ChildWatch::most_running_ns, most_still_ns);
  for (;;) {
    if (auto message = channel_.take()) {
      WireReader in(message->bytes);
      const auto pid = in.get<pid_t>();
      if (!in.ok() || pid <= 0 || message->fds.size() != 1) return std::nullopt;
      return Child{.pid = pid, .process = std::move(message->fds[0]), .channel = std::move(ours)};
    }
    if (channel_.is_gone()) return std::nullopt;
    if (!channel_.wait(ChildWatch::look_every) && watch.look() != ChildWatch::Finding::works) return std::nullopt;
  }
}

}  // namespace profile
