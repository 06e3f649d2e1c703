// Tests that descriptions of frames pay for every byte that is looked at, also where entries overlap: the budget, not
// the length of the file, bounds the work.
#include <doctest/doctest.h>

#include <string>

#include "unwind_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t code = made_code_address;
constexpr std::uint64_t plenty = std::uint64_t{1} << 40;

// What it costs to make the table.
std::uint64_t steps_of(const std::string& file, UnwindFault expected = UnwindFault::none) {
  WorkBudget budget(plenty);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why, &budget);
  REQUIRE(elf);
  CHECK(text_of(unwind_table_of(*elf).fault) == text_of(expected));
  return plenty - budget.left();
}

// Common entries that all reach to the same end: the next one stands in a block of an expression, which the
// instructions of those before it pass over. Each has one function.
std::string overlapping(std::size_t commons, std::size_t shared_bytes) {
  const std::string head = bytes_of(std::uint32_t{0}) + bytes({1, 0, 1, 0x78, 16});
  const std::string passes_over = bytes({0x16, 3, static_cast<unsigned>(head.size() + 4)});
  const std::size_t distance = passes_over.size() + 4 + head.size();
  const std::size_t end = commons * distance + shared_bytes;
  std::string section;
  for (std::size_t i = 0; i < commons; ++i) {
    if (i != 0) section += passes_over;
    section += bytes_of(static_cast<std::uint32_t>(end - section.size() - 4)) + head;
  }
  while (section.size() + 2 <= end) section += bytes({0x0a, 0x0b});  // remember and restore
  section.resize(end);
  for (std::size_t i = 0; i < commons; ++i) {
    const std::size_t common = i * distance;
    section += bytes_of(std::uint32_t{20}) + bytes_of(static_cast<std::uint32_t>(section.size() + 4 - common)) +
               bytes_of(code + i) + bytes_of(std::uint64_t{1});
  }
  return section;
}

}  // namespace

TEST_CASE("common entries that overlap pay for each byte as often as it is run") {
  constexpr std::size_t commons = 200;
  constexpr std::size_t shared = 20'000;
  const std::string file = file_with_frames(overlapping(commons, shared));
  CHECK(file.size() < 60'000);
  CHECK(steps_of(file) > commons * shared);
  CHECK(answer_of(file, commons * shared).fault == UnwindFault::spent);
}

TEST_CASE("a common entry with a text as long as the entry pays for it") {
  MadeFrames frames;
  constexpr std::size_t text_bytes = 100'000;
  // The text has no end, so nothing behind it is read.
  const std::size_t common = frames.entry(0, '\1' + std::string(text_bytes, 'z'));
  const std::size_t good = frames.common();
  frames.function(good, code, 1, "");
  const std::uint64_t before = steps_of(file_with_frames(frames.content()));
  frames.function(common, code + 1, 1, "");
  CHECK(steps_of(file_with_frames(frames.content())) > before + text_bytes);
}

TEST_CASE("an entry pays for each segment of code that it is compared with") {
  constexpr std::uint64_t segments = 1000;
  constexpr std::uint64_t functions = 500;
  MadeFrames frames;
  const std::size_t common = frames.common();
  for (std::uint64_t i = 0; i < functions; ++i) frames.function(common, code + i, 1, "");
  std::vector<Elf64_Phdr> headers(segments, code_segment(16, made_code_offset, 0x100000));
  headers.push_back(code_segment(0x4000));
  const std::string file = made_elf({{.name = ".text", .content = std::string(0x4000, '\0'), .address = code},
                                     {.name = ".eh_frame", .content = frames.content(), .address = 0x800000}},
                                    EM_X86_64, headers);
  CHECK(steps_of(file) > segments * functions);
}

TEST_CASE("rows cost what it takes to hand them over") {
  MadeFrames frames;
  const std::size_t common = frames.common();
  constexpr unsigned rows = 3000;
  std::string instructions;
  for (unsigned i = 0; i < rows; ++i) instructions += bytes({0x41, 0x0e, 16 + 8 * (i % 2)});
  frames.function(common, code, rows + 1, instructions);
  const std::string file = file_with_frames(frames.content());
  CHECK(table_of(file).rows.size() >= rows);
  CHECK(steps_of(file) > file.size() / 2 + rows * (sizeof(std::uint32_t) + 3));
}

TEST_CASE("looking for sections by their names is paid for") {
  MadeFrames frames;
  frames.function(frames.common(), code, 1, "");
  std::vector<MadeSection> sections(5000, {.name = "x", .content = ""});
  sections.push_back({.name = ".text", .content = std::string(64, '\0'), .address = code});
  const auto with_frames = [&](const char* name) {
    std::vector<MadeSection> all = sections;
    all.push_back({.name = name, .content = frames.content(), .address = 0x800000});
    return made_elf(all, EM_X86_64, {code_segment(64, sizeof(Elf64_Ehdr), code)});
  };
  const std::string file = with_frames(".eh_frame");
  const std::uint64_t headers = sections.size() * sizeof(Elf64_Shdr);
  CHECK(steps_of(file) > headers + 4 * sections.size());
}
