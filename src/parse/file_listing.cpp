#include "parse/file_listing.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "parse/disassembler.h"
#include "support/file_status.h"

namespace profile {
namespace {

// The largest functions, those of interpreters, have some hundred thousand bytes.
constexpr std::uint64_t most_range_bytes = std::uint64_t{1} << 20;
constexpr std::size_t most_text_bytes = 256;  // of an instruction; capstone's own limit is 192
// The largest sources are generated, with some million lines.
constexpr std::uint64_t most_source_bytes = std::uint64_t{64} << 20;
constexpr std::size_t read_bytes = std::size_t{64} << 10;

// Takes the lines of a text that are in the ranges, and no more of it than that.
class WantedLines {
 public:
  WantedLines(std::span<const LineRange> ranges, std::vector<std::string>& lines) : ranges_(ranges), lines_(lines) {}

  [[nodiscard]] bool is_done() const { return ranges_.empty() || lines_.size() >= most_source_lines; }

  void take(std::string_view text) {
    while (!text.empty() && !is_done()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (line_ >= ranges_.front().first) {
        const std::size_t room = most_source_line_bytes - std::min(most_source_line_bytes, current_.size());
        current_.append(text.substr(0, std::min(end, room)));
      }
      has_part_ = true;
      if (end == text.size()) return;
      finish_line();
      text.remove_prefix(end + 1);
    }
  }
  // Call it at the end of the text.
  void finish() {
    if (has_part_ && !is_done()) finish_line();
  }

 private:
  void finish_line() {
    if (line_ >= ranges_.front().first) lines_.push_back(std::move(current_));
    current_.clear();
    has_part_ = false;
    if (line_ >= ranges_.front().last) ranges_ = ranges_.subspan(1);
    ++line_;
  }

  std::span<const LineRange> ranges_;
  std::vector<std::string>& lines_;
  std::uint32_t line_ = 1;
  std::string current_;
  bool has_part_ = false;
};

}  // namespace

CodeOfFile code_of(const ElfFile& elf, std::span<const AddressRange> ranges) {
  CodeOfFile code;
  const Disassembler disassembler(elf.is_64bit());
  std::vector<std::byte> bytes;
  for (const AddressRange& range : ranges) {
    const auto place = range.start < range.limit ? elf.place_of(range.start) : std::nullopt;
    if (!place) continue;
    const std::uint64_t wanted = std::min(range.limit.value - range.start.value, place->bytes);
    code.is_cut |= wanted > most_range_bytes;
    bytes.resize(std::min(wanted, most_range_bytes));
    if (!elf.read_at(place->offset, bytes)) continue;
    disassembler.each(bytes, range.start.value, [&](auto address, auto size, auto name, auto operands) {
      code.is_cut |= code.instructions.size() >= most_instructions;
      if (code.is_cut) return false;
      std::string text(name);
      if (!operands.empty()) text.append(" ").append(operands);
      text.resize(std::min(text.size(), most_text_bytes));
      code.instructions.push_back(
          {.address = ElfAddress{address}, .size_bytes = static_cast<std::uint32_t>(size), .text = std::move(text)});
      return elf.spend(size);
    });
  }
  return code;
}

SourceOfFile source_of(int source, int binary, std::span<const LineRange> ranges) {
  SourceOfFile read;
  const auto of_source = status_of(source);
  const auto of_binary = status_of(binary);
  if (!of_source || !of_binary) {
    read.why = "its times cannot be read";
    return read;
  }
  read.is_newer = of_binary->modified_ns < of_source->modified_ns;
  WantedLines wanted(ranges, read.lines);
  std::string piece(read_bytes, '\0');
  for (std::uint64_t at = 0; at < most_source_bytes && !wanted.is_done();) {
    const ssize_t size = ::pread(source, piece.data(), piece.size(), static_cast<off_t>(at));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) read.why = std::strerror(errno);
    if (size <= 0) break;
    wanted.take(std::string_view(piece).substr(0, static_cast<std::size_t>(size)));
    at += static_cast<std::uint64_t>(size);
  }
  wanted.finish();
  return read;
}

}  // namespace profile
