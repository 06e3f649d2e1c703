// Tests the source of bytes: lines and look-ahead are the same however the bytes come, and views stay valid until they
// are released.
#include "input/byte_source.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "input/profile_reader.h"

using namespace profile;

namespace {

// Gives a text in pieces of at most `piece` bytes.
class Pieces : public ByteReader {
 public:
  Pieces(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}
  std::size_t read(std::span<char> room) override {
    const std::size_t size = std::min({room.size(), piece_, text_.size() - at_});
    std::copy_n(text_.data() + at_, size, room.data());
    at_ += size;
    return size;
  }
  [[nodiscard]] ReadError too_large() const override { return ReadError("too large"); }

 private:
  std::string text_;
  std::size_t piece_;
  std::size_t at_ = 0;
};

ByteSource in_pieces(const std::string& text, std::size_t piece) {
  return ByteSource(std::make_unique<Pieces>(text, piece));
}

// An endless text.
class Endless : public ByteReader {
 public:
  std::size_t read(std::span<char> room) override {
    std::ranges::fill(room, 'x');
    room.back() = '\n';
    return room.size();
  }
  [[nodiscard]] ReadError too_large() const override { return ReadError("too large"); }
};

}  // namespace

TEST_CASE("lines are the same in pieces of any size, and stay valid until they are released") {
  std::string text;
  for (int i = 0; i < 40000; ++i)
    text += "line " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 40), '.') + "\n";
  text += "\nthe last has no end";
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{65537}, text.size()}) {
    ByteSource bytes = in_pieces(text, piece);
    CHECK(bytes.ahead(6).starts_with("line 0"));
    std::vector<std::string_view> lines;
    for (std::string_view line; bytes.next_line(line);) lines.push_back(line);
    std::string again;
    for (const std::string_view line : lines) again.append(line).append("\n");
    CHECK(again == text + "\n");
    CHECK(bytes.received() == text.size());
  }
}

TEST_CASE("the next line can be looked at before it is taken, and bytes can be passed") {
  ByteSource bytes = in_pieces("ab\ncd\n\nef", 1);
  bytes.pass(bytes.ahead(1).size());
  std::string_view line;
  CHECK(bytes.line_ahead() == "b");
  REQUIRE(bytes.next_line(line));
  CHECK(line == "b");
  CHECK(bytes.line_ahead() == "cd");
  REQUIRE(bytes.next_line(line));
  REQUIRE(bytes.next_line(line));
  CHECK(line.empty());
  CHECK(bytes.whole() == "ef");
  REQUIRE(bytes.next_line(line));
  CHECK(line == "ef");
  CHECK(bytes.line_ahead().empty());
  CHECK_FALSE(bytes.next_line(line));
  CHECK(bytes.ahead(5).empty());
}

TEST_CASE("lines that are released do not count for the limit of memory") {
  ByteSource lines(std::make_unique<Endless>());
  std::size_t bytes = 0;
  for (std::string_view line; bytes <= largest_profile_bytes && lines.next_line(line); lines.release()) {
    bytes += line.size() + 1;
  }
  CHECK(bytes > largest_profile_bytes);
}

TEST_CASE("every format is read in pieces as it is read at once") {
  const std::string sample =
      R"({"time_unix_ns":1,"comm":"a","pid":1,"tid":1,"cpu":0,"event":"cpu-clock","unit":"samples","value":2,"user":[{"symbol":"f"}],"kernel":[]})";
  for (const std::string& text : std::vector<std::string>{
           std::string("a;b;c 1\na;b 2\n\n#x y\na;b;c 4"),
           std::string("app 7/7 1.0: cpu-clock:\n\t1 f (/x)\n\t2 main (/x)\n\napp 7/7 2.0: cpu-clock: 1 g (/x)\n"),
           std::string("    main\n    -                dd (185)\n        7\n\n    f\n    main\n    -                dd "
                       "(185)\n        8\n"),
           sample + "\n" + sample + "\n",
       }) {
    const Profile whole = read_profile(text, "in");
    REQUIRE(whole.total() > 0);
    for (const std::size_t piece : std::vector<std::size_t>{1, 2, 7, 50}) {
      const Profile read = read_profile(in_pieces(text, piece), "in");
      CHECK(read.total() == whole.total());
      CHECK(read.rows().size() == whole.rows().size());
      CHECK(read.frames().size() == whole.frames().size());
      CHECK(read.strings.size() == whole.strings.size());
    }
  }
}

TEST_CASE("the frames of an event that is split among pieces keep their names") {
  // Longer than any buffer. The ends of the buffers fall on all parts of an event.
  for (const bool has_times : {true, false}) {
    std::string text;
    for (int i = 0; i < 12'000; ++i) {
      const std::string number = std::to_string(i % 97);
      text += "thread-" + number + (has_times ? " 7 1.0: cpu-clock:" : " 7");
      for (int frame = 0; frame < 5; ++frame) {
        text +=
            "\n\t1 f_" + number + std::string(static_cast<std::size_t>(i % 13), 'x') + std::to_string(frame) + " (/x)";
      }
      text += i % 2 == 0 ? "\n\n" : "\n";
    }
    const Profile whole = read_profile(text, "in");
    CHECK(whole.total() == 12'000);
    const Profile read = read_profile(in_pieces(text, 100'003), "in");
    CHECK(read.total() == whole.total());
    CHECK(read.rows().size() == whole.rows().size());
    CHECK(read.strings.size() == whole.strings.size());
  }
}

TEST_CASE("an error in JSON that is read in pieces names its line") {
  const std::string text = "{\"ebpf\":{\n\"profile\":{\"unit\":\"samples\",\n\"rows\":[{\"value\":1,}]}}}";
  CHECK_THROWS_WITH_AS((void)read_profile(in_pieces(text, 3), "in"), doctest::Contains("in:3: this is no JSON"), Error);
  CHECK_THROWS_WITH_AS((void)read_profile(in_pieces(text.substr(0, 30), 3), "in"), doctest::Contains("it is cut off"),
                       Error);
}
