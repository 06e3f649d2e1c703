#include "elf/symbols.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "elf/symbol.h"
#include "elf/symbol_index.h"
#include "elf/symbol_table.h"
#include "elf/symbol_versions.h"

namespace profile {
namespace {

// Which symbols of a table give names. Labels are symbols without a type, in code. They are a last resort: hand-written
// assembly forgets `.type`, but linkers and assemblers leave their own marks among the labels.
enum class Kind { function, label };

// How many names of one range and one binding are compared. Real code has at most a dozen.
constexpr std::uint32_t max_aliases = 32;
// The names of labels must be read before it is known whether they matter. Assemblers share the strings of their marks,
// so this number of reads is enough.
constexpr std::uint64_t max_label_reads = 1 << 17;

// The part of a batch that has no name yet.
struct Unresolved {
  std::vector<std::uint64_t> addresses;
  std::vector<std::size_t> slots;  // [i]: the index of addresses[i] in the batch
};

Unresolved unresolved(std::span<const ElfAddress> addresses, std::span<const Symbol> answers) {
  Unresolved rest;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (answers[i].unnamed == Unnamed::named) continue;
    rest.addresses.push_back(addresses[i].value);
    rest.slots.push_back(i);
  }
  return rest;
}

bool is_a(const ElfTableSymbol& symbol, Kind kind) {
  const bool function = symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC;
  return kind == Kind::function ? function : symbol.type == STT_NOTYPE && (symbol.section->flags & SHF_EXECINSTR) != 0;
}

SymbolRange range_of(const ElfTableSymbol& symbol) {
  return {symbol.start, std::min(symbol.size, UINT64_MAX - symbol.start)};  // cut off as in SymbolIndex
}

// Where a symbol without a size ends at the latest. In .dynsym its neighbours are missing, so there it stands only for
// its own address.
std::uint64_t limit_of(const ElfTableSymbol& symbol, bool dynamic) {
  const ElfSection& section = *symbol.section;
  const bool inside = symbol.start >= section.address && symbol.start - section.address < section.size;
  if (!inside) return 0;
  return dynamic ? symbol.start + 1 : std::max(section.address, section.address + section.size);
}

// False for a mark of the assembler ($x, $d: code or data begins; .L1, .annobin…) or of the linker (_etext, __start_x).
bool names_code(std::string_view label) {
  if (label.empty() || label[0] == '.') return false;
  if (is_mapping_mark(label)) return false;
  constexpr std::array<std::string_view, 12> marks = {"_etext",
                                                      "etext",
                                                      "__etext",
                                                      "_end",
                                                      "end",
                                                      "__end__",
                                                      "__bss_start",
                                                      "_edata",
                                                      "edata",
                                                      "__ehdr_start",
                                                      "_GLOBAL_OFFSET_TABLE_",
                                                      "__executable_start"};
  if (std::ranges::find(marks, label) != marks.end()) return false;
  return !label.starts_with("__start_") && !label.starts_with("__stop_");
}

// Answers names_code() for offsets. It remembers the few offsets that come again and again.
class LabelFilter {
 public:
  explicit LabelFilter(const ElfSymbolTable& table) : reader_(table) {}
  bool operator()(std::uint32_t name) {
    Known& known = known_[name % known_.size()];
    if (known.name != name) {
      if (reader_.reads() >= max_label_reads) return false;
      known = {name, names_code(reader_.read(name))};
    }
    return known.names_code;
  }

 private:
  struct Known {
    std::uint32_t name = 0;  // no symbol has the name 0
    bool names_code = false;
  };
  ElfNameReader reader_;
  std::array<Known, 256> known_{};
};

// A range that answers an address, and the best of its names.
struct Group {
  SymbolRange range;
  std::uint8_t rank = UINT8_MAX;  // the lowest seen so far
  std::uint32_t count = 0;        // how many names of that rank it has
  std::string name;
};

struct Candidate {
  std::uint32_t name = 0;
  std::uint32_t group = 0;
  std::uint8_t rank = 0;
};

std::uint8_t rank_of(const ElfTableSymbol& symbol) {
  if (symbol.binding == STB_LOCAL) return 2;
  return symbol.binding == STB_WEAK ? 1 : 0;
}

// One pass over one table for one kind: gives names to the addresses of a batch that have none.
class Pass {
 public:
  Pass(const ElfSymbolTable& table, Kind kind) : table_(table), kind_(kind) {}
  // False when the file could not be read to the end, or when it needs too much memory.
  bool run(const Unresolved& rest, std::span<Symbol> answers);

 private:
  [[nodiscard]] bool name(SymbolIndex& index, const Unresolved& rest, std::span<Symbol> answers);
  [[nodiscard]] bool find_ranges(SymbolIndex& index);
  [[nodiscard]] bool find_candidates();
  [[nodiscard]] bool choose_names(std::uint64_t budget_bytes);
  [[nodiscard]] std::optional<std::size_t> group_of(const SymbolRange& range) const;

  const ElfSymbolTable& table_;
  Kind kind_;
  std::vector<bool> in_question_;  // by symbol: it may answer some address
  std::vector<Group> groups_;      // by range
  std::vector<Candidate> candidates_;
};

bool Pass::find_ranges(SymbolIndex& index) {
  LabelFilter is_label(table_);
  in_question_.assign(table_.size(), false);
  return table_.for_each([&](const ElfTableSymbol& symbol) {
    if (is_a(symbol, kind_)) {
      if (kind_ == Kind::label && symbol.size == 0 && !index.matters(symbol.start)) return;
      if (kind_ == Kind::label && !is_label(symbol.name)) return;
      in_question_[symbol.index] = symbol.size > 0
                                       ? index.add_sized(symbol.start, symbol.size)
                                       : index.add_unsized(symbol.start, limit_of(symbol, table_.is_dynamic()));
    } else if (kind_ == Kind::label && is_a(symbol, Kind::function)) {
      index.add_boundary(symbol.start);
    }
  });
}

std::optional<std::size_t> Pass::group_of(const SymbolRange& range) const {
  const auto found = std::ranges::lower_bound(groups_, range, {}, &Group::range);
  if (found == groups_.end() || found->range != range) return std::nullopt;
  return static_cast<std::size_t>(found - groups_.begin());
}

bool Pass::find_candidates() {
  return table_.for_each([&](const ElfTableSymbol& symbol) {
    if (!in_question_[symbol.index]) return;
    const auto index = group_of(range_of(symbol));
    if (!index) return;
    Group& group = groups_[*index];
    const std::uint8_t rank = rank_of(symbol);
    if (rank < group.rank) {
      group.rank = rank;
      group.count = 0;
    }
    if (rank > group.rank || group.count == max_aliases) return;
    ++group.count;
    candidates_.push_back({symbol.name, static_cast<std::uint32_t>(*index), rank});
  });
}

bool Pass::choose_names(std::uint64_t budget_bytes) {
  std::ranges::sort(candidates_, {}, &Candidate::name);  // so the strings are read in one direction
  ElfNameReader reader(table_);
  SymbolVersions versions(table_.file());
  for (const Candidate& candidate : candidates_) {
    Group& group = groups_[candidate.group];
    if (candidate.rank > group.rank) continue;
    const std::string_view name = versions.without_version(reader.read(candidate.name));
    if (name.empty() || (kind_ == Kind::label && !names_code(name))) continue;
    if (!group.name.empty() && !better_alias(name, group.name)) continue;
    budget_bytes += group.name.size();
    if (name.size() > budget_bytes) return false;
    budget_bytes -= name.size();
    group.name = name;
  }
  return true;
}

bool Pass::run(const Unresolved& rest, std::span<Symbol> answers) {
  SymbolIndex index(rest.addresses);
  const bool whole = name(index, rest, answers);
  const auto valid_ranges = index.valid_ranges();
  for (std::size_t i = 0; i < valid_ranges.size(); ++i)
    answers[rest.slots[i]].valid_range.keep_within(whole ? valid_ranges[i] : valid_for_one);
  return whole;
}

bool Pass::name(SymbolIndex& index, const Unresolved& rest, std::span<Symbol> answers) {
  const bool found_ranges = find_ranges(index);
  const auto ranges = index.answers();
  for (const auto& range : ranges) {
    if (range) groups_.push_back({.range = *range, .name = {}});
  }
  std::ranges::sort(groups_, {}, &Group::range);
  const auto same = [](const Group& a, const Group& b) { return a.range == b.range; };
  groups_.erase(std::unique(groups_.begin(), groups_.end(), same), groups_.end());
  if (groups_.empty()) return found_ranges;

  const std::uint64_t budget_bytes = name_budget_bytes(rest.addresses.size());
  bool whole = find_candidates() && found_ranges;
  whole = choose_names(budget_bytes) && whole;
  std::uint64_t written_bytes = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!ranges[i]) continue;
    const Group& group = groups_[*group_of(*ranges[i])];
    if (group.name.empty()) continue;
    written_bytes += group.name.size();
    if (written_bytes > budget_bytes) return false;
    Symbol& answer = answers[rest.slots[i]];
    answer.name = group.name;
    answer.start = group.range.start;
    answer.unnamed = Unnamed::named;
  }
  return whole;
}

}  // namespace

void resolve_symbols(const ElfFile& file, std::span<const ElfAddress> addresses, std::span<Symbol> answers) {
  bool damaged = file.sections_damaged();
  Unresolved rest = unresolved(addresses, answers);
  for (const Kind kind : {Kind::function, Kind::label}) {
    for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
      if (rest.addresses.empty()) return;
      const auto table = ElfSymbolTable::find(file, type, damaged);
      if (!table) continue;
      if (!Pass(*table, kind).run(rest, answers)) damaged = true;
      rest = unresolved(addresses, answers);
    }
  }
  for (const std::size_t slot : rest.slots)
    answers[slot].unnamed = damaged ? Unnamed::file_malformed : Unnamed::no_symbol;
}

}  // namespace profile
