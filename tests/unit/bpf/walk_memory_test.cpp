// Tests what a walk remembers: mappings and rows from one sample to the next, and a piece of the stack from one frame
// to the next. The code is the BPF program's own text, compiled here.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "walk_host.h"

namespace {

// Makes the memory of the program that is walked: some pages, of which the first and the last cannot be read. Each word
// of that memory is its own address.
constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t first_readable = 16 * page_bytes;
constexpr std::uint64_t pages = 3;
struct Memory : WalkHost {
  Memory() {
    host = this;
    for (std::uint64_t at = first_readable; at < first_readable + pages * page_bytes; at += 8) program.put(at, at);
  }
};

// True when the pair at `from` was read, and is right.
bool reads_pair(walk& walk, std::uint64_t from) {
  std::array<__u64, 2> pair{};
  if (read_pair(&walk, pair.data(), from) != 0) return false;
  CHECK(pair[0] == from);
  CHECK(pair[1] == from + 8);
  return true;
}

walk_space space_at(std::uint64_t mm) {
  walk_space space{};
  space.mm = mm;
  space.sequence = 2;
  space.start_stack = 4;
  space.exec_id = 3;
  space.tgid = 5;
  space.mappings_version = 6;
  return space;
}

void enter(walk& walk, const walk_space& space) {
  walk.mm = space.mm;
  walk.sequence = space.sequence;
  walk.start_stack = space.start_stack;
  walk.exec_id = space.exec_id;
  walk.tgid = space.tgid;
  walk.mappings_version = space.mappings_version;
  enter_space(&walk);
}

void add_mapping(walk& walk, std::uint64_t start, std::uint64_t bytes) {
  walk.mapping = {};
  walk.mapping.start = start;
  walk.mapping.bytes = bytes;
  walk.mapping.bias = walk.mm;
  remember_mapping(&walk);
}

// True when the mapping that holds `address` is known, and is the one that begins at `start`.
bool knows(walk& walk, std::uint64_t address, std::uint64_t start) {
  return recall_mapping(&walk, address) && walk.mapping.start == start;
}

}  // namespace

TEST_CASE("a mapping is known in its address space as long as nothing has changed") {
  Memory memory;
  walk& walk = memory.walk;
  const walk_space first = space_at(0x1000);
  enter(walk, first);
  CHECK_FALSE(recall_mapping(&walk, 4096));
  add_mapping(walk, 4096, 100);
  CHECK(knows(walk, 4096, 4096));
  CHECK(knows(walk, 4195, 4096));
  CHECK_FALSE(recall_mapping(&walk, 4196));
  CHECK_FALSE(recall_mapping(&walk, 4095));
  enter(walk, first);
  CHECK(knows(walk, 4100, 4096));

  const auto forgets_after = [&](auto change) {
    enter(walk, first);
    if (!recall_mapping(&walk, 4096)) add_mapping(walk, 4096, 100);
    walk_space changed = first;
    change(changed);
    enter(walk, changed);
    return !recall_mapping(&walk, 4096) && walk.mapping.bytes == 0;
  };
  CHECK(forgets_after([](walk_space& space) { ++space.sequence; }));
  CHECK(forgets_after([](walk_space& space) { ++space.exec_id; }));
  CHECK(forgets_after([](walk_space& space) { ++space.start_stack; }));
  CHECK(forgets_after([](walk_space& space) { ++space.tgid; }));
  CHECK(forgets_after([](walk_space& space) { ++space.mappings_version; }));
}

TEST_CASE("what a walk must not keep is forgotten before the next one, in its own address space only") {
  Memory memory;
  walk& walk = memory.walk;
  std::array<walk_space, 2> two{space_at(0x1000), space_at(0x1000)};
  // Two that have different places.
  for (std::uint64_t mm = 0x2000; walk.space == 0; mm += 0x1000) {
    two[1] = space_at(mm);
    enter(walk, two[0]);
    const __u32 place = walk.space;
    enter(walk, two[1]);
    walk.space = walk.space == place ? 0 : 1;
  }
  for (const walk_space& space : two) {
    enter(walk, space);
    add_mapping(walk, space.mm, 10);
  }
  for (const walk_space& space : two) {
    enter(walk, space);
    CHECK(knows(walk, space.mm + 9, space.mm));
  }
  walk.keep_nothing = 1;  // set by the walk in the second one
  enter(walk, two[0]);
  walk.keep_nothing = 0;
  CHECK(knows(walk, two[0].mm, two[0].mm));
  enter(walk, two[1]);
  CHECK_FALSE(recall_mapping(&walk, two[1].mm));
}

TEST_CASE("no address space has the mappings of another, however many there are") {
  Memory memory;
  walk& walk = memory.walk;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t mm = 1; mm < 200; ++mm) {
      const walk_space space = space_at(mm << 12);
      enter(walk, space);
      for (std::uint64_t i = 0; i < 2 * MAPPINGS; ++i) {
        if (recall_mapping(&walk, i * 100)) REQUIRE(walk.mapping.bias == space.mm);
        add_mapping(walk, i * 100, 100);
        REQUIRE(knows(walk, i * 100 + 99, i * 100));
      }
    }
  }
}

TEST_CASE("as many mappings as there is room for are known at once, also when they share pages and hints") {
  Memory memory;
  walk& walk = memory.walk;
  enter(walk, space_at(0x1000));
  for (std::uint64_t bytes : {std::uint64_t{128}, 100 * page_bytes}) {
    walk_space space = space_at(0x1000);
    space.exec_id = static_cast<__u32>(bytes);
    enter(walk, space);
    for (std::uint64_t i = 1; i <= MAPPINGS; ++i) add_mapping(walk, i * bytes, bytes);
    for (int round = 0; round < 2; ++round) {
      for (std::uint64_t i = 1; i <= MAPPINGS; ++i) {
        for (std::uint64_t at = 0; at < bytes; at += bytes / 4) REQUIRE(knows(walk, i * bytes + at, i * bytes));
      }
    }
    CHECK_FALSE(recall_mapping(&walk, (MAPPINGS + 1) * bytes));
    add_mapping(walk, (MAPPINGS + 1) * bytes, bytes);  // in the place of another
    CHECK(knows(walk, (MAPPINGS + 1) * bytes, (MAPPINGS + 1) * bytes));
    std::uint64_t known = 0;
    for (std::uint64_t i = 1; i <= MAPPINGS; ++i) known += knows(walk, i * bytes, i * bytes) ? 1 : 0;
    CHECK(known == MAPPINGS - 1);
  }
}

TEST_CASE("walks that interrupt each other share no mappings") {
  Memory memory;
  walk below{};
  walk above{};
  above.slot = 1;
  for (walk* walk : {&below, &above}) {
    enter(*walk, space_at(0x1000));
    CHECK_FALSE(recall_mapping(walk, 4096));
    add_mapping(*walk, 4096, 100);
  }
  CHECK(below.space != above.space);
}

TEST_CASE("a row is known after it was remembered, and only at its own place") {
  Memory memory;
  walk& walk = memory.walk;
  __u32 code = 0;
  CHECK_FALSE(recall_row(&walk, 0, 0, &code));
  remember_row(&walk, 0, 0, 7);
  remember_row(&walk, 8, 0, 8);
  REQUIRE(recall_row(&walk, 0, 0, &code));
  CHECK(code == 7);
  REQUIRE(recall_row(&walk, 8, 0, &code));
  CHECK(code == 8);
  CHECK_FALSE(recall_row(&walk, 0, 1, &code));
  CHECK_FALSE(recall_row(&walk, 16, 0, &code));
}

TEST_CASE("a table that goes takes all remembered rows with it") {
  Memory memory;
  walk& walk = memory.walk;
  remember_row(&walk, 4096, 17, 5);
  walk.mappings_version = 1;
  __u32 code = 0;
  CHECK_FALSE(recall_row(&walk, 4096, 17, &code));
  remember_row(&walk, 4096, 17, 6);
  REQUIRE(recall_row(&walk, 4096, 17, &code));
  CHECK(code == 6);
}

TEST_CASE("no row is taken for another, however many are remembered") {
  Memory memory;
  walk& walk = memory.walk;
  __u32 recalled = 0;
  const auto code_of = [](__u32 at, __u32 unit) { return (at * 31 + unit) & UNWIND_CODE_MASK; };
  for (int round = 0; round < 2; ++round) {
    for (__u32 at = 0; at < 1U << 20; at += 8 * 61) {
      for (__u32 unit = 0; unit <= UNWIND_MOST_IN_PAGE; unit += 341) {
        __u32 code = 0;
        if (recall_row(&walk, at, unit, &code)) {
          ++recalled;
          REQUIRE(code == code_of(at, unit));
        }
        remember_row(&walk, at, unit, code_of(at, unit));
        REQUIRE(recall_row(&walk, at, unit, &code));
        REQUIRE(code == code_of(at, unit));
      }
    }
  }
  CHECK(recalled < 100);  // there are eight times as many rows as places to remember them
}

TEST_CASE("frames that lie next to each other are read at once") {
  Memory memory;
  walk& walk = memory.walk;
  for (std::uint64_t at = first_readable; at < first_readable + sizeof(walk.window); at += 16)
    CHECK(reads_pair(walk, at));
  CHECK(memory.reads == 1);
  CHECK(reads_pair(walk, first_readable + sizeof(walk.window)));
  CHECK(memory.reads == 2);
  // What lies below is read again.
  CHECK(reads_pair(walk, first_readable));
}

TEST_CASE("each pair of the stack is read, at the ends of its pages and of the memory, too") {
  const std::uint64_t end = first_readable + pages * page_bytes;
  for (const std::uint64_t step : {8, 16, 24, 200, 264, 1000}) {
    Memory memory;
    for (std::uint64_t at = first_readable; at + 16 <= end; at += step) CHECK(reads_pair(memory.walk, at));
  }
  Memory memory;
  walk& walk = memory.walk;
  CHECK(reads_pair(walk, end - 16));
  CHECK_FALSE(reads_pair(walk, end - 8));
  CHECK_FALSE(reads_pair(walk, end));
  CHECK_FALSE(reads_pair(walk, first_readable - 8));
  CHECK_FALSE(reads_pair(walk, first_readable - 16));
  CHECK(reads_pair(walk, first_readable));  // what could not be read before has left nothing behind
}

TEST_CASE("a pair that is not aligned is read as it is") {
  Memory memory;
  walk& walk = memory.walk;
  CHECK(reads_pair(walk, first_readable));
  std::array<__u64, 2> pair{};
  REQUIRE(read_pair(&walk, pair.data(), first_readable + 4) == 0);
  CHECK(pair[0] == (first_readable >> 32 | (first_readable + 8) << 32));
}
