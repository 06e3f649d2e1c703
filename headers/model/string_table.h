// Stores each distinct string once. A profile repeats a few thousand names in a few hundred thousand frames.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace profile {

// Index into a StringTable. Two strings of one table are equal exactly when their ids are equal.
enum class StringId : std::uint32_t { empty = 0 };

class StringTable {
 public:
  StringTable() { intern({}); }
  // A copy has the same ids.
  StringTable(const StringTable& other);
  StringTable& operator=(const StringTable& other);
  StringTable(StringTable&&) = default;
  StringTable& operator=(StringTable&&) = default;
  ~StringTable() = default;

  StringId intern(std::string_view text);
  // Valid as long as the table lives.
  [[nodiscard]] std::string_view view(StringId id) const { return strings_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::size_t size() const { return strings_.size(); }

 private:
  std::deque<std::string> strings_;  // a deque, because the views in ids_ must not move
  std::unordered_map<std::string_view, StringId> ids_;
};

}  // namespace profile
