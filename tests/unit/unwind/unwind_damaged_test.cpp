// Tests damaged and hostile descriptions of frames. They give no table but a reason, and cost no more than their
// budget.
#include <doctest/doctest.h>

#include <string>

#include "unwind_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t code = made_code_address;

UnwindFault fault_of(const std::string& frames) { return answer_of(file_with_frames(frames)).fault; }

// One function with a good description, and then `more`.
std::string with_one(const std::string& more) {
  MadeFrames frames;
  frames.function(frames.common(), code, 0x40, bytes({0x0e, 16}));
  return frames.content() + more;
}

std::string number(std::uint32_t value) { return bytes_of(value); }

}  // namespace

TEST_CASE("damaged entries give no table, not even for the entries before them") {
  CHECK(fault_of(with_one("")) == UnwindFault::none);
  // Lengths beyond the section, beyond any entry, and beyond any number.
  CHECK(fault_of(with_one(number(100))) == UnwindFault::damaged);
  CHECK(fault_of(with_one(number(0xfffffff0))) == UnwindFault::damaged);
  CHECK(fault_of(with_one(number(0xffffffff) + bytes_of(UINT64_MAX))) == UnwindFault::damaged);
  CHECK(fault_of(with_one(number(0xffffffff) + bytes_of(std::uint64_t{1} << 33))) == UnwindFault::damaged);
  CHECK(fault_of(with_one(number(0xffffffff))) == UnwindFault::damaged);
  CHECK(fault_of(with_one(number(2 << 20) + std::string(2 << 20, '\0'))) == UnwindFault::damaged);
  // The entry is too short.
  CHECK(fault_of(with_one(number(2) + "ab")) == UnwindFault::damaged);
  // The common entry would be before the section.
  CHECK(fault_of(with_one(number(4) + number(0x7fffffff))) == UnwindFault::damaged);
}

TEST_CASE("an entry of an unknown kind is left out") {
  const auto is_left_out = [](const std::string& more) {
    const auto table = table_of(file_with_frames(with_one(more)));
    CHECK(at(table, 0) == "r7+16 ra=c-8");
    CHECK(at(table, 0x100) == "none");
  };
  const MadeCommon odd[] = {
      {.version = 2},
      {.version = 200},
      {.augmentation = "eh"},
      {.augmentation = "zR", .augmentation_data = bytes({0x9b})},
      {.augmentation = "zR", .augmentation_data = bytes({0x2b})},
      {.augmentation = "zR", .augmentation_data = bytes({0xff})},
      {.augmentation = "zP", .augmentation_data = bytes({0x50})},
      {.augmentation = "zR", .augmentation_data = ""},
      {.code_step = 1000},
      {.data_step = 100000},
      {.instructions = bytes({0x3f})},
  };
  for (const MadeCommon& common : odd) {
    MadeFrames frames;
    frames.function(frames.common(), code, 0x40, bytes({0x0e, 16}));
    frames.function(frames.common(common), code + 0x100, 0x40, bytes({0x0e, 16}));
    const auto table = table_of(file_with_frames(frames.content()));
    CHECK(at(table, 0) == "r7+16 ra=c-8");
    CHECK(at(table, 0x100) == "none");
  }
  // The reference to the common entry leads elsewhere: to itself, to another function, or into the middle of an entry.
  is_left_out(number(4) + number(4));
  for (const unsigned back : {8U, 21U, 40U}) is_left_out(number(24) + number(back) + std::string(20, '\0'));
  is_left_out(number(0) + number(0));
}

TEST_CASE("code outside of the file has no rows") {
  for (const std::uint64_t start : {std::uint64_t{0}, code - 0x40, code + 0x4000, UINT64_MAX, UINT64_MAX - 0x3f}) {
    MadeFrames frames;
    frames.function(frames.common(), start, 0x40, bytes({0x0e, 16}));
    CHECK(fault_of(frames.content()) == UnwindFault::no_frames);
  }
  // Only the part that lies in the file has rows.
  MadeFrames frames;
  frames.function(frames.common(), code + 0x3ff0, UINT64_MAX, bytes({0x0e, 16}));
  const auto table = table_of(file_with_frames(frames.content()));
  CHECK(at(table, 0x3fff) == "r7+16 ra=c-8");
  CHECK(at(table, 0x4000) == "none");
}

TEST_CASE("a segment that claims more than the file has does not enlarge the table") {
  MadeFrames frames;
  frames.function(frames.common(), code, UINT64_MAX, bytes({0x0e, 16}));
  const auto file_with = [&](const Elf64_Phdr& segment) {
    return made_elf(
        {{.name = ".text", .content = std::string(64, '\0')}, {.name = ".eh_frame", .content = frames.content()}},
        EM_X86_64, {segment});
  };
  CHECK(table_of(file_with(code_segment(UINT64_MAX))).pages.size() == 1);
  CHECK(table_of(file_with(code_segment(UINT64_MAX, 0))).pages.size() == 1);
  CHECK(answer_of(file_with(code_segment(0x100, 1 << 20))).fault == UnwindFault::no_frames);
  CHECK(answer_of(file_with(code_segment(UINT64_MAX, UINT64_MAX))).fault == UnwindFault::no_frames);
}

TEST_CASE("a file without usable frames gives the reason") {
  const std::string frames = with_one("");
  CHECK(answer_of(file_with_frames(frames, EM_386)).fault == UnwindFault::other_machine);
  CHECK(answer_of(made_elf({{.name = ".eh_frame", .content = frames}})).fault == UnwindFault::no_code);
  CHECK(answer_of(file_with_frames(frames, EM_X86_64, ".frames")).fault == UnwindFault::no_frames);
  CHECK(fault_of("") == UnwindFault::no_frames);
  CHECK(fault_of(number(0)) == UnwindFault::no_frames);
}

TEST_CASE("a .debug_frame with broken compression is ignored") {
  const Elf64_Chdr header{.ch_type = ELFCOMPRESS_ZLIB, .ch_reserved = 0, .ch_size = 100, .ch_addralign = 1};
  Elf64_Chdr huge = header;
  huge.ch_size = UINT64_MAX;
  for (const std::string& packed : {std::string("x"), bytes_of(header) + "no stream", bytes_of(huge) + "no stream"}) {
    CHECK(answer_of(file_with_frames(packed, EM_X86_64, ".debug_frame", 0x4000, SHF_COMPRESSED)).fault ==
          UnwindFault::no_frames);
  }
}

TEST_CASE("a table holds a limited number of different rules, and more rules are refused") {
  const auto with_rules = [](unsigned count) {
    MadeFrames frames;
    const std::size_t common = frames.common();
    // A few thousand in each entry, because the length of an entry is limited.
    for (unsigned done = 0; done < count;) {
      std::string instructions;
      const unsigned first = done;
      for (; done < count && done < first + 4000; ++done)
        instructions += bytes({0x0e}) + uleb(100'001 + 2 * done) + '\x41';
      frames.function(common, code + first, done - first, instructions);
    }
    return file_with_frames(frames.content(), EM_X86_64, ".eh_frame", count);
  };
  CHECK(table_of(with_rules(32'000)).rules.size() == 32'001);
  CHECK(answer_of(with_rules(40'000)).fault == UnwindFault::too_complex);
}

TEST_CASE("a million rules, cycles and overlaps cost no more than the length of the file") {
  MadeFrames frames;
  const std::size_t common = frames.common();
  const std::string instructions = bytes({0x0a, 0x0e, 16, 0x0b, 0x41, 0x0e, 32, 0x41});
  // Each function begins a byte behind the function before it and reaches to the end of the code.
  for (std::uint64_t i = 0; i < 30'000; ++i) frames.function(common, code + i % 0x4000, 0x4000, instructions);
  const std::string file = file_with_frames(frames.content());
  WorkBudget budget(std::uint64_t{1} << 40);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why, &budget);
  REQUIRE(elf);
  CHECK(unwind_table_of(*elf).fault == UnwindFault::none);
  CHECK((std::uint64_t{1} << 40) - budget.left() < 4 * file.size());
}

TEST_CASE("a spent budget gives no table") {
  MadeFrames frames;
  const std::size_t common = frames.common();
  for (std::uint64_t i = 0; i < 100; ++i) frames.function(common, code + 0x40 * i, 0x40, bytes({0x41, 0x0e, 16}));
  const std::string file = file_with_frames(frames.content());
  std::uint64_t steps = 2000;
  for (; steps < 1'000'000; steps += 500) {
    const UnwindFault fault = answer_of(file, steps).fault;
    if (fault == UnwindFault::none) break;
    CHECK(fault == UnwindFault::spent);
  }
  CHECK(steps > 5'000);
  CHECK(steps < 50'000);
}

TEST_CASE("files that are cut off anywhere or have a damaged byte do no harm") {
  MadeFrames frames;
  const std::size_t common =
      frames.common({.augmentation = "zPLR", .augmentation_data = bytes({0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0})});
  frames.function(common, code, 0x100, bytes({0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x1c, 0x0c, 7, 8}));
  frames.function(common, code + 0x100, 0x100,
                  bytes({0x0a, 0x0f, 3, 0x76, 0x78, 0x06, 0x44, 0x0b, 0x10, 6, 2, 0x76, 0}));
  const std::string whole = frames.content();
  for (std::size_t size = 0; size < whole.size(); ++size) static_cast<void>(fault_of(whole.substr(0, size)));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int value : {0x00, 0x01, 0x3f, 0x7f, 0x80, 0xff, whole[i] + 1, whole[i] - 1}) {
      std::string spoilt = whole;
      spoilt[i] = static_cast<char>(value);
      static_cast<void>(fault_of(spoilt));
    }
  }
}
