// What the tests of the command line share: words in, options or the text of the error out.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "app/options.h"
#include "support/error.h"

using Words = std::vector<const char*>;

inline profile::Options parsed(const Words& words) { return profile::parse_options(words); }

// The text of the usage error; "" when there is none.
inline std::string error_of(const Words& words) {
  try {
    (void)profile::parse_options(words);
  } catch (const profile::Error& error) {
    CHECK(error.exit_status() == profile::Error::misused);
    return error.what();
  }
  return "";
}

// That the words are refused by a text with all of `parts` in it.
inline void refused_with(const Words& words, const std::vector<std::string>& parts) {
  const std::string text = error_of(words);
  std::string line;
  for (const char* word : words) line.append(word).append(1, ' ');
  CAPTURE(line);
  CAPTURE(text);
  CHECK_FALSE(text.empty());
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}
