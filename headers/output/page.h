// The page that shows flame graphs in a browser, as one text: style and script are in it, nothing is fetched. The same
// page shows a file from disk and the live view.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace profile {

// `live`: the page may connect to the server it came from. `file`: to nothing at all.
enum class PageUse : std::uint8_t { live, file };

// Stands in the data as "version": what the page must know to read data of another making.
inline constexpr int page_data_version = 1;

// The page up to the place where its data stands, and from there on. In between belongs one JSON text in which no '<'
// stands as such (JsonWriter::Context::html). What may run and be loaded is said in the page itself, by a policy that
// knows its style and its script by their hashes: whatever else came into the page would not run.
[[nodiscard]] std::string_view page_before_data(PageUse use = PageUse::live);
[[nodiscard]] std::string_view page_after_data();
// The same policy of a `live` page as a server says it in a header (Content-Security-Policy), where a page may also
// forbid to be shown in another.
[[nodiscard]] std::string page_policy();

}  // namespace profile
