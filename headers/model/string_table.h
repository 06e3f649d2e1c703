// Stores each distinct string once. A profile repeats a few thousand names in a few hundred thousand frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "support/index_table.h"

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

  StringId intern(std::string_view text);
  // Valid as long as the table lives.
  [[nodiscard]] std::string_view view(StringId id) const { return strings_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::size_t size() const { return strings_.size(); }

 private:
  std::string_view keep(std::string_view text);

  std::vector<std::string_view> strings_;
  IndexTable ids_;
  // The texts of strings_, one behind the other. A table has many short ones: an allocation for each costs more than
  // to find it.
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_bytes_ = 0;  // of the last block
  std::size_t used_bytes_ = 0;   // of it
};

}  // namespace profile
