// Fits text into columns of a terminal, for the view of --top: it knows the width of each character and which
// characters the terminal can show.
#pragma once

#include <locale.h>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "model/unit.h"

namespace profile {

// Sets the character encoding of the environment for this thread, as long as this object lives. It does not call
// setlocale(), because other threads and the formats of numbers must not change.
class TopLocale {
 public:
  // `name`: a name for newlocale(); "": the locale of the environment.
  explicit TopLocale(const char* name = "");
  ~TopLocale();
  TopLocale(const TopLocale&) = delete;
  TopLocale& operator=(const TopLocale&) = delete;
  // Whether the encoding is UTF-8. Otherwise only ASCII is safe.
  [[nodiscard]] bool has_unicode() const;

 private:
  locale_t own_{};
  locale_t before_{};
};

// These functions take clean text (output/clean_text.h). `unicode` may be true only if the locale has_unicode().
// Characters that the terminal cannot show become `?`.

// As much of the text as fits in `width` columns, with an ellipsis if it was cut.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width, bool unicode);
// The same, filled with blanks up to `width`: after the text (left) or before it (right).
[[nodiscard]] std::string left_aligned(std::string_view text, std::size_t width, bool unicode);
[[nodiscard]] std::string right_aligned(std::string_view text, std::size_t width, bool unicode);
// The number of columns of a text from fitted().
[[nodiscard]] std::size_t columns_of(std::string_view text);

// One character per value; a value of `most` has full height. 0 is a blank.
[[nodiscard]] std::string sparkline(std::span<const double> values, double most, bool unicode);

// "1234", "12.3M"; "12.3 ms" for microseconds, "1.5 KiB" for bytes. At most nine columns.
[[nodiscard]] std::string amount(double value, Unit unit = Unit::events);
// "0:01:23"
[[nodiscard]] std::string clock_time(double seconds);

}  // namespace profile
