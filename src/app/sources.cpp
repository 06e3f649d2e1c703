#include "app/sources.h"

#include <utility>

#include "output/function_places.h"
#include "parse/children.h"
#include "support/error.h"
#include "support/nearest_names.h"
#include "symbol/source_reader.h"

namespace profile {

SourceListings listings_of_named(Profile& profile, const std::vector<std::string>& names, Children& children,
                                 const std::function<void(const std::string&)>& note) {
  SourceReader reader(children.reader(), children.listings());
  reader.add_lines(profile);
  SourceListings listings;
  for (const std::string& name : names) {
    std::vector<std::string> nearest;
    std::vector<FunctionListing> functions = functions_named(profile, name, nearest);
    if (functions.empty()) throw Error("--source " + name + ": no such function" + suggestion("; ", nearest));
    for (FunctionListing& function : functions) {
      reader.complete(profile, function, SourceReader::Extent::whole);
      listings.functions.push_back(std::move(function));
    }
  }
  for (const auto& lines : {reader.notes(), children.notes()}) {
    for (const std::string& line : lines) note(line);
  }
  return listings;
}

}  // namespace profile
