#include "parse/perf_map.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "support/file_status.h"

namespace profile {
namespace {

// A large Node.js server writes some ten megabytes, one that runs for weeks ever more. Of what is longer the end
// counts, which has the last word anyway.
constexpr std::uint64_t most_bytes = 1ULL << 28;
// Addresses answered by entries, counted each time: a file of entries that all cover everything ends here.
constexpr std::uint64_t most_answers = 1ULL << 24;
constexpr std::size_t compared_bytes = 256;

// What the entries read one after another say of addresses.
class Search {
 public:
  explicit Search(std::span<const RuntimeAddress> addresses) : addresses_(addresses), found_(addresses.size()) {}

  // False when enough was done.
  bool take(const PerfMapEntry& entry) {
    auto at = std::lower_bound(addresses_.begin(), addresses_.end(), RuntimeAddress{entry.start});
    if (at != addresses_.begin()) found_of(at - 1).reach.stop_at((at - 1)->value, entry.start);
    for (; at != addresses_.end() && at->value <= entry.last; ++at) {
      found_of(at) = {.entry = entry, .reach = {.before = at->value - entry.start, .after = entry.last - at->value}};
      if (++answered_ == most_answers) return false;
    }
    if (at != addresses_.end()) found_of(at).reach.stop_at(at->value, entry.last + 1);
    return true;
  }

  void give(int fd, std::span<Symbol> answers) const {
    const PerfMapEntry* last = nullptr;
    const Symbol* last_answer = nullptr;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const PerfMapEntry& entry = found_[i].entry;
      answers[i].reach = reach_of(i);
      if (entry.name_bytes == 0) continue;
      if (last != nullptr && last->name_offset == entry.name_offset) {
        answers[i].name = last_answer->name;
      } else {
        std::string name(entry.name_bytes, '\0');
        if (::pread(fd, name.data(), name.size(), static_cast<off_t>(entry.name_offset)) !=
            static_cast<ssize_t>(name.size())) {
          continue;  // truncated meanwhile
        }
        answers[i].name = std::move(name);
      }
      answers[i].start = entry.start;
      answers[i].unnamed = Unnamed::named;
      last = &entry;
      last_answer = &answers[i];
    }
  }

 private:
  struct Found {
    PerfMapEntry entry;
    Reach reach;  // with no regard to the neighbours that were asked for
  };

  Found& found_of(std::span<const RuntimeAddress>::iterator at) {
    return found_[static_cast<std::size_t>(at - addresses_.begin())];
  }
  // An entry narrows only its neighbours, so nothing reaches farther than to its own.
  [[nodiscard]] Reach reach_of(std::size_t i) const {
    Reach reach = found_[i].reach;
    const std::uint64_t address = addresses_[i].value;
    if (i > 0) reach.stop_at(address, addresses_[i - 1].value + 1);
    if (i + 1 < addresses_.size()) reach.stop_at(address, addresses_[i + 1].value);
    return reach;
  }

  std::span<const RuntimeAddress> addresses_;
  std::vector<Found> found_;
  std::uint64_t answered_ = 0;
};

}  // namespace

void PerfMap::resolve(int fd, std::span<const RuntimeAddress> addresses, std::span<Symbol> answers,
                      WorkBudget& budget) {
  if (addresses.empty()) return;
  const auto found = status_of(fd);
  if (!found) return;
  const std::uint64_t size = found->size_bytes;
  const std::uint64_t first = size - std::min(size, most_bytes);
  if (first > end_ || !is_continued(fd, found->device, found->inode, size)) forget();
  device_ = found->device;
  inode_ = found->inode;
  const bool is_new = end_ == 0;
  const std::uint64_t from = is_new ? first : end_;
  if (is_new) known_.clear();
  if (size > from) {
    if (size - from >= budget.left()) {
      for (Symbol& answer : answers) answer.unnamed = Unnamed::too_large;
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
      if (known->name.empty()) continue;
      answers[i].name = known->name;
      answers[i].start = known->start;
      answers[i].unnamed = Unnamed::named;
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
  std::vector<Symbol> symbols(rest.size());
  read(fd, Part::all, first, end_, rest, symbols, budget);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (symbols[i].unnamed == Unnamed::named) answers[slots[i]] = std::move(symbols[i]);
  }
}

// The file that was read, and nothing else written where it was read.
bool PerfMap::is_continued(int fd, std::uint64_t device, std::uint64_t inode, std::uint64_t size) const {
  if (device != device_ || inode != inode_ || size < end_) return false;
  std::string bytes(last_bytes_.size(), '\0');
  const ssize_t got = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(end_ - bytes.size()));
  return got == static_cast<ssize_t>(bytes.size()) && bytes == last_bytes_;
}

void PerfMap::read(int fd, Part part, std::uint64_t from, std::uint64_t to, std::span<const RuntimeAddress> addresses,
                   std::span<Symbol> answers, WorkBudget& budget) {
  Search search(addresses);
  const PerfMapPart read = read_perf_map_lines(fd, from, to, budget, [&](const PerfMapEntry& entry) {
    if (part == Part::added) drop(entry.start, entry.last);
    return search.take(entry);
  });
  search.give(fd, answers);
  if (!read.is_whole) return forget();
  if (!remember_end(fd, std::max(end_, read.end))) return forget();
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    // What was added does not tell of the rest that no entry holds it.
    if (part == Part::all || answers[i].unnamed == Unnamed::named) remember(addresses[i], answers[i]);
  }
}

bool PerfMap::remember_end(int fd, std::uint64_t end) {
  end_ = end;
  last_bytes_.resize(std::min<std::uint64_t>(end, compared_bytes));
  const ssize_t got = ::pread(fd, last_bytes_.data(), last_bytes_.size(), static_cast<off_t>(end - last_bytes_.size()));
  return got == static_cast<ssize_t>(last_bytes_.size());
}

void PerfMap::remember(RuntimeAddress address, const Symbol& answer) {
  const std::uint64_t first = address.value - std::min(address.value, answer.reach.before);
  const std::uint64_t last = address.value + std::min(UINT64_MAX - address.value, answer.reach.after);
  drop(first, last);
  known_.insert_or_assign(first, Known{.last = last, .start = answer.start, .name = answer.name});
}

// What is known of these addresses. Of a stretch that goes on behind them the rest is dropped, too: it need not be
// remembered, and a stretch never becomes two.
void PerfMap::drop(std::uint64_t first, std::uint64_t last) {
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

const PerfMap::Known* PerfMap::find(RuntimeAddress address) const {
  const auto behind = known_.upper_bound(address.value);
  if (behind == known_.begin()) return nullptr;
  const Known& known = std::prev(behind)->second;
  return known.last >= address.value ? &known : nullptr;
}

void PerfMap::forget() {
  end_ = 0;
  last_bytes_.clear();
  known_.clear();
}

}  // namespace profile
