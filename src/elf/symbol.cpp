#include "elf/symbol.h"

#include <algorithm>

namespace profile {

bool better_alias(std::string_view name, std::string_view other) {
  const bool internal = name.starts_with("__GI_");
  const bool other_internal = other.starts_with("__GI_");
  if (internal != other_internal) return other_internal;
  const auto underscores = [](std::string_view text) { return std::min(text.find_first_not_of('_'), text.size()); };
  if (underscores(name) != underscores(other)) return underscores(name) < underscores(other);
  if (name.size() != other.size()) return name.size() < other.size();
  return name < other;
}

bool is_mapping_mark(std::string_view name) {
  return name.size() >= 2 && name[0] == '$' && (name.size() == 2 || name[2] == '.');
}

}  // namespace profile
