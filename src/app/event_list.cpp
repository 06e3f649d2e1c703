#include "app/event_list.h"

#include <ostream>
#include <string>

#include "sampling/source.h"

namespace profile {

void print_events(std::ostream& out) {
  constexpr std::size_t column = 34;
  std::string_view group;
  for (const SourceKind& kind : source_kinds()) {
    if (kind.group != group) out << (group.empty() ? "" : "\n") << kind.group << ":\n";
    group = kind.group;
    std::string left = "  " + std::string(kind.name);
    if (!kind.alias.empty()) left += ", " + std::string(kind.alias);
    out << left << (left.size() < column ? std::string(column - left.size(), ' ') : "\n" + std::string(column, ' '))
        << kind.summary;
    if (const auto missing = kind.missing != nullptr ? kind.missing(kind.name) : std::nullopt) {
      out << "\n" << std::string(column, ' ') << "not here: " << *missing;
    }
    out << '\n';
  }
}

}  // namespace profile
