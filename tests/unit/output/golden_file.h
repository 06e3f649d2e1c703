// Compares a text with a golden file, and shows each difference with its line. The tests of formats share this.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace profile::test {

inline void check_golden(const std::string& file, const std::string& actual) {
  std::ifstream in(PROFILE_TEST_DATA "/" + file, std::ios::binary);
  REQUIRE_MESSAGE(in.good(), file);
  const std::string expected{std::istreambuf_iterator<char>(in), {}};
  std::istringstream actual_lines(actual);
  std::istringstream expected_lines(expected);
  std::string a;
  std::string b;
  for (int line = 1; std::getline(expected_lines, b); ++line) {
    REQUIRE_MESSAGE(std::getline(actual_lines, a), file << " has a line more: " << b);
    CHECK_MESSAGE(a == b, file << ":" << line);
  }
  CHECK(actual == expected);  // also the last newline
}

}  // namespace profile::test
