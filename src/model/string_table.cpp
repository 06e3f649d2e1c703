#include "model/string_table.h"

namespace profile {

StringTable::StringTable(const StringTable& other) {
  for (const std::string& text : other.strings_) intern(text);
}

StringTable& StringTable::operator=(const StringTable& other) {
  if (this != &other) *this = StringTable(other);
  return *this;
}

StringId StringTable::intern(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const auto id = static_cast<StringId>(strings_.size());
  const std::string& kept = strings_.emplace_back(text);
  ids_.emplace(kept, id);
  return id;
}

}  // namespace profile
