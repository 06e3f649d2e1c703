#include "parse/jit_map.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "parse/perf_map_lines.h"
#include "support/file_status.h"

namespace profile {
namespace {

// A large Node.js server writes some ten megabytes; one that runs for weeks writes more and more. Of a longer perf map
// only the end is read, because later entries count anyway. A jitdump is read from its start, because the start of a
// record is known only from the records before it.
constexpr std::uint64_t most_map_bytes = 1ULL << 28;
// In steps of WorkBudget: each address that an entry answers, and each text that is read. In a hostile file every entry
// covers everything.
constexpr std::uint64_t answer_steps = 8;
constexpr std::uint64_t text_steps = 64;
constexpr std::size_t compared_bytes = 256;

// What a sequence of entries says about addresses.
class AddressSearch {
 public:
  AddressSearch(std::span<const RuntimeAddress> addresses, WorkBudget& budget)
      : addresses_(addresses), found_(addresses.size()), budget_(budget) {}

  // False when the budget is spent.
  bool take(const JitEntry& entry) {
    auto at = std::lower_bound(addresses_.begin(), addresses_.end(), RuntimeAddress{entry.start});
    if (at != addresses_.begin()) found_of(at - 1).valid_range.stop_at((at - 1)->value, entry.start);
    for (; at != addresses_.end() && at->value <= entry.last; ++at) {
      found_of(at) = {.entry = entry,
                      .valid_range = {.before = at->value - entry.start, .after = entry.last - at->value}};
      if (!budget_.take(answer_steps)) return false;
    }
    if (at != addresses_.end()) found_of(at).valid_range.stop_at(at->value, entry.last + 1);
    return true;
  }

  void give(int fd, std::span<JitSymbol> answers) const {
    const JitEntry* last = nullptr;
    const JitSymbol* last_answer = nullptr;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const JitEntry& entry = found_[i].entry;
      answers[i].valid_range = valid_range_of(i);
      if (entry.name_bytes == 0) continue;
      if (last != nullptr && last->name_offset == entry.name_offset) {
        answers[i].name = last_answer->name;
      } else if (!read_text(fd, entry.name_offset, entry.name_bytes, answers[i].name)) {
        continue;
      }
      answers[i].start = entry.start;
      answers[i].unnamed = Unnamed::named;
      last = &entry;
      last_answer = &answers[i];
    }
    for (std::size_t i = 0; i < found_.size();) i = give_lines(fd, i, answers);
  }

 private:
  struct Found {
    JitEntry entry;
    ValidRange valid_range;  // does not regard the neighbouring addresses that were given
  };

  // False: the file was cut off meanwhile, or the budget is spent.
  bool read_text(int fd, std::uint64_t offset, std::size_t bytes, std::string& text) const {
    text.clear();
    if (!budget_.take(text_steps + bytes)) return false;
    text.resize(bytes);
    if (::pread(fd, text.data(), bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes)) return true;
    text.clear();
    return false;
  }

  // Gives lines to the addresses from `first` on that have the same record of lines and have moved as far. Returns the
  // index of the first other address.
  std::size_t give_lines(int fd, std::size_t first, std::span<JitSymbol> answers) const {
    const JitEntry& entry = found_[first].entry;
    std::vector<std::uint64_t> written;  // the addresses of the code when the lines were written
    std::size_t end = first;
    for (; end < found_.size() && found_[end].entry.lines_offset == entry.lines_offset &&
           found_[end].entry.moved_by == entry.moved_by;
         ++end) {
      written.push_back(addresses_[end].value - entry.moved_by);
    }
    if (entry.lines_offset == 0) return end;
    const std::vector<JitLine> lines = read_jit_lines(fd, entry.lines_offset, written, budget_);
    std::uint64_t last_file = 0;
    std::string file;
    for (std::size_t i = first; i < end; ++i) {
      const JitLine& line = lines[i - first];
      answers[i].valid_range.keep_within(line.valid_range);
      if (line.file_bytes == 0 || answers[i].unnamed != Unnamed::named) continue;
      if (line.file_offset != last_file && !read_text(fd, line.file_offset, line.file_bytes, file)) continue;
      last_file = line.file_offset;
      answers[i].file = file;
      answers[i].line = line.line;
    }
    return end;
  }

  Found& found_of(std::span<const RuntimeAddress>::iterator at) {
    return found_[static_cast<std::size_t>(at - addresses_.begin())];
  }
  // An entry narrows only the addresses next to it. So no range may reach beyond the next given address.
  [[nodiscard]] ValidRange valid_range_of(std::size_t i) const {
    ValidRange valid_range = found_[i].valid_range;
    const std::uint64_t address = addresses_[i].value;
    if (i > 0) valid_range.stop_at(address, addresses_[i - 1].value + 1);
    if (i + 1 < addresses_.size()) valid_range.stop_at(address, addresses_[i + 1].value);
    return valid_range;
  }

  std::span<const RuntimeAddress> addresses_;
  std::vector<Found> found_;
  WorkBudget& budget_;
};

}  // namespace

void JitMap::resolve(int fd, std::span<const RuntimeAddress> addresses, std::span<JitSymbol> answers,
                     WorkBudget& budget) {
  if (addresses.empty()) return;
  const auto found = status_of(fd);
  if (!found) return;
  const std::uint64_t size = found->size_bytes;
  if (end_ == 0 || !is_continued(fd, found->device, found->inode, size)) {
    forget();
    is_dump_ = is_jit_dump(fd);
  }
  const std::uint64_t first = is_dump_ ? 0 : size - std::min(size, most_map_bytes);
  if (first > end_) forget();
  device_ = found->device;
  inode_ = found->inode;
  const bool is_new = end_ == 0;
  const std::uint64_t from = is_new ? first : end_;
  if (is_new) known_.clear();
  if (size > from) {
    if (size - from >= budget.left()) {
      for (JitSymbol& answer : answers) answer.unnamed = Unnamed::too_large;
      return;
    }
    read(fd, is_new ? Part::all : Part::added, from, size, addresses, answers, budget);
  }
  if (is_new || end_ == 0) return;

  std::vector<RuntimeAddress> rest;
  std::vector<std::size_t> slots;  // [i]: the index of rest[i] in `addresses`
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (answers[i].unnamed == Unnamed::named) continue;
    if (const Known* const known = find(addresses[i])) {
      if (!known->symbol.name.empty()) answers[i] = known->symbol;
      continue;
    }
    rest.push_back(addresses[i]);
    slots.push_back(i);
  }
  if (rest.empty()) return;
  if (end_ - first >= budget.left()) {
    for (const std::size_t slot : slots) answers[slot].unnamed = Unnamed::too_large;
    return;
  }
  std::vector<JitSymbol> symbols(rest.size());
  read(fd, Part::all, first, end_, rest, symbols, budget);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const bool is_answer = symbols[i].unnamed == Unnamed::named || symbols[i].unnamed == Unnamed::too_large;
    if (is_answer) answers[slots[i]] = std::move(symbols[i]);
  }
}

// Whether it is the file that was read before, and the part that was read is unchanged.
bool JitMap::is_continued(int fd, std::uint64_t device, std::uint64_t inode, std::uint64_t size) const {
  if (device != device_ || inode != inode_ || size < end_) return false;
  std::string bytes(last_bytes_.size(), '\0');
  const ssize_t got = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(end_ - bytes.size()));
  return got == static_cast<ssize_t>(bytes.size()) && bytes == last_bytes_;
}

void JitMap::read(int fd, Part part, std::uint64_t from, std::uint64_t to, std::span<const RuntimeAddress> addresses,
                  std::span<JitSymbol> answers, WorkBudget& budget) {
  AddressSearch search(addresses, budget);
  const auto visit = [&](const JitEntry& entry) {
    if (part == Part::added) drop(entry.start, entry.last);
    return search.take(entry);
  };
  const JitPart read =
      is_dump_ ? dump_.read(fd, from, to, budget, visit) : read_perf_map_lines(fd, from, to, budget, visit);
  search.give(fd, answers);
  if (budget.spent()) {
    for (JitSymbol& answer : answers) {
      if (answer.unnamed != Unnamed::named) answer.unnamed = Unnamed::too_large;
    }
  }
  if (!read.is_whole || budget.spent()) return forget();
  if (!remember_end(fd, std::max(end_, read.end))) return forget();
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    // The added part alone does not prove that no entry holds an unnamed address.
    if (part == Part::all || answers[i].unnamed == Unnamed::named) remember(addresses[i], answers[i]);
  }
}

bool JitMap::remember_end(int fd, std::uint64_t end) {
  end_ = end;
  last_bytes_.resize(std::min<std::uint64_t>(end, compared_bytes));
  const ssize_t got = ::pread(fd, last_bytes_.data(), last_bytes_.size(), static_cast<off_t>(end - last_bytes_.size()));
  return got == static_cast<ssize_t>(last_bytes_.size());
}

void JitMap::remember(RuntimeAddress address, const JitSymbol& answer) {
  const std::uint64_t first = address.value - std::min(address.value, answer.valid_range.before);
  const std::uint64_t last = address.value + std::min(UINT64_MAX - address.value, answer.valid_range.after);
  drop(first, last);
  known_.insert_or_assign(first, Known{.last = last, .symbol = answer});
}

// Forgets what is known of these addresses. If a stretch goes on behind them, its rest is forgotten, too: it need not
// be remembered, and a stretch never becomes two.
void JitMap::drop(std::uint64_t first, std::uint64_t last) {
  auto at = known_.upper_bound(first);
  if (at != known_.begin()) {
    const auto before = std::prev(at);
    if (before->first == first)
      at = before;
    else
      before->second.last = std::min(before->second.last, first - 1);
  }
  while (at != known_.end() && at->first <= last) at = known_.erase(at);
}

const JitMap::Known* JitMap::find(RuntimeAddress address) const {
  const auto behind = known_.upper_bound(address.value);
  if (behind == known_.begin()) return nullptr;
  const Known& known = std::prev(behind)->second;
  return known.last >= address.value ? &known : nullptr;
}

void JitMap::forget() {
  end_ = 0;
  last_bytes_.clear();
  known_.clear();
  dump_ = JitDump();
}

}  // namespace profile
