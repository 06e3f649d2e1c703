// Shared by the tests of the command line: parses words, and returns the options or the text of the error.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "app/options.h"
#include "support/error.h"

using Words = std::vector<const char*>;

inline profile::Options parsed(const Words& words) { return profile::parse_options(words); }

// The text of the usage error; "": no error.
inline std::string error_of(const Words& words) {
  try {
    (void)profile::parse_options(words);
  } catch (const profile::Error& error) {
    CHECK(error.exit_status() == profile::Error::misused);
    return error.what();
  }
  return "";
}

// Expects a usage error with all of `parts` in its text.
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
