#include "symbol/file_names.h"

#include <limits.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "support/plural.h"

namespace profile {
namespace {

constexpr std::size_t most_unread_splits = 1000;

// The return address of a signal handler is the first byte of the trampoline, and nothing lies before it. So when a
// return place lies in no function, a function that begins at the next byte counts.
bool is_trampoline(const NameOfCode& next) {
  return next.unnamed == Unnamed::named && next.start == next.address.value;
}

bool needs_next(const CodeOffset& place, const NameOfCode& here) {
  return place.is_return && here.unnamed != Unnamed::named;
}

// The symbol `next` of the following byte, as seen from the place of `here`.
NameOfCode before(const NameOfCode& next, const NameOfCode& here) {
  NameOfCode place = next;
  place.address = here.address;
  return place;
}

std::optional<NameOfCode> find_known(const RangeCache& ranges, const CodeOffset& place) {
  const auto here = ranges.find(place.at);
  if (!here || !needs_next(place, *here)) return here;
  const auto next = ranges.find(return_address(place.at, place.is_return));
  if (!next) return std::nullopt;
  return is_trampoline(*next) ? before(*next, *here) : here;
}

// The offsets to ask for so that all `places` can be answered. `places` ascend.
std::vector<FileOffset> offsets_for(std::span<const CodeOffset> places) {
  std::vector<FileOffset> offsets;
  offsets.reserve(2 * places.size());
  const auto add = [&offsets](FileOffset offset) {
    if (offsets.empty() || offsets.back() < offset) offsets.push_back(offset);
  };
  for (const CodeOffset& place : places) {
    add(place.at);
    add(return_address(place.at, place.is_return));
  }
  return offsets;
}

}  // namespace

std::string_view short_name(std::string_view path) {
  constexpr std::string_view deleted = " (deleted)";
  if (path.ends_with(deleted)) path.remove_suffix(deleted.size());
  return path.substr(path.rfind('/') + 1);
}

CodeSegment FileAnswers::segment_of(ElfAddress address) const {
  const auto found = std::ranges::find_if(code, [&](const CodeSegment& segment) { return segment.holds(address); });
  return found == code.end() ? CodeSegment{} : *found;
}

void FileNames::give_up(std::string_view path, FileFault fault, FileAnswers& known) const {
  const StringId module = strings_.intern(short_name(path));
  known.path = strings_.intern(path);
  for (const CodeOffset& place : known.answers.take_pending()) {
    Answer& answer = *known.answers.at(place);
    answer.unnamed = unnamed_by(fault);
    answer.module = module;
    answer.offset = place.at.value;
  }
}

FileFault FileNames::resolve(const FileRef& file, FileAnswers& known) {
  const Ask ask = [&](std::span<const FileOffset> offsets) { return reader_.names(file, offsets, budget_); };
  return resolve(file.path, known, ask, &file);
}

void FileNames::recall(const FileRef& file, FileAnswers& known) {
  const Ask ask = [](std::span<const FileOffset> /*offsets*/) {
    NamesOfFile unread;
    unread.failed = FileFault::too_large;
    return unread;
  };
  resolve(file.path, known, ask, nullptr);
}

void FileNames::resolve_vdso(FileAnswers& known) {
  resolve(
      "vdso", known, [this](std::span<const FileOffset> offsets) { return reader_.vdso_names(offsets); }, nullptr);
}

FileFault FileNames::resolve(std::string_view path, FileAnswers& known, const Ask& ask, const FileRef* file) {
  const std::vector<CodeOffset> places = known.answers.take_pending();
  std::vector<NameOfCode> named(places.size());
  std::vector<CodeOffset> unread;
  std::vector<std::size_t> slots;  // [i]: the index of unread[i] in `places`
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (const auto found = find_known(known.ranges, places[i])) {
      named[i] = *found;
      continue;
    }
    unread.push_back(places[i]);
    slots.push_back(i);
  }
  FileFault failed = FileFault::none;
  known.path = strings_.intern(path);
  if (!unread.empty()) {
    const std::vector<FileOffset> asked = offsets_for(unread);
    const NamesOfFile read = ask(asked);
    failed = read.failed;
    std::vector<NameOfCode> read_now;
    if (failed == FileFault::none) {
      known.build_id = strings_.intern(read.build_id);
      known.code = read.code;
      read_now = places_of(read, asked, unread, known.ranges);
    } else {
      for (const CodeOffset& place : unread)
        read_now.push_back({.unnamed = unnamed_by(failed), .address = ElfAddress{place.at.value}});
    }
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
    if (!is_named && named[i].start != 0) answer.function = named[i].start;
    answer.address = named[i].address;
    addresses.push_back(named[i].address);
  }
  if (options_.lines && file != nullptr && failed == FileFault::none && !budget_.spent()) {
    add_lines(*file, places, addresses, known);
  }
  return failed;
}

std::vector<NameOfCode> FileNames::places_of(const NamesOfFile& read, std::span<const FileOffset> asked,
                                             std::span<const CodeOffset> places, RangeCache& ranges) const {
  std::vector<StringId> symbols(read.strings.size(), StringId::empty);  // [reader's id]: our id; empty: none so far
  const auto place_of = [&](std::size_t i) {
    const NameOfCode& name = read.names[i];
    NameOfCode place = name;
    place.symbol = StringId::empty;
    if (name.unnamed != Unnamed::named) return place;
    StringId& symbol = symbols[static_cast<std::size_t>(name.symbol)];
    if (symbol == StringId::empty) symbol = strings_.intern(read.strings.view(name.symbol));
    place.symbol = symbol;
    return place;
  };

  std::vector<NameOfCode> named;
  named.reserve(places.size());
  std::size_t at = 0;  // index of the place's offset in `asked`
  for (const CodeOffset& place : places) {
    while (asked[at] < place.at) ++at;
    NameOfCode here = place_of(at);
    if (needs_next(place, here)) {
      const NameOfCode next = place_of(at + 1);
      if (is_trampoline(next)) here = before(next, here);
    }
    named.push_back(here);
  }
  for (std::size_t i = 0; options_.ranges && i < asked.size(); ++i) {
    const Unnamed unnamed = read.names[i].unnamed;
    const bool is_lasting = unnamed == Unnamed::named || unnamed == Unnamed::no_symbol;
    if (is_lasting) ranges.add(asked[i], read.valid_ranges[i], place_of(i));
  }
  return named;
}

void FileNames::add_lines(const FileRef& file, std::span<const CodeOffset> places,
                          std::span<const ElfAddress> addresses, FileAnswers& known) {
  if (places.empty()) return;
  const LinesOfFile lines = reader_.lines(file, addresses, budget_);
  for (const auto& [split, why] : lines.unread_splits) {
    const bool is_short = split.size() <= PATH_MAX && why.size() <= PATH_MAX;
    if (is_short && unread_splits_.size() < most_unread_splits) unread_splits_.emplace(split, why);
  }
  if (lines.failed != FileFault::none) return;
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto chain = std::make_shared<Chain>();
    for (const SourcePosition& line : lines.chains[i]) {
      chain->push_back({.function = strings_.intern(lines.strings.view(line.function)),
                        .file = strings_.intern(lines.strings.view(line.file)),
                        .line = line.line});
    }
    known.positions += chain->size();
    if (!chain->empty()) known.answers.at(places[i])->source = std::move(chain);
  }
}

std::vector<std::string> FileNames::notes() const {
  constexpr std::size_t most_named = 4;
  if (unread_splits_.empty()) return {};
  std::string line = number_of(unread_splits_.size(), "file") +
                     " of split debug information could not be read, so that " + "inlined functions are missing:";
  std::size_t named = 0;
  for (const auto& [path, why] : unread_splits_) {
    if (++named > most_named) break;
    line.append(named == 1 ? " " : ", ").append(path).append(" (").append(why).append(")");
  }
  if (unread_splits_.size() > most_named) line += ", ...";
  return {line};
}

}  // namespace profile
