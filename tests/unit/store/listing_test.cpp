// Tests the list of what a store has: the sums that are asked for, and the page with names that others have chosen.
#include "store/listing.h"

#include <doctest/doctest.h>

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "store/row_binary.h"
#include "support/error.h"

using namespace profile;

namespace {

constexpr std::int64_t now_s = 1'700'000'000;
constexpr std::uint32_t first_s = 1'699'999'000;

struct FakeStore {
  std::string kinds, sums, services, others;
  std::vector<std::string> asked;

  FakeStore() {
    add_kind("samples", 50);
    for (const std::uint64_t count : {2, 3, 4, 5}) append_number(sums, count);
    append_number(sums, std::uint64_t{2000});
    add_entry(services, "shop", 1500);
    add_entry(services, R"(<b a='1'>"&)", 500);
    add_entry(others, "x", 2000);
  }
  void add_kind(const char* unit, std::uint32_t frequency_hz) {
    for (const char* const word : {"cpu-clock", "", unit}) append_text(kinds, word);
    append_number(kinds, frequency_hz);
    append_number(kinds, std::uint64_t{0});
    append_number(kinds, std::uint64_t{2000});
    append_number(kinds, first_s);
    append_number(kinds, first_s + 10);
    append_number(kinds, std::uint32_t{10'000});
  }
  static void add_entry(std::string& rows, const char* name, std::uint64_t value) {
    append_text(rows, name);
    append_number(rows, value);
    for (const std::uint64_t count : {1, 2, 3}) append_number(rows, count);
  }

  StoreListing list(const ReadRequest& request = {}, std::size_t most = 10) {
    const AskStore ask = [this](const std::string& sql, std::uint64_t, const auto& take) {
      asked.push_back(sql);
      std::string count;
      append_number(count, std::uint64_t{0});
      const auto asks_for = [&](const char* begin) { return sql.starts_with(begin); };
      take(asks_for("SELECT count()")        ? count
           : asks_for("SELECT event")        ? kinds
           : asks_for("SELECT uniqExact")    ? sums
           : asks_for("SELECT service, sum") ? services
                                             : others);
    };
    return list_store(ask, "the store", request, now_s, most, [](const std::string&) {});
  }
};

std::string page_of(const StoreListing* listing, const ListingWords& words, const char* fault = "") {
  std::ostringstream out;
  write_listing_page(out, listing, "the store", words, fault);
  return out.str();
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a list has the shares of each column, and how busy they are") {
  FakeStore store;
  const StoreListing listing = store.list();
  CHECK(listing.total == 2000);
  CHECK(listing.tables[0].all == 2);
  CHECK(listing.tables[3].all == 5);
  REQUIRE(listing.tables[0].entries.size() == 2);
  CHECK(listing.tables[0].entries[0].name == "shop");
  CHECK(listing.tables[0].entries[0].value == 1500);
  CHECK(listing.to_s - listing.from_s == 20);
  std::ostringstream out;
  write_listing(out, listing);
  // 1500 samples at 50 Hz are 30 seconds of 20.
  CHECK(has(out.str(), "75.0%   1.5"));
  CHECK(has(out.str(), "Sampling cpu-clock at 50 Hertz, 2023-11-14 21:56:40 UTC to 2023-11-14 21:57:00 UTC"));
  CHECK(has(out.str(), "Processes (1 of 5)"));
}

TEST_CASE("samples of different rates are listed by what they are worth") {
  FakeStore store;
  store.add_kind("samples", 100);
  const StoreListing listing = store.list();
  CHECK(listing.run.unit == Unit::nanoseconds);
  CHECK(has(store.asked.back(),
            "sum(value * multiIf(frequency_hz = 50 AND period_events = 0, toUInt64(20000000), frequency_hz = 100 AND "
            "period_events = 0, toUInt64(10000000), toUInt64(0)))"));
}

TEST_CASE("what is typed for a list is text in the SQL") {
  FakeStore store;
  ReadRequest request;
  request.service = "x' OR '1'='1";
  static_cast<void>(store.list(request));
  for (const std::string& sql : store.asked) CHECK_FALSE(has(sql, "x' OR"));
}

TEST_CASE("names are text in the page of a list, and links ask for them alone") {
  FakeStore store;
  const StoreListing listing = store.list();
  const std::string page = page_of(&listing, {{"from", "-1h"}, {"host", "\"><script>"}}, "no <i>samples</i>");
  for (const char* const code : {"<b a", "<script", "<i>"}) CHECK_FALSE(has(page, code));
  CHECK(has(page, "&lt;b a=&#39;1&#39;&gt;&quot;&amp;"));
  CHECK(has(page, "href=\"report?from=-1h&amp;host=%22%3e%3cscript%3e&amp;service=shop\""));
  CHECK(has(page, "service=%3cb%20a%3d%271%27%3e%22%26"));
  CHECK(has(page, "no &lt;i&gt;samples&lt;/i&gt;"));
  // Without a list there are still the forms.
  CHECK(has(page_of(nullptr, {}, "no answer"), "<button>List</button>"));
}

TEST_CASE("a list is made of nothing but what was asked for") {
  FakeStore store;
  CHECK_THROWS_AS(static_cast<void>(store.list({}, 1)), Error);  // more rows than that
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    FakeStore bad;
    std::string& answer = round % 3 == 0 ? bad.kinds : round % 3 == 1 ? bad.sums : bad.services;
    if (random() % 2 == 0) {
      answer.resize(random() % answer.size());
    } else {
      answer[random() % answer.size()] = static_cast<char>(random());
    }
    try {
      const StoreListing listing = bad.list();
      static_cast<void>(page_of(&listing, {}));
    } catch (const Error& error) {
      CHECK(has(error.what(), "the store: "));
    }
  }
}
