// Puts rows, which come in the order of the file, into pages. A row that says what the one before it says is left out.
#pragma once

#include <cstdint>

#include "unwind/table.h"

namespace profile {

class RowWriter {
 public:
  // `table` must outlive this; its machine is set.
  explicit RowWriter(UnwindTable& table) : table_(table), page_shift_(UNWIND_PAGE_SHIFT(table.unit_shift)) {}

  // From `offset` on, which is not below the last one, `code` holds. Of several for one place the last one counts.
  void add(std::uint64_t offset, std::uint32_t code) {
    const std::uint64_t unit = offset >> table_.unit_shift;
    if (unit != unit_) {
      write();
      unit_ = unit;
    }
    code_ = code;
  }
  // The last one is written, too.
  void finish() { write(); }
  // The table would be larger than any honest one; nothing more is written.
  [[nodiscard]] bool is_full() const { return is_full_; }

 private:
  void write();

  UnwindTable& table_;
  const std::uint32_t page_shift_;
  std::uint64_t unit_ = 0;     // of the row that is to be written next,
  std::uint32_t code_ = 0;     // and its code
  std::uint32_t written_ = 0;  // the code of the one before
  bool is_full_ = false;
};

}  // namespace profile
