// The program of a line table, run. Each row holds from its address up to the next row's; only those that hold one of
// the addresses wanted are looked at.
#include <algorithm>

#include "symbol/dwarf_constants.h"
#include "symbol/dwarf_line_table.h"

namespace profile {

class DwarfLineTable::Run {
 public:
  Run(const DwarfLineTable& table, std::span<const std::uint64_t> addresses, std::span<DwarfLine> lines)
      : table_(table), cursor_(table.bytes_, table.program_), addresses_(addresses), lines_(lines) {}

  void run(WorkBudget& budget) {
    while (cursor_.left() != 0 && !cursor_.failed() && !budget.spent()) {
      const std::uint8_t opcode = cursor_.u8();
      if (opcode >= table_.opcode_base_) {
        const auto adjusted = static_cast<unsigned>(opcode - table_.opcode_base_);
        advance(adjusted / table_.line_range_);
        line_ += static_cast<std::uint64_t>(table_.line_base_ + static_cast<int>(adjusted % table_.line_range_));
        emit(budget);
      } else if (opcode == dwarf::line_extended) {
        extended(budget);
      } else {
        standard(opcode, budget);
      }
    }
  }

 private:
  struct Row {
    std::uint64_t address = 0;
    std::uint64_t file = 0;
    std::uint64_t line = 0;
  };

  void standard(std::uint8_t opcode, WorkBudget& budget) {
    switch (opcode) {
      case dwarf::line_copy:
        return emit(budget);
      case dwarf::line_advance_pc:
        return advance(cursor_.uleb());
      case dwarf::line_advance_line:
        line_ += static_cast<std::uint64_t>(cursor_.sleb());
        return;
      case dwarf::line_set_file:
        file_ = cursor_.uleb();
        return;
      case dwarf::line_const_add_pc:
        return advance((255U - table_.opcode_base_) / table_.line_range_);
      case dwarf::line_fixed_advance_pc:
        address_ += cursor_.u16();
        operation_ = 0;
        return;
      default:  // columns, marks, and what later versions may add
        for (int i = 0; i < table_.operands_[opcode - 1U]; ++i) cursor_.uleb();
    }
  }

  void extended(WorkBudget& budget) {
    const std::uint64_t size = cursor_.uleb();
    if (cursor_.failed() || size == 0) return;
    const std::size_t begin = cursor_.at();
    const std::uint8_t opcode = cursor_.u8();
    if (opcode == dwarf::line_end_sequence) {
      emit(budget);
      has_row_ = false;
      address_ = operation_ = 0;
      file_ = line_ = 1;
    } else if (opcode == dwarf::line_set_address) {
      address_ = cursor_.fixed(static_cast<unsigned>(std::min<std::uint64_t>(size - 1, 16)));
      operation_ = 0;
    }
    const std::uint64_t read = cursor_.at() - begin;
    if (!cursor_.failed() && read < size) cursor_.skip(size - read);
  }

  void advance(std::uint64_t operations) {
    if (table_.max_operations_ == 1) {
      address_ += operations * table_.min_instruction_bytes_;
      return;
    }
    operations += operation_;
    address_ += operations / table_.max_operations_ * table_.min_instruction_bytes_;
    operation_ = operations % table_.max_operations_;
  }

  // A row begins here, so the one before ends.
  void emit(WorkBudget& budget) {
    if (!has_row_) {
      has_row_ = true;
      // Functions that the linker dropped begin at 0; or at -1 and wrap around.
      dropped_ = address_ == 0;
      next_ = seek(address_);
    } else if (address_ < row_.address) {
      next_ = seek(address_);
    } else if (!dropped_) {
      give(budget);
    }
    row_ = {address_, file_, line_};
  }

  [[nodiscard]] std::size_t seek(std::uint64_t address) const {
    return static_cast<std::size_t>(std::lower_bound(addresses_.begin(), addresses_.end(), address) -
                                    addresses_.begin());
  }

  // The addresses in the row that ends here their line, unless an earlier sequence has them.
  void give(WorkBudget& budget) {
    for (; next_ < addresses_.size() && addresses_[next_] < address_ && budget.take(1); ++next_) {
      if (lines_[next_].found || addresses_[next_] < row_.address) continue;
      const std::uint64_t line = row_.line > UINT32_MAX ? 0 : row_.line;
      lines_[next_] = {.found = true, .file = row_.file, .line = static_cast<std::uint32_t>(line)};
    }
  }

  const DwarfLineTable& table_;
  DwarfCursor cursor_;
  std::span<const std::uint64_t> addresses_;
  std::span<DwarfLine> lines_;
  // The machine's registers.
  std::uint64_t address_ = 0;
  std::uint64_t operation_ = 0;
  std::uint64_t file_ = 1;
  std::uint64_t line_ = 1;
  bool has_row_ = false;
  bool dropped_ = false;
  Row row_;               // the last
  std::size_t next_ = 0;  // the first address at or behind it
};

void DwarfLineTable::find(std::span<const std::uint64_t> addresses, std::span<DwarfLine> lines) {
  if (program_ != 0) Run(*this, addresses, lines).run(unit_.file().budget());
}

}  // namespace profile
