#include "symbol/perf_map.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace profile {
namespace {

// A large Node.js server writes some ten megabytes; this bounds the time a hostile file can take, not its author's
// needs.
constexpr std::uint64_t most_bytes = 1ULL << 30;
// Addresses answered by entries, counted each time: a file of entries that all cover everything ends here.
constexpr std::uint64_t most_answers = 1ULL << 24;
constexpr std::size_t chunk_bytes = 1 << 18;
constexpr std::size_t longest_name = 4096;  // longer ones are cut off
// Longer lines are passed over; what stands behind a name's cut-off is not needed.
constexpr std::size_t longest_line = 1 << 16;

struct Entry {
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  std::size_t name_at = 0;  // in the line
};

// Hex with or without 0x, then a blank.
std::optional<std::uint64_t> take_hex(const char*& at, const char* end) {
  if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x') at += 2;
  std::uint64_t value = 0;
  const auto [behind, error] = std::from_chars(at, end, value, 16);
  if (error != std::errc{} || behind == end || *behind != ' ') return std::nullopt;
  at = behind + 1;
  return value;
}

std::optional<Entry> parse(std::string_view line) {
  const char* at = line.data();
  const char* const end = line.data() + line.size();
  const auto start = take_hex(at, end);
  if (!start) return std::nullopt;
  const auto size = take_hex(at, end);
  if (!size || *size == 0 || at == end) return std::nullopt;
  return Entry{.start = *start, .size = *size, .name_at = static_cast<std::size_t>(at - line.data())};
}

// Where in the file the name of an address stands. Names are read once it is known which entries count.
struct Found {
  std::uint64_t name_offset = 0;
  std::uint64_t start = 0;
  std::uint32_t name_bytes = 0;  // 0: not found
};

class Search {
 public:
  explicit Search(std::span<const RuntimeAddress> addresses) : addresses_(addresses), found_(addresses.size()) {}

  // False when enough was done.
  bool take(std::string_view line, std::uint64_t offset) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto entry = parse(line);
    if (!entry) return true;
    auto at = std::lower_bound(addresses_.begin(), addresses_.end(), RuntimeAddress{entry->start});
    for (; at != addresses_.end() && at->value - entry->start < entry->size; ++at) {
      Found& found = found_[static_cast<std::size_t>(at - addresses_.begin())];
      found.name_offset = offset + entry->name_at;
      found.start = entry->start;
      found.name_bytes = static_cast<std::uint32_t>(std::min(line.size() - entry->name_at, longest_name));
      if (++answered_ == most_answers) return false;
    }
    return true;
  }

  void give(int fd, std::span<Symbol> answers) const {
    const Found* last = nullptr;
    const Symbol* last_answer = nullptr;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const Found& found = found_[i];
      if (found.name_bytes == 0 || answers[i].unnamed == Unnamed::named) continue;
      if (last != nullptr && last->name_offset == found.name_offset) {
        answers[i].name = last_answer->name;
      } else {
        std::string name(found.name_bytes, '\0');
        if (::pread(fd, name.data(), name.size(), static_cast<off_t>(found.name_offset)) !=
            static_cast<ssize_t>(name.size())) {
          continue;  // truncated meanwhile
        }
        answers[i].name = std::move(name);
      }
      answers[i].start = found.start;
      answers[i].unnamed = Unnamed::named;
      last = &found;
      last_answer = &answers[i];
    }
  }

 private:
  std::span<const RuntimeAddress> addresses_;
  std::vector<Found> found_;
  std::uint64_t answered_ = 0;
};

}  // namespace

void resolve_perf_map(int fd, std::span<const RuntimeAddress> addresses, std::span<Symbol> answers) {
  if (addresses.empty()) return;
  Search search(addresses);
  std::vector<char> buffer(chunk_bytes + longest_line);
  std::size_t kept = 0;      // bytes of an unfinished line at the buffer's beginning
  std::uint64_t offset = 0;  // of the buffer's beginning in the file
  bool skipping = false;     // inside a line that is too long
  while (offset < most_bytes) {
    const ssize_t got = ::pread(fd, buffer.data() + kept, chunk_bytes, static_cast<off_t>(offset + kept));
    // What is left then is a line without a newline: the run-time is writing it just now, and it is not to be trusted.
    if (got <= 0) break;
    std::string_view rest(buffer.data(), kept + static_cast<std::size_t>(got));
    for (;;) {
      const std::size_t length = rest.find('\n');
      if (length == std::string_view::npos) break;
      if (!skipping && !search.take(rest.substr(0, length), offset)) return search.give(fd, answers);
      skipping = false;
      rest.remove_prefix(length + 1);
      offset += length + 1;
    }
    if (rest.size() >= longest_line) {
      skipping = true;
      offset += rest.size();
      rest = {};
    }
    kept = rest.size();
    if (kept != 0) std::memmove(buffer.data(), rest.data(), kept);
  }
  search.give(fd, answers);
}

}  // namespace profile
