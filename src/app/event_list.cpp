#include "app/event_list.h"

#include <ostream>
#include <string>

#include "sampling/source.h"

namespace profile {
namespace {

constexpr std::size_t column = 34;
constexpr std::size_t width = 100;

// `text` from `column` on, in as many lines as it takes; the first is begun already.
void write_wrapped(std::ostream& out, std::string_view text) {
  constexpr std::size_t room = width - column;
  while (text.size() > room) {
    const std::size_t blank = text.rfind(' ', room);
    if (blank == std::string_view::npos) break;
    out << text.substr(0, blank) << '\n' << std::string(column, ' ');
    text.remove_prefix(blank + 1);
  }
  out << text << '\n';
}

}  // namespace

void print_events(std::ostream& out) {
  std::string_view group;
  for (const SourceKind& kind : source_kinds()) {
    if (kind.group != group) out << (group.empty() ? "" : "\n") << kind.group << ":\n";
    group = kind.group;
    std::string left = "  " + std::string(kind.name);
    if (!kind.alias.empty()) left += ", " + std::string(kind.alias);
    out << left << (left.size() < column ? std::string(column - left.size(), ' ') : "\n" + std::string(column, ' '));
    write_wrapped(out, kind.summary);
    if (const auto missing = kind.missing != nullptr ? kind.missing(kind.name) : std::nullopt) {
      out << std::string(column, ' ');
      write_wrapped(out, "not here: " + *missing);
    }
  }
}

}  // namespace profile
