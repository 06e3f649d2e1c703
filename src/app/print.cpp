#include "app/print.h"

#include <algorithm>
#include <cstdio>

#include "files/destination.h"
#include "files/file_series.h"
#include "output/clean_text.h"
#include "output/output.h"
#include "output/text_table.h"
#include "support/ascii.h"
#include "support/plural.h"

namespace profile {
namespace {

std::string how_to_see(const std::string& path, const OutputFormat& format) {
  if (format.to_see.empty()) return "";
  std::string words(format.to_see);
  if (const std::size_t at = words.find('%'); at != std::string::npos) words.replace(at, 1, path);
  return (is_gzip_path(path) ? ", unpack it with gunzip, then " : ", ") + words;
}

bool is_plain(char c) {
  return is_letter(c) || std::string_view("0123456789_-+=./,:@%^").find(c) != std::string_view::npos;
}

}  // namespace

int print_on_stdout(const std::function<void(std::ostream&)>& text) {
  static_cast<void>(Destination("-").write(text));
  return 0;
}

void say(const std::string& line) { std::fprintf(stderr, "%s\n", clean_text(line).c_str()); }

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kilo = 1000;
  if (bytes < kilo) return number_of(bytes, "byte");
  auto size = static_cast<double>(bytes) / static_cast<double>(kilo);
  const char* unit = "kB";
  for (const char* larger : {"MB", "GB"}) {
    if (size < static_cast<double>(kilo)) break;
    size /= static_cast<double>(kilo);
    unit = larger;
  }
  constexpr double few = 10;
  return decimal(size, size < few ? 1 : 0) + ' ' + unit;
}

std::string wrote(const Destination& file, const OutputFormat& format) {
  const std::string text = "wrote " + file.path();
  // The size of a pipe or a device is of no interest.
  return file.is_regular() ? text + " (" + size_text(file.bytes()) + ")" + how_to_see(file.path(), format) : text;
}

std::string wrote(const FileSeries& series, const OutputFormat& format) {
  if (series.written() == 1) return "wrote " + series.last_path() + how_to_see(series.last_path(), format);
  return "wrote " + number_of(series.written(), "file") + ", the last " + series.last_path();
}

std::string shell_quoted(std::span<const char* const> words) {
  std::string quoted;
  for (const std::string_view word : words) {
    if (!quoted.empty()) quoted += ' ';
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
      quoted += word;
      continue;
    }
    quoted += '\'';
    for (const char c : word) {
      // Single quotes cannot contain a single quote: end the quoting, add \', and begin it again.
      quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    quoted += '\'';
  }
  return quoted;
}

}  // namespace profile
