#include "app/sources.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

#include "app/print.h"
#include "output/function_places.h"
#include "parse/children.h"
#include "support/error.h"
#include "support/nearest_names.h"
#include "support/plural.h"
#include "symbol/source_reader.h"

namespace profile {
namespace {

// In a page: the functions with the largest values of their own. Who looks for a line looks into one of these.
constexpr std::size_t most_in_page = 100;
constexpr std::size_t most_page_bytes = std::size_t{1} << 20;
constexpr std::size_t bytes_a_row = 24;  // of a line or an instruction, besides its text

std::size_t bytes_of(const FunctionListing& function) {
  std::size_t bytes = function.name.size();
  for (const ListedFile& file : function.files) {
    for (const ListedLine& line : file.lines) bytes += line.text.size() + bytes_a_row;
  }
  for (const ListedCode& code : function.codes) {
    for (const ListedInstruction& instruction : code.instructions) bytes += instruction.text.size() + bytes_a_row;
  }
  return bytes;
}

bool has_text(const FunctionListing& function) {
  const auto has_lines = [](const ListedFile& file) { return file.why_no_text.empty() && !file.lines.empty(); };
  const auto has_code = [](const ListedCode& code) { return !code.instructions.empty(); };
  return std::ranges::any_of(function.files, has_lines) || std::ranges::any_of(function.codes, has_code);
}

}  // namespace

void add_names(Profile& profile, Children& children) {
  SourceReader(children.reader(), children.listings()).add_names(profile);
}

void add_lines(Profile& profile, Children& children) {
  SourceReader(children.reader(), children.listings()).add_lines(profile);
}

SourceListings listings_of_named(const Profile& profile, const std::vector<std::string>& names, Children& children,
                                 const std::function<void(const std::string&)>& note) {
  SourceReader reader(children.reader(), children.listings());
  SourceListings listings;
  for (const std::string& name : names) {
    std::vector<std::string> nearest;
    std::vector<FunctionListing> functions = functions_named(profile, name, nearest);
    if (functions.empty()) throw Error("--source " + name + ": no such function" + suggestion("; ", nearest));
    std::ranges::move(functions, std::back_inserter(listings.functions));
  }
  reader.complete(profile, listings.functions, SourceReader::Extent::whole);
  for (const auto& lines : {reader.notes(), children.notes()}) {
    for (const std::string& line : lines) note(line);
  }
  return listings;
}

SourceListings listings_for_page(const Profile& profile, Children& children,
                                 const std::function<void(const std::string&)>& note) {
  SourceReader reader(children.reader(), children.listings());
  std::vector<FunctionListing> functions = largest_functions(profile, most_in_page);
  reader.complete(profile, functions, SourceReader::Extent::near);
  SourceListings listings;
  std::size_t bytes = 0;
  std::size_t left_out = 0;
  std::set<std::string> files;
  for (FunctionListing& function : functions) {
    if (!has_text(function)) continue;
    const std::size_t size = bytes_of(function);
    if (bytes + size > most_page_bytes) {
      ++left_out;
      continue;
    }
    bytes += size;
    for (const ListedFile& file : function.files) {
      if (file.why_no_text.empty()) files.insert(file.path);
    }
    listings.functions.push_back(std::move(function));
  }
  std::string line = "the page holds source and code of " + number_of(listings.functions.size(), "function") +
                     ": lines of " + number_of(files.size(), "source file") + ", " + size_text(bytes);
  if (left_out != 0) line += "; " + number_of(left_out, "function") + " left out, for its size";
  listings.notes.push_back(std::move(line));
  std::ranges::move(reader.notes(), std::back_inserter(listings.notes));
  for (const std::string& words : listings.notes) note(words);
  return listings;
}

}  // namespace profile
