// Any text as /proc/PID/maps. scanf reads the same numbers from an accepted line, its path lies within the text, and it
// survives keep_code_lines().
#include "process/proc_maps.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace profile;

void require(bool holds) {
  if (!holds) std::abort();
}

// `end`: the end of the line from which `entry` was read.
void check_numbers(std::string_view text, const char* end, const MapsEntry& entry) {
  const std::string_view before(text.data(), static_cast<std::size_t>(end - text.data()));
  const std::size_t newline = before.rfind('\n');
  const std::string line(before.substr(newline == std::string_view::npos ? 0 : newline + 1));
  if (line.find('\0') != std::string::npos) return;  // to scanf, \0 ends the text
  unsigned long long start = 0, stop = 0, offset = 0, inode = 0;
  unsigned major = 0, minor = 0;
  require(std::sscanf(line.c_str(), "%llx-%llx%*c%*4c%*c%llx %x:%x %llu", &start, &stop, &offset, &major, &minor,
                      &inode) == 6);
  require(start == entry.start && stop == entry.end && offset == entry.offset);
  require(entry.file == FileIdentity{major, minor, inode});
}

std::vector<MapsEntry> all_of(std::string_view text) {
  std::vector<MapsEntry> entries;
  std::string_view rest = text;
  while (const auto entry = next_code_mapping(rest)) {
    require(entry->start < entry->end);
    const char* const path_end = entry->path.data() + entry->path.size();
    require(entry->path.data() >= text.data() && path_end <= text.data() + text.size());
    require(entry->path.find('\n') == std::string_view::npos);
    check_numbers(text, path_end, *entry);
    entries.push_back(*entry);
  }
  require(rest.empty());
  return entries;
}

void check_path(const MapsEntry& entry) {
  require(clean_path(entry.path).size() <= entry.path.size());
  if (code_kind(entry.path, entry.file) == CodeKind::file) {
    require(entry.file.inode != 0 && entry.path.starts_with('/'));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A buffer of exactly this size, so that the address sanitizer finds a read beyond it.
  const std::vector<char> bytes(data, data + size);
  const std::string_view text(bytes.data(), bytes.size());
  const std::vector<MapsEntry> entries = all_of(text);
  for (const MapsEntry& entry : entries) check_path(entry);

  std::string kept;
  keep_code_lines(text, kept, text.size() + 2);
  const std::vector<MapsEntry> again = all_of(kept);
  // A copied part has the path of the mapping before it, which may be kept for it, too.
  auto next = again.begin();
  for (const MapsEntry& entry : entries) {
    while (next != again.end() && next->start != entry.start) ++next;
    require(next != again.end() && (next->is_copy || next->path == entry.path));
    ++next;
  }
  std::string little;
  keep_code_lines(text, little, text.size() / 2);
  require(little.size() <= text.size() / 2);
  require(all_of(little).size() <= entries.size());
  return 0;
}
