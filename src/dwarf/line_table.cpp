// Reads the header of a line table (its files and directories, which version 5 writes in another way than the versions
// before) and runs its program.
#include "dwarf/line_table.h"

#include <algorithm>
#include <bit>

#include "dwarf/constants.h"

namespace profile {
namespace {

using Kind = DwarfValue::Kind;

constexpr std::uint64_t max_table_bytes = std::uint64_t{64} << 20;
constexpr std::size_t max_path_bytes = std::size_t{16} << 10;
constexpr std::size_t max_files = std::size_t{1} << 20;  // the largest units have some ten thousand
constexpr std::uint64_t path_steps = 64;                 // what it costs to ask for a path, beside its bytes

std::string join(std::string_view directory, std::string_view name) {
  std::string path;
  if (!name.starts_with('/') && !directory.empty()) {
    path = directory;
    if (!path.ends_with('/')) path += '/';
  }
  return path.append(name).substr(0, max_path_bytes);
}

}  // namespace

DwarfLineTable::DwarfLineTable(DwarfUnit& unit) : unit_(unit) {
  if (!read_header()) program_ = 0;
}

bool DwarfLineTable::read_header() {
  if (!unit_.line_offset()) return false;
  DwarfSection& section = unit_.file().section(DwarfSectionId::line);
  const std::uint64_t offset = *unit_.line_offset();
  DwarfCursor start(section.window(offset, 12));
  const std::uint64_t length = start.initial_length(encoding_.is_64bit);
  if (start.failed() || length > max_table_bytes || !unit_.file().budget().take(length)) return false;
  bytes_.resize(length);
  if (!section.read(offset + start.at(), bytes_)) return false;

  cursor_ = DwarfCursor(bytes_);
  encoding_.version = cursor_.u16();
  encoding_.address_bytes = unit_.header().encoding.address_bytes;
  if (encoding_.version < 2 || encoding_.version > 5) return false;
  if (encoding_.version >= 5) {
    encoding_.address_bytes = cursor_.u8();
    cursor_.u8();  // passes over the size of a segment selector
  }
  const std::uint64_t header_bytes = cursor_.offset(encoding_.is_64bit);
  const std::uint64_t program = cursor_.at() + header_bytes;
  if (cursor_.failed() || header_bytes > bytes_.size() || program > bytes_.size()) return false;
  min_instruction_bytes_ = cursor_.u8();
  if (encoding_.version >= 4) max_operations_ = std::max<std::uint8_t>(cursor_.u8(), 1);
  cursor_.u8();  // skips the flag that says which rows are statements: here all rows count
  line_base_ = static_cast<std::int8_t>(cursor_.u8());
  line_range_ = cursor_.u8();
  opcode_base_ = cursor_.u8();
  if (line_range_ == 0 || opcode_base_ == 0) return false;
  for (int opcode = 1; opcode < opcode_base_; ++opcode) operands_.push_back(cursor_.u8());
  program_ = program;
  return encoding_.version >= 5 ? read_names_since_5(directories_) && read_names_since_5(files_)
                                : read_names_before_5();
}

bool DwarfLineTable::read_names_before_5() {
  // Directory 0 is the unit's own directory. File 0 is no file.
  directories_.emplace_back();
  files_.emplace_back();
  const auto next = [this](std::vector<File>& files) {
    File file{.name = {Kind::inline_text, cursor_.at()}};
    if (cursor_.text().empty() || files.size() == max_files) return false;
    files.push_back(file);
    return true;
  };
  while (next(directories_)) {
  }
  while (next(files_)) {
    files_.back().directory = cursor_.uleb();
    cursor_.uleb();  // time of change
    cursor_.uleb();  // size
  }
  return !cursor_.failed();
}

bool DwarfLineTable::read_names_since_5(std::vector<File>& files) {
  struct Column {
    std::uint64_t content = 0;
    std::uint16_t form = 0;
  };
  std::vector<Column> columns(cursor_.u8());
  for (Column& column : columns) {
    column.content = cursor_.uleb();
    const std::uint64_t form = cursor_.uleb();
    column.form = form <= UINT16_MAX ? static_cast<std::uint16_t>(form) : 0;
  }
  const std::uint64_t count = cursor_.uleb();
  if (cursor_.failed() || count > std::min(cursor_.left(), max_files)) return false;  // each takes a byte at least
  for (std::uint64_t i = 0; i < count && !columns.empty(); ++i) {
    if (!unit_.file().budget().take(columns.size())) return false;
    File file;
    const std::size_t begin = cursor_.at();
    for (const Column& column : columns) {
      const DwarfValue value = read_form(cursor_, column.form, 0, encoding_);
      if (column.content == dwarf::content_path) file.name = value;
      if (column.content == dwarf::content_directory_index) file.directory = value.number;
    }
    if (cursor_.failed() || cursor_.at() == begin) return false;
    files.push_back(file);
  }
  return true;
}

std::string DwarfLineTable::path(std::uint64_t file) {
  if (file >= files_.size() || !files_[file].name || !unit_.file().budget().take(path_steps)) return {};
  std::string name = unit_.text(files_[file].name, bytes_);
  if (name.empty() || name.starts_with('/')) return name;
  std::string directory;
  if (files_[file].directory < directories_.size()) {
    directory = unit_.text(directories_[files_[file].directory].name, bytes_);
  }
  std::string path = join(join(unit_.directory(), directory), name);
  unit_.file().budget().take(path.size());
  return path;
}

// Runs the program of a line table. Each row holds from its address up to the next row's. Only rows that hold one of
// the wanted addresses are looked at.
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

  // A row begins here, so the row before it ends.
  void emit(WorkBudget& budget) {
    if (!has_row_) {
      has_row_ = true;
      // A function that the linker dropped begins at 0, or it begins at -1 and wraps around.
      dropped_ = address_ == 0;
      next_ = seek(address_, budget);
    } else if (address_ < row_.address) {
      next_ = seek(address_, budget);
    } else if (!dropped_) {
      give(budget);
    }
    row_ = {address_, file_, line_};
  }

  [[nodiscard]] std::size_t seek(std::uint64_t address, WorkBudget& budget) const {
    budget.take(std::bit_width(addresses_.size()));
    return static_cast<std::size_t>(std::lower_bound(addresses_.begin(), addresses_.end(), address) -
                                    addresses_.begin());
  }

  // Gives each address in the row that ends here its line, unless an earlier sequence has given it one.
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
  // The registers of the small machine.
  std::uint64_t address_ = 0;
  std::uint64_t operation_ = 0;
  std::uint64_t file_ = 1;
  std::uint64_t line_ = 1;
  bool has_row_ = false;
  bool dropped_ = false;
  Row row_;               // the last row
  std::size_t next_ = 0;  // index of the first address at or behind it
};

void DwarfLineTable::find(std::span<const std::uint64_t> addresses, std::span<DwarfLine> lines) {
  if (program_ != 0) Run(*this, addresses, lines).run(unit_.file().budget());
}

}  // namespace profile
