// Tests that code without a name is found in the function that the unwind tables describe, and in no other.
#include "unwind/function_starts.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <string>
#include <vector>

#include "../made_frames.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t frames_address = 0x800000;
constexpr std::uint64_t index_address = 0x900000;

struct Described {
  std::uint64_t start;
  std::uint64_t bytes;
};

// With an index of the descriptions, as `ld --eh-frame-hdr` makes it. `count` is what its head says.
std::string file_with_index(const std::vector<Described>& functions, std::uint32_t count) {
  MadeFrames frames;
  const std::size_t common = frames.common();
  std::string index = bytes({1, 0x1b, 0x03, 0x3b}) +
                      bytes_of(static_cast<std::int32_t>(frames_address - index_address - 4)) + bytes_of(count);
  for (const Described& each : functions) {
    const std::size_t at = frames.function(common, each.start, each.bytes, {});
    index += bytes_of(static_cast<std::int32_t>(each.start - index_address)) +
             bytes_of(static_cast<std::int32_t>(frames_address + at - index_address));
  }
  constexpr std::uint64_t code_bytes = 0x4000;
  Elf64_Phdr segment{};
  segment.p_type = PT_GNU_EH_FRAME;
  segment.p_offset = sizeof(Elf64_Ehdr) + code_bytes + frames.content().size();
  segment.p_vaddr = index_address;
  segment.p_filesz = segment.p_memsz = index.size();
  return made_elf({{.name = ".text",
                    .content = std::string(code_bytes, '\0'),
                    .flags = SHF_ALLOC | SHF_EXECINSTR,
                    .address = made_code_address},
                   {.name = ".eh_frame", .content = frames.content(), .flags = SHF_ALLOC, .address = frames_address},
                   {.name = ".eh_frame_hdr", .content = index, .flags = SHF_ALLOC, .address = index_address}},
                  EM_X86_64, {code_segment(code_bytes), segment});
}

std::vector<Symbol> found_in(const std::string& file, const std::vector<ElfAddress>& addresses,
                             std::uint64_t budget_steps = UINT64_MAX) {
  WorkBudget budget(budget_steps);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why, &budget);
  std::vector<Symbol> answers(addresses.size());
  if (elf) find_function_starts(*elf, addresses, answers);
  return answers;
}

constexpr std::uint64_t first = made_code_address + 0x100;
constexpr std::uint64_t second = made_code_address + 0x200;
const std::vector<Described> functions{{.start = first, .bytes = 0x40}, {.start = second, .bytes = 0x80}};

}  // namespace

TEST_CASE("each place in a described function has its start, and the answer is good for the whole function") {
  const auto answers =
      found_in(file_with_index(functions, 2), {{first}, {first + 0x3f}, {second + 1}, {second + 0x7f}});
  REQUIRE(answers.size() == 4);
  CHECK(answers[0].start == first);
  CHECK(answers[1].start == first);
  CHECK(answers[2].start == second);
  CHECK(answers[3].start == second);
  CHECK(answers[1].valid_range == ValidRange{.before = 0x3f, .after = 0});
  CHECK(answers[2].valid_range == ValidRange{.before = 1, .after = 0x7e});
  CHECK(answers[0].name.empty());
}

TEST_CASE("code between, before and behind described functions belongs to none of them") {
  for (const std::uint64_t address : {first - 1, first + 0x40, second - 1, second + 0x80}) {
    const auto answers = found_in(file_with_index(functions, 2), {{address}});
    CHECK(answers[0].start == 0);
  }
}

TEST_CASE("the answer between two functions is good up to both") {
  const auto answers = found_in(file_with_index(functions, 2), {{first + 0x50}});
  CHECK(answers[0].valid_range == ValidRange{.before = 0x10, .after = second - 1 - (first + 0x50)});
}

TEST_CASE("an answer that has a name stays as it is") {
  const std::string file = file_with_index(functions, 2);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why);
  REQUIRE(elf);
  std::vector<Symbol> answers{{.name = "known", .start = 7, .unnamed = Unnamed::named}};
  find_function_starts(*elf, std::vector<ElfAddress>{{first}}, answers);
  CHECK(answers[0].start == 7);
}

TEST_CASE("an index that lies, or for which there is no budget, gives no start") {
  // More entries than the segment holds.
  CHECK(found_in(file_with_index(functions, 3), {{first}})[0].start == 0);
  CHECK(found_in(file_with_index(functions, 0), {{first}})[0].start == 0);
  CHECK(found_in(file_with_index(functions, UINT32_MAX), {{first}})[0].start == 0);
  std::string wrong = file_with_index(functions, 2);
  // The index leads to the wrong function, whose description does not hold the address.
  std::string& file = wrong;
  const std::string entry = bytes_of(static_cast<std::int32_t>(second - index_address));
  const std::size_t at = file.rfind(entry);
  REQUIRE(at != std::string::npos);
  file.replace(at, entry.size(), bytes_of(static_cast<std::int32_t>(first + 0x20 - index_address)));
  CHECK(found_in(file, {{first + 0x21}})[0].start == 0);
  for (std::uint64_t steps = 1; steps < 1000; steps += 50) {
    const std::uint64_t start = found_in(file_with_index(functions, 2), {{first}}, steps)[0].start;
    CHECK((start == 0 || start == first));
  }
}
