#include "parse/jit_dump.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace profile {
namespace {

constexpr std::uint32_t magic = 0x4A695444;
constexpr std::size_t longest_name = 4096;
constexpr std::size_t window_of_records = 1 << 16;
constexpr std::size_t window_of_lines = longest_name;
// A large server compiles some hundred thousand functions. Functions beyond this limit lose their name when they move.
constexpr std::size_t most_loads = 1 << 19;
// How many records of lines may wait for their code. As a rule the code follows at once.
constexpr std::size_t most_waiting_lines = 1 << 12;
// The most lines of one function.
constexpr std::size_t most_lines = 1 << 16;

struct DumpHead {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t bytes;  // the size of this head
};
enum class RecordKind : std::uint32_t { load = 0, move = 1, lines = 2 };
struct RecordHead {
  RecordKind kind;
  std::uint32_t bytes;  // the size with this head
  std::uint64_t time;
};
struct Load {
  RecordHead head;
  std::uint32_t pid;
  std::uint32_t tid;
  std::uint64_t vma;
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t index;
  // Then follow the name with its zero, and the code.
};
struct Move {
  RecordHead head;
  std::uint32_t pid;
  std::uint32_t tid;
  std::uint64_t vma;
  std::uint64_t from;
  std::uint64_t to;
  std::uint64_t bytes;
  std::uint64_t index;
};
struct Lines {
  RecordHead head;
  std::uint64_t address;
  std::uint64_t count;
  // Then follow `count` times: a LineHead, and the name of the source file with its zero.
};
struct LineHead {
  std::uint64_t address;
  std::uint32_t line;
  std::uint32_t discriminator;
};
// Stands in place of a name and means: the same file as before.
constexpr std::string_view same_file = "\xff";

// Holds a piece of the file, and moves along it.
class Window {
 public:
  Window(int fd, WorkBudget& budget, std::size_t bytes) : fd_(fd), budget_(budget), buffer_(bytes) {}

  // At most `bytes` bytes. Fewer where the file ends, none when the budget is spent. Valid until the next call.
  std::string_view at(std::uint64_t offset, std::size_t bytes) {
    bytes = std::min(bytes, buffer_.size());
    if (offset < begin_ || offset - begin_ > filled_ || filled_ - (offset - begin_) < bytes) {
      begin_ = offset;
      filled_ = 0;
      const ssize_t got = ::pread(fd_, buffer_.data(), buffer_.size(), static_cast<off_t>(offset));
      if (got <= 0 || !budget_.take(static_cast<std::size_t>(got))) return {};
      filled_ = static_cast<std::size_t>(got);
    }
    const std::size_t skipped = offset - begin_;
    return {buffer_.data() + skipped, std::min(bytes, filled_ - skipped)};
  }

  template <class Record>
  bool read(std::uint64_t offset, Record& record) {
    const std::string_view bytes = at(offset, sizeof record);
    if (bytes.size() < sizeof record) return false;
    std::memcpy(&record, bytes.data(), sizeof record);
    return true;
  }

  // The text up to its zero, which stands before `end`. The view is valid until the next call.
  std::string_view text(std::uint64_t offset, std::uint64_t end) {
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(longest_name, end - std::min(offset, end)));
    const std::string_view bytes = at(offset, most);
    return bytes.substr(0, bytes.find('\0'));
  }

  [[nodiscard]] bool is_spent() const { return budget_.spent(); }

 private:
  int fd_;
  WorkBudget& budget_;
  std::vector<char> buffer_;
  std::uint64_t begin_ = 0;
  std::size_t filled_ = 0;
};

std::uint64_t last_of(std::uint64_t start, std::uint64_t bytes) {
  return start + std::min(bytes - 1, UINT64_MAX - start);
}

}  // namespace

bool is_jit_dump(int fd) {
  std::uint32_t found = 0;
  return ::pread(fd, &found, sizeof found, 0) == static_cast<ssize_t>(sizeof found) && found == magic;
}

JitPart JitDump::read(int fd, std::uint64_t from, std::uint64_t to, WorkBudget& budget,
                      const std::function<bool(const JitEntry&)>& visit) {
  Window window(fd, budget, window_of_records);
  std::uint64_t offset = from;
  if (from == 0) {
    loads_.clear();
    lines_.clear();
    DumpHead head{};
    if (!window.read(0, head)) return {.end = 0, .is_whole = !window.is_spent()};
    if (head.magic != magic || head.bytes < sizeof head || head.bytes > to) return {.end = 0, .is_whole = true};
    offset = head.bytes;
  }
  while (offset < to && to - offset >= sizeof(RecordHead)) {
    RecordHead record{};
    if (!window.read(offset, record)) return {.end = offset, .is_whole = !window.is_spent()};
    if (record.bytes < sizeof record || record.bytes > to - offset) break;
    const std::uint64_t end = offset + record.bytes;
    JitEntry entry;
    Load load{};
    Move move{};
    Lines lines{};
    if (record.kind == RecordKind::load && record.bytes >= sizeof load && window.read(offset, load)) {
      entry.start = load.address;
      if (load.bytes != 0) entry.last = last_of(load.address, load.bytes);
      entry.name_offset = offset + sizeof load;
      entry.name_bytes = static_cast<std::uint32_t>(window.text(entry.name_offset, end).size());
      if (const auto known = lines_.extract(load.address)) entry.lines_offset = known.mapped();
      if (keeps_loads_ && loads_.size() < most_loads) loads_.insert_or_assign(load.index, entry);
      if (load.bytes != 0 && !visit(entry)) return {.end = end, .is_whole = false};
    } else if (record.kind == RecordKind::move && record.bytes >= sizeof move && window.read(offset, move)) {
      if (!keeps_loads_) {
        keeps_loads_ = true;
        if (!read(fd, 0, offset, budget, [](const JitEntry&) { return true; }).is_whole) return {.end = offset};
      }
      // If the moved code is not found, it has no name. But the code that lay there before is gone all the same.
      const auto known = loads_.find(move.index);
      if (known != loads_.end()) entry = known->second;
      entry.moved_by += move.to - move.from;
      entry.start = move.to;
      if (move.bytes != 0) entry.last = last_of(move.to, move.bytes);
      if (known != loads_.end()) known->second = entry;
      if (move.bytes != 0 && !visit(entry)) return {.end = end, .is_whole = false};
    } else if (record.kind == RecordKind::lines && record.bytes >= sizeof lines && window.read(offset, lines)) {
      if (lines_.size() >= most_waiting_lines) lines_.clear();
      lines_.insert_or_assign(lines.address, offset);
    }
    if (window.is_spent()) return {.end = offset, .is_whole = false};
    offset = end;
  }
  return {.end = std::max(offset, from), .is_whole = true};
}

std::vector<JitLine> read_jit_lines(int fd, std::uint64_t offset, std::span<const std::uint64_t> addresses,
                                    WorkBudget& budget) {
  struct Row {
    std::uint64_t address;
    JitLine line;
  };
  Window window(fd, budget, window_of_lines);
  Lines record{};
  std::vector<Row> rows;
  if (window.read(offset, record) && record.head.bytes >= sizeof record && record.count <= most_lines) {
    const std::uint64_t end = offset + record.head.bytes;
    std::uint64_t at = offset + sizeof record;
    JitLine last;
    LineHead head{};
    while (rows.size() < record.count && end - at > sizeof head && window.read(at, head)) {
      at += sizeof head;
      const std::string_view file = window.text(at, end);
      if (file.size() >= std::min<std::uint64_t>(end - at, longest_name)) break;  // the text has no end
      if (file != same_file) {
        last.file_offset = at;
        last.file_bytes = static_cast<std::uint32_t>(file.size());
      }
      at += file.size() + 1;
      last.line = head.line;
      rows.push_back({.address = head.address, .line = last});
    }
    // Node 20 writes names of files that it has freed. Then the record does not end where its lines end.
    if (rows.size() != record.count || at != end) rows.clear();
  }
  std::ranges::stable_sort(rows, {}, &Row::address);
  std::vector<JitLine> found;
  found.reserve(addresses.size());
  for (const std::uint64_t address : addresses) {
    const auto behind = std::ranges::upper_bound(rows, address, {}, &Row::address);
    JitLine line = behind == rows.begin() ? JitLine() : std::prev(behind)->line;
    // A forged move may take code across the end of the address space. There other lines count.
    line.valid_range = {.before = address, .after = UINT64_MAX - address};
    if (behind != rows.begin()) line.valid_range.stop_at(address, std::prev(behind)->address);
    if (behind != rows.end()) line.valid_range.stop_at(address, behind->address);
    found.push_back(line);
  }
  return found;
}

}  // namespace profile
