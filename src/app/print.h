// Text for the user that is not a report: the help, the version or a list on stdout, lines on stderr, and what they are
// made of.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace profile {

class Destination;
class FileSeries;
struct OutputFormat;

// Prints `text` on stdout. It is no error if the reader closes the pipe early; any other failure throws Error. Returns
// the exit status.
int print_on_stdout(const std::function<void(std::ostream&)>& text);

// Prints a line on stderr. Names in it may come from untrusted programs, so characters that would control a terminal
// are replaced.
void say(const std::string& line);

// "512 bytes", "98 kB", "1.2 MB"
[[nodiscard]] std::string size_text(std::uint64_t bytes);
// The message about a written file: "wrote cpu.html (98 kB), open it in a browser".
[[nodiscard]] std::string wrote(const Destination& file, const OutputFormat& format);
// At least one file of the series was written.
[[nodiscard]] std::string wrote(const FileSeries& series, const OutputFormat& format);

// Quotes words for a shell, so that a user can copy the command line: "-p 185 -o 'cpu %H.svg'".
[[nodiscard]] std::string shell_quoted(std::span<const char* const> words);

// The words of all items, with `between` between two of them; `word` returns the word of an item.
template <class Range, class Word>
[[nodiscard]] std::string joined(const Range& range, std::string_view between, const Word& word) {
  std::string text;
  for (const auto& item : range) text += (text.empty() ? "" : std::string(between)) + std::string(word(item));
  return text;
}

}  // namespace profile
