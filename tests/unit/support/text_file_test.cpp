// Tests the readers of the kernel's small files.
#include "support/text_file.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

using namespace profile;

namespace {

// A file with this content. The destructor removes it.
class TextFile {
 public:
  explicit TextFile(std::string_view content) {
    const int fd = ::mkstemp(path_.data());
    REQUIRE(fd >= 0);
    ::close(fd);
    std::ofstream(path_) << content;
  }
  ~TextFile() { ::unlink(path_.c_str()); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/profile-text-file-XXXXXX";
};

}  // namespace

TEST_CASE("a file is read whole, or up to the limit") {
  const std::string content(10'000, 'x');
  const TextFile file(content);
  CHECK(read_text_file(file.path()) == content);
  CHECK(read_text_file(file.path(), 5'000) == content.substr(0, 5'000));
  CHECK(read_text_file(file.path(), 0) == "");
}

TEST_CASE("a missing file is not read as an empty file") {
  CHECK_FALSE(read_text_file("/nowhere/at/all"));
  CHECK_FALSE(read_first_line("/nowhere/at/all"));
  CHECK_FALSE(read_number("/nowhere/at/all"));
}

TEST_CASE("the first line is read without its newline") {
  CHECK(read_first_line(TextFile("one\ntwo\n").path()) == "one");
  CHECK(read_first_line(TextFile("one").path()) == "one");
  CHECK(read_first_line(TextFile("").path()) == "");
}

TEST_CASE("a number is read, and other text is refused") {
  CHECK(read_number(TextFile("127\n").path()) == 127);
  CHECK(read_number(TextFile("-1\n").path()) == -1);
  CHECK_FALSE(read_number(TextFile("many\n").path()));
  CHECK_FALSE(read_number(TextFile("").path()));
}

TEST_CASE("a field is found only by its whole key") {
  const std::string_view text = "Name:\tdd\nTgid:\t12\nNStgid:\t12\t3 \nNote\nEmpty:\nLast: x";
  CHECK(find_field(text, "Tgid") == "12");
  CHECK(find_field(text, "NStgid") == "12\t3");
  CHECK(find_field(text, "Empty") == "");
  CHECK(find_field(text, "Last") == "x");
  CHECK_FALSE(find_field(text, "Tg"));
  CHECK_FALSE(find_field(text, "gid"));
  CHECK_FALSE(find_field(text, "Note"));
}
