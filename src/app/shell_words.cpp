#include "app/shell_words.h"

#include <algorithm>
#include <string_view>

namespace profile {
namespace {

bool is_plain(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_letter || std::string_view("_-+=./,:@%^").find(c) != std::string_view::npos;
}

}  // namespace

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
      if (c == '\'') {
        quoted += "'\\''";
      } else {
        quoted += c;
      }
    }
    quoted += '\'';
  }
  return quoted;
}

}  // namespace profile
