#include "symbol/kallsyms_lines.h"

#include "elf/symbol.h"

namespace profile {
namespace {

KernelRank rank_of(char type, std::string_view& name) {
  if (type != 'T' && type != 't' && type != 'W' && type != 'w') return KernelRank::data;
  without_padding(name);
  return ends_code(name) ? KernelRank::end : KernelRank::code;
}

}  // namespace

void without_padding(std::string_view& name) {
  for (const std::string_view prefix : {"__pfx_", "__cfi_"}) {
    if (name.size() <= prefix.size() || !name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    return;
  }
}

bool ends_code(std::string_view name) { return name == "_etext" || name == "_einittext"; }

// Parses "ffffffff81000000 T _text" or "ffffffffc0201000 t f\t[module]".
std::optional<KernelLine> parse_kernel_line(std::string_view text) {
  KernelLine line;
  std::size_t at = 0;
  for (; at < text.size() && text[at] != ' '; ++at) {
    const char c = text[at];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0 || at == 16) return std::nullopt;
    line.address = line.address << 4 | static_cast<std::uint64_t>(digit);
  }
  if (at == 0 || at + 3 >= text.size() || text[at + 2] != ' ') return std::nullopt;
  line.name = text.substr(at + 3);
  if (const auto tab = line.name.find('\t'); tab != std::string_view::npos) {
    line.module = line.name.substr(tab + 1);
    line.name = line.name.substr(0, tab);
    if (line.module.size() < 3 || !line.module.starts_with('[') || !line.module.ends_with(']')) return std::nullopt;
    line.module = line.module.substr(1, line.module.size() - 2);
  }
  // In modules of arm64 such marks stand in the middle of functions, too.
  if (line.name.empty() || is_mapping_mark(line.name)) return std::nullopt;
  line.rank = rank_of(text[at + 1], line.name);
  return line;
}

}  // namespace profile
