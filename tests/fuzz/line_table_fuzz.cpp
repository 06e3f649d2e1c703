// A table of lines, as another user's program may keep it for a function of a script. A line is always a number that a
// file can have.
#include "interpret/line_table.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  std::uint64_t position = 0;
  std::uint32_t first_line = 0;
  constexpr std::size_t head = 1 + sizeof position + sizeof first_line;
  if (size < head) return 0;
  const auto form = static_cast<script_lines>(data[0] % SCRIPT_LINES_FORMS);
  std::memcpy(&position, data + 1, sizeof position);
  std::memcpy(&first_line, data + 1 + sizeof position, sizeof first_line);
  const std::span table(data + head, size - head);
  for (const std::uint64_t at : {std::uint64_t{position & SCRIPT_POSITION_MASK}, position & 0xff, std::uint64_t{0}}) {
    const std::uint32_t line = line_at(form, at, first_line, table);
    if (form != SCRIPT_LINES_DIRECT && at > 1 && line > INT32_MAX) std::abort();
  }
  return 0;
}
