#include "app/store_list.h"

#include <ctime>
#include <optional>
#include <ostream>

#include "app/print.h"
#include "app/reading.h"
#include "push/target.h"
#include "store/listing.h"
#include "support/error.h"

namespace profile {
namespace {

constexpr std::uint64_t usual_rows = 10;
constexpr std::uint64_t most_rows = 10'000;

// The options that the page repeats in its forms and links.
constexpr const char* kept_words[] = {"service", "host", "service-version", "comm", "event", "from", "to"};

ListingWords words_of(const ParsedOptions& parsed) {
  ListingWords words;
  for (const char* const name : kept_words) {
    if (!parsed.has(name)) continue;
    const std::string_view several = name;
    const bool is_list = several == "comm" || several == "event";
    words.emplace_back(name, is_list ? parsed.texts(name).front() : parsed.text(name));
  }
  return words;
}

}  // namespace

int run_store_list(const ParsedOptions& parsed, const std::string& url) {
  const ReadRequest request = request_of(parsed);
  const std::uint64_t rows = parsed.has("top") ? parsed.number("top", 1, most_rows) : usual_rows;
  const std::string format = parsed.has("format") ? parsed.text("format") : "table";
  if (format != "table" && format != "html") throw bad_value("format", format, "a list of a store is a table or html");
  const auto note = [&](const std::string& line) {
    if (!parsed.is_on("quiet")) say("profile: " + line);
  };
  std::optional<StoreListing> listing;
  std::string fault;
  std::string where = url;
  try {
    const auto asker = asker_of(url, request.auth_path, note);
    where = asker->store().name;
    listing = list_store(asking(*asker), where, request, std::time(nullptr), rows, note);
  } catch (const Error& error) {
    // The page says it beside its forms, in which something else can be asked for.
    if (format != "html" || error.exit_status() == Error::misused) throw;
    fault = error.what();
  }
  return print_on_stdout([&](std::ostream& out) {
    if (format == "html") {
      write_listing_page(out, listing ? &*listing : nullptr, where, words_of(parsed), fault);
    } else {
      write_listing(out, *listing);
    }
  });
}

}  // namespace profile
