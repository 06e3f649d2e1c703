#include "elf/go_functions.h"

#include <algorithm>
#include <cstring>

#include "elf/symbols.h"

namespace profile {
namespace {

// Since Go 1.20 0xfffffff1, 1.18 0xfffffff0, 1.16 0xfffffffa.
constexpr std::uint32_t magic_1_20 = 0xfffffff1;
constexpr std::uint32_t magic_1_18 = 0xfffffff0;
constexpr std::uint32_t magic_1_16 = 0xfffffffa;
constexpr std::uint64_t header_bytes = 8;
constexpr std::uint64_t word_bytes = 8;  // only programs of 64 bits are read

constexpr std::uint64_t most_functions = 4'000'000;
// Generic code has names of some hundred bytes.
constexpr std::size_t longest_name_bytes = 4096;
constexpr std::size_t part_bytes = 64 << 10;
// Steps for an entry that is looked at: it is read and compared.
constexpr std::uint64_t entry_steps = 16;

// Reads ascending places of a part of the file, a window at a time.
class Window {
 public:
  Window(const ElfFile& file, std::uint64_t begin, std::uint64_t end) : file_(file), begin_(begin), end_(end) {}
  // `count` bytes; empty when they are not there.
  std::span<const std::byte> from(std::uint64_t at, std::size_t count) {
    if (at > end_ - begin_ || end_ - begin_ - at < count) return {};
    if (at < held_at_ || at + count > held_at_ + held_.size()) {
      held_at_ = at;
      held_.resize(std::min<std::uint64_t>(part_bytes, end_ - begin_ - at));
      if (!file_.read_at(begin_ + at, held_)) held_.clear();
      if (held_.size() < count) return {};
    }
    return std::span(held_).subspan(at - held_at_, count);
  }

 private:
  const ElfFile& file_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::vector<std::byte> held_;
  std::uint64_t held_at_ = 0;
};

template <class Word>
Word word_in(std::span<const std::byte> bytes) {
  Word word = 0;
  if (bytes.size() >= sizeof word) std::memcpy(&word, bytes.data(), sizeof word);
  return word;
}

}  // namespace

std::optional<GoFunctions> GoFunctions::find(const ElfFile& file) {
  for (const std::string_view name : {".gopclntab", ".data.rel.ro.gopclntab"}) {
    const ElfSection* const section = file.section(name);
    if (section == nullptr) continue;
    GoFunctions functions(file, *section);
    if (file.is_64bit() && file.holds(*section) && functions.read_header()) return functions;
    break;
  }
  return std::nullopt;
}

bool GoFunctions::read(std::uint64_t at, std::span<std::byte> to) const {
  if (at > section_->size || section_->size - at < to.size()) return false;
  return file_->read_at(section_->offset + at, to);
}

std::uint64_t GoFunctions::word_at(std::uint64_t at) const {
  std::uint64_t word = 0;
  return read(at, std::as_writable_bytes(std::span(&word, 1))) ? word : 0;
}

bool GoFunctions::read_header() {
  struct {
    std::uint32_t magic;
    std::uint8_t zeros[2];
    std::uint8_t code_unit;
    std::uint8_t pointer_bytes;
  } start{};
  static_assert(sizeof start == header_bytes);
  if (!read(0, std::as_writable_bytes(std::span(&start, 1))) || start.pointer_bytes != word_bytes) return false;
  has_offsets_ = start.magic == magic_1_20 || start.magic == magic_1_18;
  if (!has_offsets_ && start.magic != magic_1_16) return false;
  // Numbers of functions and files, then (since 1.18) the start of the text, then where each of five tables begins.
  const std::uint64_t tables_at = header_bytes + word_bytes * (has_offsets_ ? 3 : 2);
  count_ = word_at(header_bytes);
  if (has_offsets_) text_start_ = word_at(header_bytes + 2 * word_bytes);
  names_at_ = word_at(tables_at);
  names_end_ = std::min(word_at(tables_at + word_bytes), section_->size);
  functions_at_ = word_at(tables_at + 4 * word_bytes);
  const std::uint64_t entry_bytes = has_offsets_ ? sizeof(std::uint32_t) : word_bytes;
  // In a program that may lie anywhere the start is filled in when it is loaded.
  if (has_offsets_ && text_start_ == 0) return false;
  return count_ != 0 && count_ <= most_functions && names_at_ < names_end_ && functions_at_ < section_->size &&
         (2 * count_ + 1) * entry_bytes <= section_->size - functions_at_;
}

std::optional<GoFunctions::Entry> GoFunctions::entry(std::uint64_t index) const {
  if (index > count_ || !file_->spend(entry_steps)) return std::nullopt;
  // The last entry is the end of the last function, and has no record.
  const std::size_t words = index == count_ ? 1 : 2;
  if (has_offsets_) {
    std::uint32_t pair[2]{};
    if (!read(functions_at_ + index * sizeof pair, std::as_writable_bytes(std::span(pair, words)))) return std::nullopt;
    return Entry{.start = text_start_ + pair[0], .record = pair[1]};
  }
  std::uint64_t pair[2]{};
  if (!read(functions_at_ + index * sizeof pair, std::as_writable_bytes(std::span(pair, words)))) return std::nullopt;
  return Entry{.start = pair[0], .record = static_cast<std::uint32_t>(pair[1])};
}

std::optional<GoFunction> GoFunctions::at(std::uint64_t address) const {
  std::uint64_t low = 0;
  std::uint64_t high = count_;  // the function is in [low, high)
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto found = entry(middle);
    if (!found) return std::nullopt;
    (found->start <= address ? low : high) = middle;
  }
  const auto begin = entry(low);
  const auto end = entry(low + 1);
  if (!begin || !end || address < begin->start || address >= end->start) return std::nullopt;
  return GoFunction{.start = begin->start, .end = end->start, .record = begin->record};
}

std::string GoFunctions::name_of(const GoFunction& function) const {
  const std::uint64_t name_at = functions_at_ + function.record + (has_offsets_ ? sizeof(std::uint32_t) : word_bytes);
  std::uint32_t place = 0;
  if (!read(name_at, std::as_writable_bytes(std::span(&place, 1))) || place >= names_end_ - names_at_) return {};
  std::string name(std::min<std::uint64_t>(longest_name_bytes, names_end_ - names_at_ - place), '\0');
  if (!read(names_at_ + place, std::as_writable_bytes(std::span(name)))) return {};
  name.resize(std::min(name.find('\0'), name.size()));
  return name;
}

std::map<std::uint32_t, std::size_t> GoFunctions::places_of(std::span<const std::string_view> names) const {
  std::map<std::uint32_t, std::size_t> places;
  const std::uint64_t size = names_end_ - names_at_;
  if (!file_->spend(size * names.size() / 8)) return places;
  Window window(*file_, section_->offset + names_at_, section_->offset + names_end_);
  const std::uint64_t step = part_bytes - longest_name_bytes;
  for (std::uint64_t at = 0; at < size; at += step) {
    const auto bytes = window.from(at, std::min<std::uint64_t>(part_bytes, size - at));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (std::size_t found = text.find(names[i]); found != text.npos; found = text.find(names[i], found + 1)) {
        const std::size_t end = found + names[i].size();
        const bool is_whole =
            (found == 0 ? at == 0 : text[found - 1] == '\0') && end < text.size() && text[end] == '\0';
        if (is_whole) places.emplace(static_cast<std::uint32_t>(at + found), i);
      }
    }
  }
  return places;
}

std::vector<GoFunctions::Named> GoFunctions::with_names(std::span<const std::string_view> names) const {
  const auto places = places_of(names);
  std::vector<Named> found;
  if (places.empty() || !file_->spend(count_ * entry_steps)) return found;
  const std::uint64_t end = section_->offset + section_->size;
  Window entries(*file_, section_->offset + functions_at_, end);
  Window records(*file_, section_->offset + functions_at_, end);
  const std::size_t entry_bytes = has_offsets_ ? sizeof(std::uint32_t) : word_bytes;
  for (std::uint64_t i = 0; i < count_; ++i) {
    const auto words = entries.from(2 * i * entry_bytes, 3 * entry_bytes);
    if (words.empty()) return {};
    const auto word = [&](std::size_t number) {
      const auto bytes = words.subspan(number * entry_bytes, entry_bytes);
      return has_offsets_ ? word_in<std::uint32_t>(bytes) : word_in<std::uint64_t>(bytes);
    };
    const auto record = static_cast<std::uint32_t>(word(1));
    const auto name = records.from(std::uint64_t{record} + entry_bytes, sizeof(std::uint32_t));
    if (name.empty()) return {};
    const auto place = places.find(word_in<std::uint32_t>(name));
    if (place == places.end()) continue;
    found.push_back({.function = {.start = text_start_ + word(0), .end = text_start_ + word(2), .record = record},
                     .name = place->second});
  }
  return found;
}

void resolve_go_functions(const ElfFile& file, std::span<const ElfAddress> addresses, std::span<Symbol> answers) {
  const auto functions = GoFunctions::find(file);
  if (!functions) return;
  std::uint64_t budget_bytes = name_budget_bytes(addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (answers[i].unnamed == Unnamed::named) continue;
    const auto function = functions->at(addresses[i].value);
    if (!function) {
      answers[i].valid_range = valid_for_one;
      continue;
    }
    answers[i].valid_range.stop_at(addresses[i].value, function->start);
    answers[i].valid_range.stop_at(addresses[i].value, function->end);
    std::string name = functions->name_of(*function);
    if (name.empty() || name.size() > budget_bytes) continue;
    budget_bytes -= name.size();
    answers[i].name = std::move(name);
    answers[i].start = function->start;
    answers[i].unnamed = Unnamed::named;
  }
}

}  // namespace profile
