#include "symbol/file_names.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "symbol/demangle.h"

namespace profile {
namespace {

// The return address of a signal handler is the first byte of the trampoline, with nothing before it; so of a place in
// no function that something returns to, what it is followed by counts, if that begins there.
bool is_trampoline(const KnownPlace& next) {
  return next.unnamed == Unnamed::named && next.start == next.address.value;
}

bool needs_next(const Place& place, const KnownPlace& here) {
  return place.is_return && here.unnamed != Unnamed::named;
}

// `next` is that of the following byte, seen from where `here` is.
KnownPlace before(const KnownPlace& next, const KnownPlace& here) {
  KnownPlace place = next;
  place.address = here.address;
  return place;
}

std::optional<KnownPlace> find_known(const KnownRanges& ranges, const Place& place) {
  const auto here = ranges.find(place.at);
  if (!here || !needs_next(place, *here)) return here;
  const auto next = ranges.find(place.at + 1);
  if (!next) return std::nullopt;
  return is_trampoline(*next) ? before(*next, *here) : here;
}

// What is asked for to answer `places`, which ascend.
std::vector<FileOffset> offsets_for(std::span<const Place> places) {
  std::vector<FileOffset> offsets;
  offsets.reserve(2 * places.size());
  const auto add = [&offsets](std::uint64_t offset) {
    if (offsets.empty() || offsets.back().value < offset) offsets.push_back(FileOffset{offset});
  };
  for (const Place& place : places) {
    add(place.at);
    if (place.is_return) add(place.at + 1);
  }
  return offsets;
}

}  // namespace

StringId Demangler::operator()(std::string_view raw) {
  const auto [found, is_new] = known_.try_emplace(std::string(raw));
  if (is_new) found->second = strings_.intern(demangle(raw));
  return found->second;
}

std::string_view short_name(std::string_view path) {
  constexpr std::string_view deleted = " (deleted)";
  if (path.ends_with(deleted)) path.remove_suffix(deleted.size());
  return path.substr(path.rfind('/') + 1);
}

void FileNames::give_up(std::string_view path, Unnamed reason, FileAnswers& known) const {
  const StringId module = strings_.intern(short_name(path));
  known.path = strings_.intern(path);
  for (const Place& place : known.answers.take_pending()) {
    Answer& answer = *known.answers.at(place);
    answer.unnamed = reason;
    answer.module = module;
    answer.offset = place.at;
  }
}

void FileNames::resolve(int fd, std::string_view path, FileAnswers& known) const {
  const std::vector<Place> places = known.answers.take_pending();
  std::vector<KnownPlace> named(places.size());
  std::vector<Place> unread;
  std::vector<std::size_t> slots;  // [i]: the index of unread[i] in `places`
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (const auto found = find_known(known.ranges, places[i])) {
      named[i] = *found;
      continue;
    }
    unread.push_back(places[i]);
    slots.push_back(i);
  }
  std::optional<FileSymbols> file;
  if (!unread.empty() || options_.lines) file.emplace(fd, path, debug_files_, budget_);
  Demangler demangled(strings_);
  if (!unread.empty()) {
    known.path = strings_.intern(path);
    known.build_id = strings_.intern(file->build_id());
    const std::vector<KnownPlace> read_now = read(*file, unread, known.ranges, demangled);
    for (std::size_t i = 0; i < slots.size(); ++i) named[slots[i]] = read_now[i];
  }

  const StringId module = strings_.intern(short_name(path));
  std::vector<ElfAddress> addresses;
  for (std::size_t i = 0; i < places.size(); ++i) {
    Answer& answer = *known.answers.at(places[i]);
    const bool is_named = named[i].unnamed == Unnamed::named;
    answer.module = module;
    answer.unnamed = named[i].unnamed;
    answer.symbol = named[i].symbol;
    answer.offset = named[i].address.value - (is_named ? named[i].start : 0);
    answer.address = named[i].address;
    addresses.push_back(named[i].address);
  }
  if (options_.lines && !budget_.spent()) add_lines(*file, places, addresses, known.answers, demangled);
}

std::vector<KnownPlace> FileNames::read(FileSymbols& file, std::span<const Place> places, KnownRanges& ranges,
                                        Demangler& demangled) const {
  const std::vector<FileOffset> asked = offsets_for(places);
  std::vector<ElfAddress> addresses(asked.size());
  std::vector<Symbol> symbols(asked.size());
  file.name(asked, addresses, symbols);
  const auto place_of = [&](std::size_t i) {
    KnownPlace place{
        .unnamed = symbols[i].unnamed, .symbol = StringId::empty, .start = symbols[i].start, .address = addresses[i]};
    if (place.unnamed == Unnamed::named) place.symbol = demangled(symbols[i].name);
    return place;
  };

  std::vector<KnownPlace> named;
  named.reserve(places.size());
  std::size_t at = 0;  // of the place's offset in `asked`
  for (const Place& place : places) {
    while (asked[at].value < place.at) ++at;
    KnownPlace here = place_of(at);
    if (needs_next(place, here)) {
      const KnownPlace next = place_of(at + 1);
      if (is_trampoline(next)) here = before(next, here);
    }
    named.push_back(here);
  }
  for (std::size_t i = 0; options_.ranges && i < asked.size(); ++i) {
    const bool is_lasting = symbols[i].unnamed == Unnamed::named || symbols[i].unnamed == Unnamed::no_symbol;
    if (is_lasting) ranges.add(asked[i].value, symbols[i].reach, place_of(i));
  }
  return named;
}

void FileNames::add_lines(FileSymbols& file, std::span<const Place> places, std::span<const ElfAddress> addresses,
                          Answers& answers, Demangler& demangled) const {
  if (places.empty()) return;
  const SourceChains chains = file.lines(addresses);
  const StringTable& texts = chains.strings();
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto chain = std::make_shared<Chain>();
    for (const SourcePosition& position : chains.chain(i)) {
      chain->push_back({.function = demangled(texts.view(position.function)),
                        .file = strings_.intern(texts.view(position.file)),
                        .line = position.line});
    }
    if (!chain->empty()) answers.at(places[i])->source = std::move(chain);
  }
}

}  // namespace profile
