// Tests a stream with real pipes, terminals, sockets and files. The stream must never wait for its reader.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>

#include "files/stream_writer.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/fd.h"

using namespace profile;

namespace {

struct Ends {
  Fd reader;
  Fd writer;
};

Ends make_pipe() {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

Ends make_socket() {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

Ends make_terminal() {
  Fd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(master);
  REQUIRE(::grantpt(master.get()) == 0);
  REQUIRE(::unlockpt(master.get()) == 0);
  std::array<char, 64> name{};
  REQUIRE(::ptsname_r(master.get(), name.data(), name.size()) == 0);
  Fd slave(::open(name.data(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  REQUIRE(slave);
  return {std::move(master), std::move(slave)};
}

// A writer that is made while stdout is `fd`. Then stdout is restored; SIGPIPE is ignored, as in the program.
StreamWriter on_stdout(int fd) {
  ::signal(SIGPIPE, SIG_IGN);
  const Fd before(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  REQUIRE(::dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
  StreamWriter writer("-");
  REQUIRE(::dup2(before.get(), STDOUT_FILENO) == STDOUT_FILENO);
  return writer;
}

// Reads the bytes that are ready now.
std::string read_now(int fd) {
  std::string text;
  std::array<char, 65536> chunk{};
  pollfd state{.fd = fd, .events = POLLIN, .revents = 0};
  while (::poll(&state, 1, 0) > 0 && (state.revents & POLLIN) != 0) {
    const ssize_t size = ::read(fd, chunk.data(), chunk.size());
    if (size <= 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(size));
  }
  return text;
}

bool is_readable(int fd) {
  pollfd state{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&state, 1, 0) == 1;
}

// Appends records until the writer is behind. Returns the text of the records.
std::string fill(StreamWriter& writer) {
  std::string all;
  for (std::size_t i = 0; !writer.is_behind(); ++i) {
    const std::string record = "record " + std::to_string(i) + " " + std::string(93, 'x') + "\n";
    writer.buffer() += record;
    writer.end_record();
    all += record;
  }
  return all;
}

class ScratchFile {
 public:
  ScratchFile() {
    const int fd = ::mkstemp(path_.data());
    REQUIRE(fd >= 0);
    ::close(fd);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { ::unlink(path_.c_str()); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string contents() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string path_ = "/tmp/profile-stream-test.XXXXXX";
};

}  // namespace

TEST_CASE("the stream writer never waits for a slow reader, which gets everything in the end") {
  for (const auto& make : {make_pipe, make_socket}) {
    const Ends ends = make();
    StreamWriter writer = on_stdout(ends.writer.get());
    const std::string all = fill(writer);
    CHECK(all.size() > StreamWriter::most_pending_bytes);
    CHECK(writer.flush() == StreamWriter::Result::behind);
    CHECK_FALSE(is_readable(writer.poll_fd()));  // it becomes readable when the reader takes something
    std::string got;
    for (int turn = 0; turn < 10'000 && got.size() < all.size(); ++turn) {
      const std::string part = read_now(ends.reader.get());
      REQUIRE_FALSE(part.empty());
      got += part;
      CHECK(is_readable(writer.poll_fd()));
      if (writer.flush() == StreamWriter::Result::written) got += read_now(ends.reader.get());
    }
    CHECK(got == all);
    CHECK(writer.flush() == StreamWriter::Result::written);
    CHECK_FALSE(writer.is_behind());
    CHECK_FALSE(is_readable(writer.poll_fd()));  // nothing is pending, so it does not matter that the pipe is writable
    const auto rest = writer.finish(0);
    CHECK(rest.bytes == 0);
    CHECK(rest.records == 0);
  }
}

TEST_CASE("the stream writer never waits for a terminal") {
  const Ends ends = make_terminal();
  StreamWriter writer = on_stdout(ends.writer.get());
  const std::string all = fill(writer);
  CHECK(writer.flush() == StreamWriter::Result::behind);
  std::string got;
  for (int turn = 0; turn < 10'000'000 && writer.flush() == StreamWriter::Result::behind; ++turn) {
    got += read_now(ends.reader.get());
  }
  got += read_now(ends.reader.get());
  std::erase(got, '\r');  // the terminal writes it before each line feed
  CHECK(got.size() == all.size());
  CHECK(got == all);
}

TEST_CASE("the description of stdout stays blocking for other processes") {
  for (const auto& make : {make_pipe, make_socket, make_terminal}) {
    const Ends ends = make();
    StreamWriter writer = on_stdout(ends.writer.get());
    fill(writer);
    CHECK(writer.flush() == StreamWriter::Result::behind);
    CHECK((::fcntl(ends.writer.get(), F_GETFL) & O_NONBLOCK) == 0);
  }
}

TEST_CASE("a closed reader is noticed, with and without something to write") {
  for (const auto& make : {make_pipe, make_socket}) {
    for (const bool something_pending : {true, false}) {
      Ends ends = make();
      StreamWriter writer = on_stdout(ends.writer.get());
      CHECK(writer.flush() == StreamWriter::Result::written);
      CHECK_FALSE(is_readable(writer.poll_fd()));
      ends.reader.reset();
      CHECK(is_readable(writer.poll_fd()));
      if (something_pending) {
        writer.buffer() = "one\n";
        writer.end_record();
      }
      CHECK(writer.flush() == StreamWriter::Result::closed_pipe);
      CHECK(writer.flush() == StreamWriter::Result::closed_pipe);
      CHECK_FALSE(is_readable(writer.poll_fd()));  // reported only once
      const auto rest = writer.finish(1);
      CHECK(rest.records == (something_pending ? 1 : 0));
      CHECK(rest.bytes == (something_pending ? 4 : 0));
    }
  }
}

TEST_CASE("a pipe whose reader closed before the start is closed, not an error") {
  Ends ends = make_pipe();
  ends.reader.reset();
  StreamWriter writer = on_stdout(ends.writer.get());
  writer.buffer() = "one\n";
  CHECK(writer.flush() == StreamWriter::Result::closed_pipe);
}

TEST_CASE("a reader that takes nothing is waited for up to a limit, and its missed records are counted") {
  const Ends ends = make_pipe();
  StreamWriter writer = on_stdout(ends.writer.get());
  const std::string all = fill(writer);
  const auto records = static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n'));
  const std::uint64_t before_ns = monotonic_ns();
  const auto rest = writer.finish(0.2);
  const double took_s = to_seconds(monotonic_ns() - before_ns);
  CHECK(took_s >= 0.19);
  CHECK(took_s < 60);
  const std::string got = read_now(ends.reader.get());
  CHECK(got.size() + rest.bytes == all.size());
  CHECK(static_cast<std::size_t>(std::count(got.begin(), got.end(), '\n')) + rest.records == records);
  CHECK(rest.records > 0);
  CHECK_FALSE(got.empty());
}

TEST_CASE("a slow reader gets the rest at the end") {
  const Ends ends = make_pipe();
  std::string all;
  const pid_t child = [&] {
    StreamWriter writer = on_stdout(ends.writer.get());
    all = fill(writer);
    const pid_t pid = ::fork();
    if (pid == 0) {
      const auto rest = writer.finish(60);
      ::_exit(rest.bytes == 0 && rest.records == 0 ? 0 : 1);
    }
    return pid;
  }();
  std::string got;
  while (got.size() < all.size()) {
    pollfd state{.fd = ends.reader.get(), .events = POLLIN, .revents = 0};
    REQUIRE(::poll(&state, 1, 60'000) == 1);
    got += read_now(ends.reader.get());
  }
  CHECK(got == all);
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("the stream writer never waits for a pipe that it cannot open again") {
  if (::geteuid() != 0) return;  // without root, the process owns the pipe and can open it again
  const Ends ends = make_pipe();
  REQUIRE(::seteuid(65534) == 0);
  StreamWriter writer = on_stdout(ends.writer.get());
  REQUIRE(::seteuid(0) == 0);
  const std::string all = fill(writer);
  CHECK(writer.flush() == StreamWriter::Result::behind);
  CHECK((::fcntl(ends.writer.get(), F_GETFL) & O_NONBLOCK) == 0);
  std::string got;
  while (writer.flush() == StreamWriter::Result::behind) {
    const std::string part = read_now(ends.reader.get());
    REQUIRE_FALSE(part.empty());
    got += part;
    CHECK(is_readable(writer.poll_fd()));
  }
  CHECK(got + read_now(ends.reader.get()) == all);
}

TEST_CASE("a device that takes everything is never behind") {
  const Fd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  StreamWriter writer = on_stdout(null.get());
  fill(writer);
  CHECK(writer.flush() == StreamWriter::Result::written);
  CHECK_FALSE(is_readable(writer.poll_fd()));
  CHECK(writer.finish(0).bytes == 0);
}

TEST_CASE("a full device is an error that names it") {
  for (const bool by_path : {true, false}) {
    const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    StreamWriter writer = by_path ? StreamWriter("/dev/full") : on_stdout(full.get());
    CHECK(writer.flush() == StreamWriter::Result::written);
    writer.buffer() = "one\n";
    writer.end_record();
    const std::string text =
        std::string("cannot write ") + (by_path ? "/dev/full" : "stdout") + ": No space left on device";
    CHECK_THROWS_WITH_AS(std::ignore = writer.flush(), text.c_str(), Error);
    CHECK(writer.finish(1).records == 1);  // the error is reported only once
  }
}

TEST_CASE("a file keeps its content until the first flush, and then holds only the stream") {
  const ScratchFile file;
  std::ofstream(file.path()) << "what stood there before, and longer than what will";
  StreamWriter writer(file.path());
  writer.buffer() += "one\n";
  writer.end_record();
  CHECK(file.contents() == "what stood there before, and longer than what will");
  CHECK(writer.flush() == StreamWriter::Result::written);
  CHECK(file.contents() == "one\n");
  const std::string all = "one\n" + fill(writer);
  CHECK(writer.flush() == StreamWriter::Result::written);
  writer.buffer() += "last\n";
  CHECK(writer.finish(0).bytes == 0);
  CHECK(file.contents() == all + "last\n");
}

TEST_CASE("a stdout in append mode keeps its earlier content") {
  const ScratchFile file;
  std::ofstream(file.path()) << "before\n";
  const Fd fd(::open(file.path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  StreamWriter writer = on_stdout(fd.get());
  writer.buffer() += "after\n";
  CHECK(writer.finish(0).bytes == 0);
  CHECK(file.contents() == "before\nafter\n");
}

TEST_CASE("a file that cannot be opened is reported at once") {
  CHECK_THROWS_WITH_AS(StreamWriter("/nowhere/file"), "cannot write /nowhere/file: No such file or directory", Error);
}
