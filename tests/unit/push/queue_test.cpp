// Tests the queue of requests: its order, its bounds, and what a spool keeps.
#include "push/queue.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "push/retry.h"

using namespace profile;

namespace {

namespace fs = std::filesystem;

constexpr QueueBounds wide{.bytes = 1 << 20, .bytes_in_memory = 1 << 20};

class Directory {
 public:
  Directory() {
    std::string name = fs::temp_directory_path() / "profile-queue-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Directory() { fs::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  [[nodiscard]] Fd open() const { return Fd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::vector<std::string> taken_out(RequestQueue& queue) {
  std::vector<std::string> bodies;
  while (const auto request = queue.oldest()) {
    bodies.push_back(request->body);
    queue.remove(*request);
  }
  return bodies;
}

}  // namespace

TEST_CASE("requests come out in their order, and stay until they are removed") {
  const Directory directory;
  for (const bool has_spool : {false, true}) {
    CAPTURE(has_spool);
    RequestQueue queue(wide, has_spool ? directory.open() : Fd());
    CHECK_FALSE(queue.oldest());
    queue.add("first", 3);
    queue.add("second", 4);
    CHECK(queue.requests() == 2);
    CHECK(queue.bytes() == 11);
    CHECK(queue.samples() == 7);
    CHECK(queue.samples_in_memory() == (has_spool ? 0 : 7));
    REQUIRE(queue.oldest());
    CHECK(queue.oldest()->body == "first");
    CHECK_FALSE(queue.oldest()->was_sent);
    queue.put_back();
    CHECK(queue.oldest()->samples == 3);
    CHECK(queue.oldest()->was_sent);
    CHECK(taken_out(queue) == std::vector<std::string>{"first", "second"});
    CHECK(queue.empty());
    CHECK(queue.bytes() == 0);
    CHECK(queue.lost_samples() == 0);
  }
  CHECK(directory.files() == 0);
}

TEST_CASE("the next queue on a spool goes on with what is left, and drops what was not finished") {
  const Directory directory;
  {
    RequestQueue queue(wide, directory.open());
    for (int i = 0; i < 12; ++i) queue.add("old " + std::to_string(i), 1);
    CHECK_FALSE(queue.oldest()->was_sent);
    queue.remove(*queue.oldest());
  }
  std::ofstream(directory.path() / "new.request") << "half";
  std::ofstream(directory.path() / "note.txt") << "not a request";
  std::ofstream(directory.path() / "12-1.request") << "not a request either";
  RequestQueue queue(wide, directory.open());
  CHECK(queue.samples() == 11);
  CHECK(queue.oldest()->was_sent);  // perhaps
  CHECK(queue.oldest_unix_s() + 100 > static_cast<std::uint64_t>(std::time(nullptr)));
  queue.add("new", 1);
  const std::vector<std::string> bodies = taken_out(queue);
  REQUIRE(bodies.size() == 12);
  CHECK(bodies[0] == "old 1");
  CHECK(bodies[10] == "old 11");
  CHECK(bodies[11] == "new");
  CHECK(queue.oldest_unix_s() == 0);
  CHECK(directory.files() == 2);
}

TEST_CASE("above the bound the oldest go and are counted, but not the one that is being sent") {
  const Directory directory;
  for (const bool has_spool : {false, true}) {
    CAPTURE(has_spool);
    RequestQueue queue({.bytes = 30, .bytes_in_memory = 30}, has_spool ? directory.open() : Fd());
    queue.add(std::string(10, 'a'), 1);
    const auto sent = queue.oldest();
    REQUIRE(sent);
    queue.add(std::string(10, 'b'), 2);
    queue.add(std::string(10, 'c'), 4);
    CHECK(queue.lost_samples() == 0);
    queue.add(std::string(10, 'd'), 8);
    CHECK(queue.lost_samples() == 2);
    CHECK(queue.bytes() == 30);
    queue.put_back();
    queue.add(std::string(10, 'e'), 16);
    CHECK(queue.lost_samples() == 3);
    queue.remove(*sent);  // gone already
    CHECK(taken_out(queue) ==
          std::vector<std::string>{std::string(10, 'c'), std::string(10, 'd'), std::string(10, 'e')});
    queue.add(std::string(31, 'x'), 32);
    CHECK(queue.empty());
    CHECK(queue.lost_samples() == 35);
  }
}

TEST_CASE("a spool that is larger than the bound loses its oldest requests") {
  const Directory directory;
  {
    RequestQueue queue(wide, directory.open());
    for (int i = 0; i < 10; ++i) queue.add(std::string(10, static_cast<char>('a' + i)), 1);
  }
  RequestQueue queue({.bytes = 25, .bytes_in_memory = 25}, directory.open());
  CHECK(queue.lost_samples() == 8);
  CHECK(taken_out(queue) == std::vector<std::string>{std::string(10, 'i'), std::string(10, 'j')});
}

TEST_CASE("what a spool cannot take stays in memory, and what it has lost is counted") {
  const Directory directory;
  RequestQueue queue({.bytes = 1 << 20, .bytes_in_memory = 20}, directory.open());
  queue.add("in the spool", 1);
  CHECK(queue.trouble().empty());
  fs::create_directory(directory.path() / "new.request");  // as a full disk would, it is in the way
  queue.add("in memory", 2);
  CHECK_FALSE(queue.trouble().empty());
  CHECK(queue.samples_in_memory() == 2);
  queue.add("also in memory", 4);
  CHECK(queue.lost_samples() == 2);
  fs::remove(directory.path() / "new.request");
  queue.add("in the spool again", 8);
  CHECK(queue.trouble().empty());
  CHECK(queue.samples_in_memory() == 4);
  for (const auto& file : fs::directory_iterator(directory.path())) {
    if (file.path().filename().string().ends_with("-1.request")) fs::remove(file.path());
  }
  CHECK(taken_out(queue) == std::vector<std::string>{"also in memory", "in the spool again"});
  CHECK(queue.lost_samples() == 3);
}

TEST_CASE("the waits between tries grow to a minute, with less than a half of chance") {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  CHECK(wait_after(1, 0, seconds(0)) == milliseconds(500));
  CHECK(wait_after(1, 1, seconds(0)) == milliseconds(250));
  CHECK(wait_after(2, 0, seconds(0)) == seconds(1));
  CHECK(wait_after(7, 0, seconds(0)) == seconds(32));
  CHECK(wait_after(8, 0, seconds(0)) == seconds(60));
  CHECK(wait_after(4'000'000'000U, 0, seconds(0)) == seconds(60));
  CHECK(wait_after(100, 1, seconds(0)) == seconds(30));
  CHECK(wait_after(1, 0.5, seconds(7)) == seconds(7));
  CHECK(wait_after(1, 0.5, seconds(1'000'000)) == seconds(300));
}

TEST_CASE("an answer means that the request was taken, may be taken later, or never will be") {
  for (const long status : {200, 202, 204, 299}) {
    CHECK(answer_of_status(status).fate == RequestFate::accepted);
    CHECK(answer_of_status(status).why.empty());
  }
  for (const long status : {301, 401, 403, 404, 407, 408, 425, 429, 500, 502, 503, 504, 599}) {
    CAPTURE(status);
    CHECK(answer_of_status(status).fate == RequestFate::again);
    CHECK(answer_of_status(status).why.find(std::to_string(status)) != std::string::npos);
  }
  for (const long status : {400, 411, 413, 415, 422}) CHECK(answer_of_status(status).fate == RequestFate::never);
}
