// A Parser (the main process's side) whose parser process a hostile file has taken over: the test says what it answers.
// Keeper and opener are processes that play their parts.
#pragma once

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <span>
#include <string>
#include <utility>

#include "children/channel.h"
#include "children/keeper.h"
#include "children/wire.h"
#include "parse/opener.h"
#include "parse/opener_calls.h"
#include "parse/parser.h"
#include "support/fd.h"
#include "support/process_fd.h"

namespace profile::test {

// A child process that runs `play` with its end of a socket.
class PlayedChild {
 public:
  explicit PlayedChild(const std::function<void(const WaitingChannel&)>& play) {
    auto [ours, its] = new_socket_pair();
    socket = std::move(ours);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    socket.reset();
    play(WaitingChannel(std::move(its)));
    ::_exit(0);
  }
  ~PlayedChild() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  PlayedChild(const PlayedChild&) = delete;
  PlayedChild& operator=(const PlayedChild&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }

  Fd socket;  // our end

 private:
  pid_t pid_ = -1;
};

// What the hostile parser does with a question.
using AnswerQuestion = std::function<void(const WaitingChannel& main_process, WireReader& question)>;

inline void play_parser(const WaitingChannel& main_process, const AnswerQuestion& answer) {
  while (const auto message = main_process.receive()) {
    WireReader in(message->bytes);
    answer(main_process, in);
  }
}

inline void play_keeper(const WaitingChannel& main_process, const AnswerQuestion& answer) {
  while (auto message = main_process.receive()) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      play_parser(WaitingChannel(std::move(message->fds[0])), answer);
      ::_exit(0);
    }
    const Fd process = process_fd(child);
    const int fd = process.get();
    main_process.send(message_of(child), std::span(&fd, 1));
  }
}

// Opens every path, which is the number of its owner.
inline void play_opener(const WaitingChannel& main_process) {
  while (const auto message = main_process.receive()) {
    WireReader in(message->bytes);
    const auto id = in.get<std::uint64_t>();
    const auto call = in.one_of(OpenerCall::count);
    const auto number = in.get<FileNumber>();
    if (call == OpenerCall::hand) main_process.send(message_of(id, FileFault::none));
    if (call != OpenerCall::path || number == FileNumber::none) continue;
    const std::uint64_t owner = std::stoull(in.get<std::string>());
    main_process.send(message_of(id, FileFault::none, FileStamp{}, owner, ""));
  }
}

struct HostileParser {
  explicit HostileParser(const AnswerQuestion& answer)
      : opener_process(play_opener),
        keeper_process([answer](const WaitingChannel& main_process) { play_keeper(main_process, answer); }),
        opener(Channel(std::move(opener_process.socket)), opener_process.pid()),
        keeper(keeper_process.pid(), std::move(keeper_process.socket)),
        parser(keeper, opener, nullptr) {}
  // A new file of that owner.
  [[nodiscard]] FileRef file_of(std::uint64_t owner) {
    const FileNumber number = opener.new_number();
    FileStamp stamp;
    std::string why;
    REQUIRE(opener.open_path(number, std::to_string(owner), stamp, why) == FileFault::none);
    return {.number = number, .path = "/tmp/hostile", .mapped_by = {.own_mounts = true}};
  }

  PlayedChild opener_process;
  PlayedChild keeper_process;
  Opener opener;
  Keeper keeper;
  Parser parser;
};

}  // namespace profile::test
