#include "sampling/uprobe_target.h"

#include <algorithm>
#include <charconv>

#include "parse/children.h"
#include "parse/file_probes.h"
#include "support/error.h"
#include "support/nearest_names.h"
#include "support/plural.h"

namespace profile {
namespace {

constexpr std::string_view prefix = "uprobe:";
// Each gets a probe, which takes a descriptor and a millisecond.
constexpr std::size_t most_places = 4096;

// The positions of the colons that may end FILE: all but those of "::".
std::vector<std::size_t> single_colons(std::string_view text) {
  std::vector<std::size_t> found;
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    const bool after_another = at != 0 && text[at - 1] == ':';
    const bool before_another = at + 1 < text.size() && text[at + 1] == ':';
    if (!after_another && !before_another) found.push_back(at);
  }
  return found;
}

// Removes "+0x1c" or "+28" from the end of `symbol` and returns the number. Otherwise it returns 0, because a name may
// have a + in it.
std::uint64_t take_offset(std::string& symbol) {
  const auto plus = symbol.rfind('+');
  if (plus == std::string::npos || plus == 0) return 0;
  std::string_view digits = std::string_view(symbol).substr(plus + 1);
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  std::uint64_t offset = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), offset, hex ? 16 : 10);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return 0;
  symbol.resize(plus);
  return offset;
}

Error incomplete(std::string_view event, const std::string& what) {
  return usage_error("-e " + std::string(event) + ": " + what +
                     "; it is uprobe:FILE:SYMBOL, as uprobe:libc:malloc or uprobe:/usr/bin/bash:readline");
}

std::string hex(std::uint64_t number) {
  char digits[17];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number, 16).ptr;
  return "0x" + std::string(digits, end);
}

}  // namespace

std::vector<FoundSymbol> functions_called(FileProbes& probes, const UprobeName& name, const ProbedFile& file,
                                          const std::string& what) {
  const std::string& symbol = name.symbol;
  NameSearch search = probes.search(file, symbol, name.offset);
  if (search.was_given_up) {
    throw Error(what + ": looking for " + symbol + " among the names of " + file.path +
                " was given up: it did not come to an end; name the symbol as the file spells it");
  }
  if (search.places.empty()) {
    throw Error(what + ": no function " + symbol + " in " + file.path +
                suggestion("; ", nearest_names(symbol, std::move(search.names))));
  }
  const auto has = [&](FoundSymbol::Kind kind) {
    return std::any_of(search.places.begin(), search.places.end(),
                       [kind](const FoundSymbol& place) { return place.kind == kind; });
  };
  if (has(FoundSymbol::Kind::resolver)) {
    throw Error(what + ": " + symbol + " in " + file.path +
                " only chooses one of several functions when a program starts (IFUNC); name the one that is chosen");
  }
  std::erase_if(search.places, [](const FoundSymbol& place) { return place.kind == FoundSymbol::Kind::data; });
  if (search.places.empty()) throw Error(what + ": " + symbol + " in " + file.path + " is data, no function");
  if (search.places.size() > most_places) {
    throw Error(what + ": " + number_of(search.places.size(), "function") + " in " + file.path + " are called " +
                symbol + ", too many to probe");
  }
  return std::move(search.places);
}

bool is_uprobe_name(std::string_view event) { return event == "uprobe" || event.starts_with(prefix); }

UprobeName parse_uprobe(std::string_view event, const std::function<bool(const std::string&)>& is_there) {
  if (!event.starts_with(prefix)) throw incomplete(event, "FILE and SYMBOL are missing");
  const std::string_view rest = event.substr(prefix.size());
  const std::vector<std::size_t> colons = single_colons(rest);
  if (colons.empty()) throw incomplete(event, "SYMBOL is missing");
  const auto names_file = [&](std::size_t colon) { return is_there(std::string(rest.substr(0, colon))); };
  const auto known = std::find_if(colons.begin(), colons.end(), names_file);
  const std::size_t colon = known != colons.end() ? *known : colons.front();

  UprobeName name;
  name.file = rest.substr(0, colon);
  name.symbol = rest.substr(colon + 1);
  if (name.file.empty()) throw incomplete(event, "FILE is missing");
  name.offset = take_offset(name.symbol);
  if (name.symbol.empty()) throw incomplete(event, "SYMBOL is missing");
  return name;
}

UprobeTarget find_uprobe_target(const SamplingOptions& options) {
  const std::string what = "-e " + options.event;
  const UprobeName name = parse_uprobe(
      options.event, [&](const std::string& path) { return options.children->look(what, path).error == 0; });
  std::vector<std::uint32_t> ids = options.tgids;
  ids.insert(ids.end(), options.tids.begin(), options.tids.end());
  FileProbes& probes = options.children->probes();
  UprobeTarget target{
      .file = find_probed_file(probes, name.file, ids, what), .offsets = {}, .at_entry = name.offset == 0};
  for (const FoundSymbol& place : functions_called(probes, name, target.file, what)) {
    if (name.offset != 0 && place.size_bytes != 0 && name.offset >= place.size_bytes) {
      throw Error(what + ": " + name.symbol + " is only " + hex(place.size_bytes) + " bytes long");
    }
    if (!place.offset) throw Error(what + ": " + target.file.path + " has no code for " + name.symbol);
    target.offsets.push_back(*place.offset);
  }
  return target;
}

}  // namespace profile
