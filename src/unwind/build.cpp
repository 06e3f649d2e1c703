#include "unwind/build.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "unwind/frame_bytes.h"
#include "unwind/frame_entries.h"
#include "unwind/interpreter.h"
#include "unwind/machine.h"
#include "unwind/plain_code.h"
#include "unwind/row_writer.h"
#include "unwind/rule_list.h"

namespace profile {
namespace {

// The filler between two functions never runs, so it gets no row of its own. Assembly code without a description is
// longer than this.
constexpr std::uint64_t longest_filler_bytes = 31;

class Builder {
 public:
  Builder(const ElfFile& file, const UnwindMachine& machine) : file_(file), machine_(machine), rules_(machine) {}

  UnwindAnswer build() {
    UnwindAnswer answer;
    answer.table.elf_machine = machine_.elf_machine;
    answer.table.unit_shift = machine_.unit_shift;
    answer.fault = read_entries();
    if (answer.fault == UnwindFault::none) answer.fault = write_rows(answer.table);
    if (answer.fault != UnwindFault::none) answer.table = {};
    return answer;
  }

 private:
  UnwindFault read_entries() {
    bool are_damaged = false;
    for (const FrameSection kind : {FrameSection::eh_frame, FrameSection::debug_frame}) {
      bytes_ = FrameBytes::find(file_, kind);
      if (!bytes_) continue;
      entries_.emplace(file_, machine_, *bytes_);
      are_damaged = !entries_->read();
      if (are_damaged || !entries_->ranges().empty()) break;
    }
    if (!file_.spend(0)) return UnwindFault::spent;
    if (are_damaged) return UnwindFault::damaged;
    if (entries_ && entries_->is_full()) return UnwindFault::too_large;
    if (!entries_ || entries_->ranges().empty()) return UnwindFault::no_frames;
    return UnwindFault::none;
  }

  // If two ranges have the same start, the first one in the section counts, as in other unwinders.
  static constexpr auto order = [](const FrameRange& range) { return std::pair(range.start, range.at); };

  bool sort(std::vector<FrameRange>& ranges) {
    if (!file_.spend(ranges.size() * std::bit_width(ranges.size()))) return false;
    if (!std::ranges::is_sorted(ranges, {}, order)) std::ranges::sort(ranges, {}, order);
    return true;
  }

  // Adds code that is known by its bytes, if no entry describes its start. Such a range ends where the next described
  // range begins.
  void add_plain_code() {
    std::vector<FrameRange>& ranges = entries_->ranges();
    std::vector<FrameRange> plain = plain_code_of(file_, machine_, rules_);
    for (FrameRange& range : plain) {
      const auto next = std::ranges::upper_bound(ranges, range.start, {}, &FrameRange::start);
      const std::uint64_t described = next == ranges.begin() ? 0 : next[-1].end();
      const std::uint64_t end = next == ranges.end() ? range.end() : std::min<std::uint64_t>(range.end(), next->start);
      range.bytes = described <= range.start ? static_cast<std::uint32_t>(end - range.start) : 0;
    }
    std::erase_if(plain, [](const FrameRange& range) { return range.bytes == 0; });
    std::ranges::sort(plain, {}, order);
    const auto added = ranges.insert(ranges.end(), plain.begin(), plain.end());
    std::ranges::inplace_merge(ranges, added, {}, order);
  }

  UnwindFault write_rows(UnwindTable& table) {
    if (!sort(entries_->ranges())) return UnwindFault::spent;
    add_plain_code();
    if (!file_.spend(entries_->ranges().size())) return UnwindFault::spent;
    RowWriter rows(table);
    std::uint64_t end = 0;
    bool was_plain = false;
    for (const FrameRange& range : entries_->ranges()) {
      if (range.end() <= end) continue;
      // After code that is known by its bytes any other code may follow, so even a short gap gets a row.
      if (range.start > end + (was_plain ? 0 : longest_filler_bytes)) rows.add(end, 0);
      was_plain = range.common == FrameRange::plain;
      const std::uint64_t from = std::max<std::uint64_t>(range.start, end);
      if (was_plain) {
        rows.add(from, range.at);
        end = range.end();
        continue;
      }
      const auto instructions = bytes_->from(range.at, range.instruction_bytes);
      if (instructions.size() != range.instruction_bytes || rows.is_full() || rules_.is_full()) break;
      run_entry(machine_, entries_->common(range.common), range, from, instructions, rules_, rows);
      end = range.end();
    }
    rows.add(end, 0);
    rows.finish();
    if (!file_.spend(table.size_bytes())) return UnwindFault::spent;
    if (bytes_->is_unreadable()) return UnwindFault::damaged;
    if (rows.is_full()) return UnwindFault::too_large;
    if (rules_.is_full()) return UnwindFault::too_complex;
    table.rules = rules_.take();
    return UnwindFault::none;
  }

  const ElfFile& file_;
  const UnwindMachine& machine_;
  RuleList rules_;
  std::optional<FrameBytes> bytes_;
  std::optional<FrameEntries> entries_;
};

}  // namespace

UnwindAnswer unwind_table_of(const ElfFile& file) {
  const auto without = [](UnwindFault fault) { return UnwindAnswer{.fault = fault, .table = {}}; };
  const UnwindMachine* const machine = unwind_machine_of(file);
  if (machine == nullptr) return without(file.spend(0) ? UnwindFault::other_machine : UnwindFault::spent);
  const auto has_code = [](const ElfSegment& segment) { return segment.is_code() && segment.file_size != 0; };
  if (std::ranges::none_of(file.segments(), has_code)) return without(UnwindFault::no_code);
  return Builder(file, *machine).build();
}

}  // namespace profile
