#include "parse/file_answers.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "demangle/demangle.h"

namespace profile {
namespace {

// Puts names into a table as they are shown. It demangles each spelling once, because neighbouring addresses share
// their symbol.
class Demangler {
 public:
  // `most`: how many names come at most.
  Demangler(StringTable& strings, const Spelling& spelling, std::size_t most)
      : strings_(strings), is_plain_(spelling.is_plain), left_bytes_(least_bytes + bytes_a_name * most) {
    if (!is_plain_) spelling.demangles(most);
  }
  StringId operator()(std::string_view raw) {
    const auto [found, is_new] = known_.try_emplace(std::string(raw));
    if (is_new) found->second = strings_.intern(shown(raw));
    return found->second;
  }

 private:
  // What the names of one answer may be longer than their spellings. Then others stay as they are, because the main
  // process takes only so long an answer.
  static constexpr std::size_t least_bytes = 1 << 20;
  static constexpr std::size_t bytes_a_name = 2048;

  std::string shown(std::string_view raw) {
    if (is_plain_) return std::string(raw);
    std::string name = demangle(raw);
    const std::size_t more = name.size() - std::min(name.size(), raw.size());
    if (more > left_bytes_) return std::string(raw);
    left_bytes_ -= more;
    return name;
  }

  StringTable& strings_;
  bool is_plain_;
  std::size_t left_bytes_;
  std::unordered_map<std::string, StringId> known_;
};

}  // namespace

NamesOfFile names_of(FileSymbols& file, std::span<const FileOffset> offsets, const Spelling& spelling) {
  NamesOfFile names;
  if (file.elf()) {
    names.build_id = file.elf()->build_id();
    names.code = file.elf()->code_segments();
  }
  std::vector<ElfAddress> addresses(offsets.size());
  std::vector<Symbol> symbols(offsets.size());
  file.name(offsets, addresses, symbols);
  Demangler demangled(names.strings, spelling, offsets.size());
  names.names.reserve(offsets.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const bool is_named = symbols[i].unnamed == Unnamed::named;
    names.names.push_back({.unnamed = symbols[i].unnamed,
                           .symbol = is_named ? demangled(symbols[i].name) : StringId::empty,
                           .start = symbols[i].start,
                           .address = addresses[i]});
    names.valid_ranges.push_back(symbols[i].valid_range);
  }
  return names;
}

NamesOfFile data_names_of(FileSymbols& file, std::span<const ElfAddress> addresses, const Spelling& spelling) {
  NamesOfFile names;
  std::vector<Symbol> symbols(addresses.size());
  file.name_data(addresses, symbols);
  Demangler demangled(names.strings, spelling, addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const bool is_named = symbols[i].unnamed == Unnamed::named;
    names.names.push_back({.unnamed = symbols[i].unnamed,
                           .symbol = is_named ? demangled(symbols[i].name) : StringId::empty,
                           .start = symbols[i].start,
                           .address = addresses[i]});
    names.valid_ranges.push_back(symbols[i].valid_range);
  }
  return names;
}

LinesOfFile lines_of(FileSymbols& file, std::span<const ElfAddress> addresses, const Spelling& spelling) {
  LinesOfFile lines;
  const SourceChains chains = file.lines(addresses);
  lines.unread_splits = chains.unread_splits();
  Demangler demangled(lines.strings, spelling, chains.strings().size());
  lines.chains.resize(addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    for (const SourcePosition& position : chains.chain(i)) {
      lines.chains[i].push_back({.function = demangled(chains.strings().view(position.function)),
                                 .file = lines.strings.intern(chains.strings().view(position.file)),
                                 .line = position.line});
    }
  }
  return lines;
}

}  // namespace profile
