#include "unwind/build.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "elf/symbol_table.h"
#include "unwind/frame_bytes.h"
#include "unwind/frame_entries.h"
#include "unwind/go_code.h"
#include "unwind/interpreter.h"
#include "unwind/machine.h"
#include "unwind/plain_code.h"
#include "unwind/row_writer.h"
#include "unwind/rule_list.h"

namespace profile {
namespace {

// The filler between two functions never runs, so it gets no row of its own. Code without a description is longer than
// this, or a symbol says that there is some.
constexpr std::uint64_t longest_filler_bytes = 31;
// Of the functions of compilers and browsers, on average.
constexpr std::size_t rows_of_a_range = 4;
// Functions without a description, of which real files have some hundred.
constexpr std::size_t most_undescribed = 100'000;

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
  // .eh_frame comes first. Where it describes only the C runtime, .debug_frame describes the program.
  UnwindFault read_entries() {
    bool are_damaged = false;
    for (const FrameSection kind : {FrameSection::eh_frame, FrameSection::debug_frame}) {
      const bool is_debug = kind == FrameSection::debug_frame;
      Source& source = sources_[is_debug ? 1 : 0];
      source.bytes = FrameBytes::find(file_, kind);
      if (!source.bytes) continue;
      source.entries.emplace(file_, machine_, *source.bytes);
      if (!source.entries->read()) {
        are_damaged = ranges_.empty();
        break;
      }
      if (source.entries->is_full()) return UnwindFault::too_large;
      std::vector<FrameRange>& ranges = source.entries->ranges();
      if (is_debug) {
        for (FrameRange& range : ranges) range.common |= FrameRange::of_debug_frame;
      }
      if (ranges_.empty()) {
        ranges_ = std::move(ranges);
      } else {
        ranges_.insert(ranges_.end(), ranges.begin(), ranges.end());
      }
    }
    if (!file_.spend(0)) return UnwindFault::spent;
    if (are_damaged) return UnwindFault::damaged;
    go_code_ = go_code_of(file_, machine_, rules_);
    return ranges_.empty() && go_code_.empty() ? UnwindFault::no_frames : UnwindFault::none;
  }

  // If two ranges have the same start, .eh_frame counts, and then the first one in the section, as in other unwinders.
  static constexpr auto order = [](const FrameRange& range) {
    return std::tuple(range.start, range.is_of_debug_frame(), range.at);
  };

  bool sort(std::vector<FrameRange>& ranges) {
    if (!file_.spend(ranges.size() * std::bit_width(ranges.size()))) return false;
    if (!std::ranges::is_sorted(ranges, {}, order)) std::ranges::sort(ranges, {}, order);
    return true;
  }

  // Adds code that is known by its bytes, if no entry describes its start. Such a range ends where the next described
  // range begins.
  void add_plain_code() {
    std::vector<FrameRange>& ranges = ranges_;
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

  // Puts the code that changes stacks in the place of the ranges that cover it.
  void replace_by_go_code() {
    const std::vector<FrameRange>& better = go_code_;
    if (better.empty()) return;
    auto next = better.begin();
    std::vector<FrameRange> rest;
    rest.reserve(ranges_.size());
    for (FrameRange range : ranges_) {
      while (next != better.end() && next->end() <= range.start) ++next;
      if (next != better.end() && next->start < range.end()) {
        if (next->start <= range.start) continue;
        range.bytes = next->start - range.start;
      }
      rest.push_back(range);
    }
    ranges_ = std::move(rest);
    const auto added = ranges_.insert(ranges_.end(), better.begin(), better.end());
    std::ranges::inplace_merge(ranges_, added, {}, order);
  }

  // Notes where functions begin that no range describes.
  void find_undescribed() {
    bool is_damaged = false;
    for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
      const auto symbols = ElfSymbolTable::find(file_, type, is_damaged);
      if (!symbols || !file_.spend(symbols->size() * std::bit_width(ranges_.size()))) continue;
      const bool is_whole = symbols->for_each([&](const ElfTableSymbol& symbol) {
        const bool is_code = symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC || symbol.type == STT_NOTYPE;
        if (!is_code || (symbol.section->flags & SHF_EXECINSTR) == 0) return;
        const auto offset = file_.offset_of({symbol.start});
        if (!offset || offset->value > UINT32_MAX || undescribed_.size() == most_undescribed) return;
        const auto next = std::ranges::upper_bound(ranges_, offset->value, {}, &FrameRange::start);
        if (next != ranges_.begin() && next[-1].end() > offset->value) return;
        undescribed_.push_back(static_cast<std::uint32_t>(offset->value));
      });
      // The other table has a part of these.
      if (is_whole) break;
    }
    std::ranges::sort(undescribed_);
  }
  [[nodiscard]] bool has_undescribed(std::uint64_t begin, std::uint64_t end) const {
    const auto first = std::ranges::lower_bound(undescribed_, begin);
    return first != undescribed_.end() && *first < end;
  }

  UnwindFault write_rows(UnwindTable& table) {
    if (!sort(ranges_)) return UnwindFault::spent;
    add_plain_code();
    replace_by_go_code();
    find_undescribed();
    if (!file_.spend(ranges_.size())) return UnwindFault::spent;
    table.rows.reserve(std::min(rows_of_a_range * ranges_.size(), most_unwind_rows));
    RowWriter rows(table);
    std::uint64_t end = 0;
    bool was_plain = false;
    for (const FrameRange& range : ranges_) {
      if (range.end() <= end) continue;
      // After code that is known by its bytes any other code may follow, so even a short gap gets a row.
      const bool is_filler =
          !was_plain && range.start <= end + longest_filler_bytes && !has_undescribed(end, range.start);
      if (range.start > end && !is_filler) rows.add(end, 0);
      was_plain = range.common == FrameRange::plain;
      const std::uint64_t from = std::max<std::uint64_t>(range.start, end);
      if (was_plain) {
        rows.add(from, range.at);
        end = range.end();
        continue;
      }
      Source& source = sources_[range.is_of_debug_frame() ? 1 : 0];
      const auto instructions = source.bytes->from(range.at, range.instruction_bytes);
      if (instructions.size() != range.instruction_bytes || rows.is_full() || rules_.is_full()) break;
      const FrameCommon& common = source.entries->common(range.common & ~FrameRange::of_debug_frame);
      run_entry(machine_, common, range, from, instructions, rules_, rows);
      end = range.end();
    }
    rows.add(end, 0);
    rows.finish();
    if (!file_.spend(table.size_bytes())) return UnwindFault::spent;
    for (const Source& source : sources_) {
      if (source.bytes && source.bytes->is_unreadable()) return UnwindFault::damaged;
    }
    if (rows.is_full()) return UnwindFault::too_large;
    if (rules_.is_full()) return UnwindFault::too_complex;
    table.rules = rules_.take();
    return UnwindFault::none;
  }

  const ElfFile& file_;
  const UnwindMachine& machine_;
  RuleList rules_;
  struct Source {
    std::optional<FrameBytes> bytes;
    std::optional<FrameEntries> entries;
  };
  std::array<Source, 2> sources_;  // .eh_frame and .debug_frame
  std::vector<FrameRange> ranges_;
  std::vector<FrameRange> go_code_;
  std::vector<std::uint32_t> undescribed_;  // offsets in the file, ascending
};

}  // namespace

std::vector<CodeRange> described_code(const ElfFile& file) {
  std::vector<CodeRange> ranges;
  const UnwindMachine* const machine = unwind_machine_of(file);
  auto bytes = machine != nullptr ? FrameBytes::find(file, FrameSection::eh_frame) : std::nullopt;
  if (!bytes) return ranges;
  FrameEntries entries(file, *machine, *bytes);
  if (!entries.read()) return ranges;
  for (const FrameRange& range : entries.ranges()) ranges.push_back({.start = range.start, .bytes = range.bytes});
  std::ranges::sort(ranges, {}, &CodeRange::start);
  return ranges;
}

UnwindAnswer unwind_table_of(const ElfFile& file) {
  const auto without = [](UnwindFault fault) { return UnwindAnswer{.fault = fault, .table = {}}; };
  const UnwindMachine* const machine = unwind_machine_of(file);
  if (machine == nullptr) return without(file.spend(0) ? UnwindFault::other_machine : UnwindFault::spent);
  const auto has_code = [](const ElfSegment& segment) { return segment.is_code() && segment.file_size != 0; };
  if (std::ranges::none_of(file.segments(), has_code)) return without(UnwindFault::no_code);
  return Builder(file, *machine).build();
}

}  // namespace profile
