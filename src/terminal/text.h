// Text as a terminal shows it: as wide as its characters are, in the characters its locale has. For the view of --top.
#pragma once

#include <locale.h>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace profile {

// The characters of the terminal, as the environment names them, for this thread and as long as it lives. Not by
// setlocale(): other threads, and the formats of numbers, are none of the terminal's business.
class TopLocale {
 public:
  // `name`: as newlocale() takes it; "": as the environment says.
  explicit TopLocale(const char* name = "");
  ~TopLocale();
  TopLocale(const TopLocale&) = delete;
  TopLocale& operator=(const TopLocale&) = delete;
  // Whether it is UTF-8. Otherwise only ASCII is to be relied on.
  [[nodiscard]] bool has_unicode() const;

 private:
  locale_t own_{};
  locale_t before_{};
};

// The following take clean text (output/clean_text.h), and a `unicode` that is true only under such a locale. What the
// terminal cannot show is a `?`.

// As much of it as fits in `width` columns, with an ellipsis where something was cut off.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width, bool unicode);
// The same, and blanks behind it, or in front of it, up to `width`.
[[nodiscard]] std::string left_aligned(std::string_view text, std::size_t width, bool unicode);
[[nodiscard]] std::string right_aligned(std::string_view text, std::size_t width, bool unicode);
// How many columns a text that was fitted takes.
[[nodiscard]] std::size_t columns_of(std::string_view text);

// One character a value; `most` is the height of the highest. Nothing at all is a blank.
[[nodiscard]] std::string sparkline(std::span<const double> values, double most, bool unicode);

// "1234", "12.3M"; "12.3 ms" of microseconds, "1.5 KiB" of bytes. Nine columns at most.
[[nodiscard]] std::string amount(double value, std::string_view unit);
// "0:01:23"
[[nodiscard]] std::string clock_time(double seconds);

}  // namespace profile
