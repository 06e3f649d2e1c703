#include "children/keeper.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "children/kinds.h"
#include "children/own_processes.h"
#include "children/wire.h"
#include "support/error.h"

namespace profile {
namespace {

// The keeper has nothing else to do. It takes longer only when something has stopped it.
constexpr std::uint64_t most_still_ns = 2'000'000'000;

// Its children have its memory.
void forget_secret() {
  char* const secret = std::getenv(push_secret);
  if (secret == nullptr) return;
  ::explicit_bzero(secret, std::strlen(secret));
  ::unsetenv(push_secret);
}

void run_keeper(Fd socket, const Keeper::Work& work) {
  forget_secret();
  const WaitingChannel channel(std::move(socket));
  while (auto message = channel.receive()) {
    WireReader in(message->bytes);
    const auto kind = in.one_of(ChildKind::count);
    if (!in.ok() || message->fds.empty()) continue;
    // Otherwise the kernel ends children without a trace. Here that waits until the descriptor is there: before, the
    // child's number could already be another process's.
    ::signal(SIGCHLD, SIG_DFL);
    OwnProcess child;
    try {
      child = fork_child(kind, message->fds, [&](auto channels) { return work(kind, std::move(channels)); });
    } catch (const Error&) {  // the answer is no process
    }
    ::signal(SIGCHLD, SIG_IGN);
    // All that ended in between, not only this one.
    while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
    const int fd = child.process.get();
    channel.send(message_of(child.pid), child.process ? std::span(&fd, 1) : std::span<const int>());
  }
}

}  // namespace

Keeper::Keeper(const Work& work) : channel_(Fd()) {
  auto [ours, its] = new_socket_pair();
  const OwnProcess keeper = fork_child(ChildKind::keeper, std::span(&its, 1), [&work](std::vector<Fd> sockets) {
    run_keeper(std::move(sockets[0]), work);
    return 0;
  });
  list_own_process(keeper);
  times_.emplace(keeper.pid);
  channel_ = Channel(std::move(ours), row_of(ChildKind::keeper).gives_descriptors);
}

Keeper::Keeper(pid_t keeper, Fd channel) : times_(std::in_place, keeper), channel_(std::move(channel), true) {}

std::optional<Keeper::Child> Keeper::start(ChildKind kind, std::vector<Fd> channels) {
  std::vector<Fd> ends;
  std::optional<Channel> channel;
  if (row_of(kind).answers_in_pipe) {
    auto [ours, its] = new_one_way_ends();
    channel.emplace(std::move(ours));
    ends.push_back(std::move(its.socket));
    ends.push_back(std::move(its.answers));
  } else {
    auto [ours, its] = new_socket_pair();
    channel.emplace(std::move(ours), row_of(kind).gives_descriptors);
    ends.push_back(std::move(its));
  }
  channels.insert(channels.begin(), std::make_move_iterator(ends.begin()), std::make_move_iterator(ends.end()));
  channel_.allow({.messages = 1, .bytes = sizeof(pid_t)});
  channel_.send(message_of(kind), std::move(channels));
  ChildWatch watch(*times_, ChildWatch::most_running_ns, most_still_ns);
  for (;;) {
    if (auto message = channel_.take()) {
      WireReader in(message->bytes);
      const auto pid = in.get<pid_t>();
      if (!in.ok() || pid <= 0 || message->fds.size() != 1) return std::nullopt;
      OwnProcess child{.pid = pid, .process = std::move(message->fds[0])};
      list_own_process(child);
      return Child{.times = ChildTimes(pid), .process = std::move(child.process), .channel = std::move(*channel)};
    }
    if (channel_.is_gone()) return std::nullopt;
    if (!channel_.wait(ChildWatch::look_every) && watch.look() != ChildWatch::Finding::works) return std::nullopt;
  }
}

}  // namespace profile
