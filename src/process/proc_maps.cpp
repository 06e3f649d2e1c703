#include "process/proc_maps.h"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <utility>

namespace profile {
namespace {

std::string_view take_line(std::string_view& text) {
  const std::size_t length = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return line;
}

// Looks only at "start-end r-xp". Most lines of a maps file are not code and cost no more than this.
bool is_code_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  return space != std::string_view::npos && space + 4 < line.size() && line[space + 3] == 'x';
}

// Takes a number, and the separator behind it, from the front.
template <class Number>
bool take(std::string_view& line, Number& number, char separator, int base) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number, base);
  if (error != std::errc{}) return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  if (separator == '\0') return true;
  if (!line.starts_with(separator)) return false;
  line.remove_prefix(1);
  return true;
}

std::optional<MapsEntry> parse_line(std::string_view line) {
  MapsEntry entry;
  if (!take(line, entry.start, '-', 16) || !take(line, entry.end, ' ', 16)) return std::nullopt;
  if (line.size() < 5 || line[4] != ' ' || entry.end <= entry.start) return std::nullopt;
  entry.is_copy = line[3] == 'c';
  line.remove_prefix(5);
  if (!take(line, entry.offset, ' ', 16) || !take(line, entry.file.device_major, ':', 16) ||
      !take(line, entry.file.device_minor, ' ', 16) || !take(line, entry.file.inode, '\0', 10)) {
    return std::nullopt;
  }
  // Padding: every path begins with a slash or a bracket.
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  entry.path = line;
  return entry;
}

// Without a path, a line in the form of append_code_line() has fewer bytes than this.
constexpr std::size_t most_number_bytes = 128;

std::optional<MapsEntry> copied_part_at(std::string_view before, std::string_view line, std::string_view behind) {
  const auto anonymous = parse_line(line);
  if (!anonymous || anonymous->file.inode != 0) return std::nullopt;
  const auto left = parse_line(before);
  const auto right = parse_line(behind);
  return left && right ? copied_part(*left, *anonymous, *right) : std::nullopt;
}

constexpr std::string_view deleted_mark = " (deleted)";
constexpr std::string_view escaped_newline = "\\012";

}  // namespace

std::optional<MapsEntry> next_code_mapping(std::string_view& text) {
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!is_code_line(line)) continue;
    if (const auto entry = parse_line(line)) return entry;
  }
  return std::nullopt;
}

std::optional<MapsEntry> copied_part(const MapsEntry& before, const MapsEntry& anonymous, const MapsEntry& behind) {
  const bool lies_between = before.end == anonymous.start && anonymous.end == behind.start;
  const bool is_of_file = before.file.inode != 0 && before.file == behind.file && before.path.starts_with('/');
  MapsEntry part = before;
  part.start = anonymous.start;
  part.end = anonymous.end;
  part.offset = before.offset + (before.end - before.start);
  part.is_copy = true;
  const bool is_left_out = part.offset + (part.end - part.start) == behind.offset;
  if (anonymous.file.inode != 0 || !lies_between || !is_of_file || !is_left_out) return std::nullopt;
  return part;
}

void append_code_line(const MapsEntry& entry, std::string& out) {
  char head[128];
  const int size =
      std::snprintf(head, sizeof head, "%" PRIx64 "-%" PRIx64 " --x%c %" PRIx64 " %" PRIx32 ":%" PRIx32 " %" PRIu64 " ",
                    entry.start, entry.end, entry.is_copy ? 'c' : 'p', entry.offset, entry.file.device_major,
                    entry.file.device_minor, entry.file.inode);
  out.append(head, static_cast<std::size_t>(size));
  out += entry.path;
  out += '\n';
}

void keep_code_lines(std::string_view lines, std::string& out, std::size_t limit_bytes) {
  std::string_view before;
  while (!lines.empty()) {
    const std::string_view line = take_line(lines);
    const std::string_view last = std::exchange(before, line);
    if (!is_code_line(line)) continue;
    std::string_view rest = lines;
    if (const auto copy = copied_part_at(last, line, take_line(rest))) {
      if (out.size() + most_number_bytes + 2 * last.size() >= limit_bytes) continue;
      if (!is_code_line(last)) append_code_line(*parse_line(last), out);
      append_code_line(*copy, out);
    } else if (out.size() + line.size() < limit_bytes) {
      out.append(line);
      out.push_back('\n');
    }
  }
}

CodeKind code_kind(std::string_view path, const FileIdentity& file) {
  if (path == "[vdso]") return CodeKind::vdso;
  // It has the same three calls at the same address in every process, and the kernel emulates it.
  if (path == "[vsyscall]") return CodeKind::none;
  if (file.inode == 0 || path.starts_with('[')) return CodeKind::anonymous;
  // "//toolong" and "//enomem" stand for a file whose path the kernel could not give. They are files all the same.
  if (path == "//anon") return CodeKind::anonymous;
  if (path.starts_with("/memfd:")) return CodeKind::memory_file;
  if (path.starts_with("/SYSV") || path.starts_with("/anon_hugepage")) return CodeKind::anonymous;
  if (path.starts_with("/dev/") && !path.starts_with("/dev/shm/")) return CodeKind::anonymous;
  return path.starts_with('/') ? CodeKind::file : CodeKind::anonymous;  // "anon_inode:…"
}

bool is_jit_dump(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("jit-") && name.ends_with(".dump");
}

std::string clean_path(std::string_view path) {
  if (path.ends_with(deleted_mark)) path.remove_suffix(deleted_mark.size());
  std::string clean;
  clean.reserve(path.size());
  while (!path.empty()) {
    const std::size_t length = std::min(path.find(escaped_newline), path.size());
    clean.append(path.substr(0, length));
    path.remove_prefix(length);
    if (path.empty()) break;
    clean.push_back('\n');
    path.remove_prefix(escaped_newline.size());
  }
  return clean;
}

}  // namespace profile
