#include "parse/perf_map_lines.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace profile {
namespace {

constexpr std::size_t map_chunk_bytes = 1 << 18;
constexpr std::size_t longest_map_name = 4096;
constexpr std::size_t longest_line = 1 << 16;

// Hex with or without 0x, then a blank.
std::optional<std::uint64_t> take_hex(const char*& at, const char* end) {
  if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x') at += 2;
  std::uint64_t value = 0;
  const auto [behind, error] = std::from_chars(at, end, value, 16);
  if (error != std::errc{} || behind == end || *behind != ' ') return std::nullopt;
  at = behind + 1;
  return value;
}

// `offset`: where the line begins.
std::optional<JitEntry> parse(std::string_view line, std::uint64_t offset) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const char* at = line.data();
  const char* const end = line.data() + line.size();
  const auto start = take_hex(at, end);
  if (!start) return std::nullopt;
  const auto size = take_hex(at, end);
  if (!size || *size == 0 || at == end) return std::nullopt;
  JitEntry entry;
  entry.start = *start;
  entry.last = *start + std::min(*size - 1, UINT64_MAX - *start);
  entry.name_offset = offset + static_cast<std::uint64_t>(at - line.data());
  entry.name_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(end - at, longest_map_name));
  return entry;
}

}  // namespace

JitPart read_perf_map_lines(int fd, std::uint64_t from, std::uint64_t to, WorkBudget& budget,
                            const std::function<bool(const JitEntry&)>& visit) {
  std::vector<char> buffer(map_chunk_bytes + longest_line);
  // `from` may stand in the middle of a line. All up to the first newline is passed over; it may be the newline before
  // `from`.
  bool is_passing = from != 0;
  std::uint64_t offset = is_passing ? from - 1 : 0;  // of the buffer's first byte
  std::size_t kept = 0;                              // bytes of an unfinished line at the front
  while (offset + kept < to) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(map_chunk_bytes, to - offset - kept));
    if (!budget.take(wanted)) return {.end = std::max(offset, from), .is_whole = false};
    const ssize_t got = ::pread(fd, buffer.data() + kept, wanted, static_cast<off_t>(offset + kept));
    if (got <= 0) break;
    std::string_view text(buffer.data(), kept + static_cast<std::size_t>(got));
    const std::size_t zero = text.find('\0', kept);
    text = text.substr(0, zero);
    for (;;) {
      const std::size_t length = text.find('\n');
      if (length == std::string_view::npos) break;
      const auto entry = is_passing ? std::nullopt : parse(text.substr(0, length), offset);
      is_passing = false;
      text.remove_prefix(length + 1);
      offset += length + 1;
      if (entry && !visit(*entry)) return {.end = offset, .is_whole = false};
    }
    if (zero != std::string_view::npos || text.size() >= longest_line) break;
    kept = text.size();
    if (kept != 0) std::memmove(buffer.data(), text.data(), kept);
  }
  return {.end = std::max(offset, from), .is_whole = true};
}

}  // namespace profile
