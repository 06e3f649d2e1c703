// Tests the data of a page: small data is JSON, and large data is gzip in base64.
#include "output/page_data.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <string_view>

#include "packed_letters.h"

namespace profile {
namespace {

std::string written(const std::string& text, std::size_t at_once) {
  std::ostringstream out;
  PageData data(out);
  for (std::size_t at = 0; at < text.size(); at += at_once) {
    if (at_once == 1) {
      data.json().put(text[at]);
    } else {
      data.json() << std::string_view(text).substr(at, at_once);
    }
  }
  data.finish();
  return std::move(out).str();
}

TEST_CASE("the data of a small page is the plain JSON") {
  CHECK(written("", 7).empty());
  const std::string text(PageData::plain_bytes, 'x');
  CHECK(written(text, 1000) == text);
}

TEST_CASE("the data of a large page is compressed, for every size of the writes") {
  for (std::size_t more = 1; more <= 6; ++more) {
    std::string text;
    for (std::size_t i = 0; text.size() < PageData::plain_bytes + more; ++i) text += std::to_string(i * i) + ",";
    for (const std::size_t at_once : {std::size_t{1}, std::size_t{1000}, text.size()}) {
      const std::string page = written(text, at_once);
      CHECK(page.size() < text.size() * 3 / 4);
      REQUIRE(page.starts_with(R"(["gzip",")"));
      REQUIRE(page.ends_with(R"("])"));
      const std::string_view letters = std::string_view(page).substr(9, page.size() - 11);
      CHECK(gunzipped(bytes_of_letters(letters), text.size() + 1) == text);
    }
  }
}

}  // namespace
}  // namespace profile
