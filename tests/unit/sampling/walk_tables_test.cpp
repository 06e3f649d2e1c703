// Tests where tables lie in slabs. The rows of a page never cross from one slab into the next, and none leave the
// table's room. No owner of files leaves nothing for another; that needs a kernel that makes maps for this process.
#include "sampling/walk_tables.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <memory>
#include <string_view>
#include <vector>

#include "abi/perf_event.h"
#include "abi/record.h"
#include "tracepoint_lean.skel.h"

using namespace profile;

namespace {

constexpr std::uint64_t rows_of_slab = WALK_SLAB_BYTES / sizeof(std::uint32_t);

UnwindTable table_of(const std::vector<std::uint32_t>& rows_of_pages) {
  UnwindTable table;
  std::uint32_t row = 0;
  for (const std::uint32_t rows : rows_of_pages) {
    table.pages.push_back({.first_row = row, .rows_and_code = rows << UNWIND_CODE_BITS});
    row += rows;
  }
  table.rows.resize(row);
  return table;
}

// The maps of a BPF program that is not loaded, with room for `files` files.
class Maps {
 public:
  explicit Maps(std::uint64_t files) : skeleton_(tracepoint_lean__open(), tracepoint_lean__destroy) {
    if (skeleton_ == nullptr) return;
    bpf_program* program = nullptr;
    bpf_object__for_each_program(program, skeleton_->obj) bpf_program__set_autoload(program, false);
    bpf_map* map = nullptr;
    bpf_object__for_each_map(map, skeleton_->obj) {
      const std::string_view name = bpf_map__name(map);
      const bool is_wanted =
          name == "walk_files" || name == "walk_copies" || name == "slabs" || name.ends_with(".data.walk");
      bpf_map__set_autocreate(map, is_wanted);
    }
    bpf_map__set_max_entries(skeleton_->maps.walk_files, static_cast<__u32>(files));
    libbpf_set_print(nullptr);
    are_there_ = bpf_object__load(skeleton_->obj) == 0;
  }
  // False: the kernel makes none for this process.
  [[nodiscard]] bool are_there() const { return are_there_; }
  [[nodiscard]] bpf_object& object() { return *skeleton_->obj; }

 private:
  std::unique_ptr<tracepoint_lean, void (*)(tracepoint_lean*)> skeleton_;
  bool are_there_ = false;
};

walk_file_key key_of(std::uint64_t owner, std::uint64_t number) {
  return {.inode = number, .device = static_cast<__u32>(owner), .version = 0};
}

void check_placed(const UnwindTable& table, std::uint64_t base) {
  std::uint64_t total = 0;
  std::uint64_t next = base;
  bool holds = true;
  for (const unwind_page& page : placed_pages(table, base, total)) {
    const std::uint64_t last = page.first_row + (page.rows_and_code >> UNWIND_CODE_BITS) - 1;
    holds = holds && page.first_row >= next && page.first_row / rows_of_slab == last / rows_of_slab;
    next = last + 1;
  }
  CHECK(holds);
  CHECK(next == base + total);
  CHECK(total * sizeof(std::uint32_t) <= most_row_bytes(table.rows.size()));
}

}  // namespace

TEST_CASE("the rows of a page are in one slab, and all rows are placed if there is room") {
  for (const std::uint32_t rows_of_page : {1U, 700U, UNWIND_MOST_IN_PAGE}) {
    for (const std::size_t rows : {rows_of_slab - 1, 3 * rows_of_slab - 9000}) {
      const UnwindTable table = table_of(std::vector<std::uint32_t>(rows / rows_of_page, rows_of_page));
      for (const std::uint64_t base : {std::uint64_t{4}, rows_of_slab - 4, rows_of_slab - 1020}) {
        check_placed(table, base);
      }
    }
  }
}

TEST_CASE("the slabs have room for a gap at every border") {
  // The largest possible gap, at the beginning and at the end of both slabs.
  constexpr std::uint32_t gap = UNWIND_MOST_IN_PAGE - 1;
  std::vector<std::uint32_t> pages;
  for (int slab = 0; slab < 2; ++slab) {
    pages.insert(pages.end(), (rows_of_slab - gap) / UNWIND_MOST_IN_PAGE, UNWIND_MOST_IN_PAGE);
    pages.push_back((rows_of_slab - gap) % UNWIND_MOST_IN_PAGE);
  }
  pages.push_back(UNWIND_MOST_IN_PAGE);
  check_placed(table_of(pages), rows_of_slab - gap);
}

TEST_CASE("the largest table fits its room, also when every slab has a gap, and however these lie") {
  // The rows of 64 pages are one less than fit into a slab, and those of the next page do not fit.
  std::vector<std::uint32_t> pages;
  for (std::size_t rows = 0; rows + UNWIND_MOST_IN_PAGE <= most_unwind_rows; rows += pages.back()) {
    pages.push_back(pages.size() % 64 == 63 ? 65 : UNWIND_MOST_IN_PAGE);
  }
  const UnwindTable table = table_of(pages);
  for (std::uint64_t base = 0; base < rows_of_slab; base += 1021) check_placed(table, base);
  check_placed(table, rows_of_slab - 1);
}

TEST_CASE("the files of one user do not take the room of another's in the map of files") {
  constexpr std::uint64_t most = 64;
  Maps maps(most);
  if (!maps.are_there()) {
    MESSAGE("left out: the kernel makes no maps for this process");
    return;
  }
  WalkTables tables(maps.object());
  constexpr std::uint64_t flooder = 1000, other = 1001;
  std::uint64_t number = 0;
  for (std::uint64_t i = 0; i < 4 * most; ++i) {
    ++number;
    tables.refuse(key_of(flooder, number), {.owner = flooder, .number = FileNumber{number}});
  }
  std::size_t of_flooder = 0;
  for (std::uint64_t i = 1; i <= number; ++i) of_flooder += tables.find(key_of(flooder, i)).state == WALK_FILE_NONE;
  CHECK(of_flooder > 0);
  CHECK(of_flooder <= most * 3 / 8);
  for (const std::uint64_t owner : {other, std::uint64_t{0}}) {
    for (std::uint64_t i = 0; i < most / 8; ++i) {
      ++number;
      tables.refuse(key_of(owner, number), {.owner = owner, .number = FileNumber{number}});
      CHECK(tables.find(key_of(owner, number)).state == WALK_FILE_NONE);
    }
  }
}

TEST_CASE("the tables of one user do not take the memory of another's") {
  Maps maps(64);
  if (!maps.are_there()) {
    MESSAGE("left out: the kernel makes no maps for this process");
    return;
  }
  WalkTables tables(maps.object());
  UnwindTable table = table_of(std::vector<std::uint32_t>(3000, UNWIND_MOST_IN_PAGE));
#ifdef __aarch64__
  table.elf_machine = EM_AARCH64;
#else
  table.elf_machine = EM_X86_64;
#endif
  constexpr std::uint64_t whole_bytes = std::uint64_t{WALK_MOST_SLABS} * WALK_SLAB_BYTES;
  const auto most = whole_bytes / 8 * 3 / table.size_bytes();
  REQUIRE(most > 2);
  std::uint64_t number = 0;
  const auto add_of = [&](std::uint64_t owner) {
    ++number;
    return tables.add(key_of(owner, number), table, nullptr, {.owner = owner, .number = FileNumber{number}});
  };
  std::uint64_t added = 0;
  while (added <= most && add_of(1000) == WalkTables::Added::added) ++added;
  CHECK(added <= most);
  CHECK(add_of(1000) == WalkTables::Added::no_room);
  CHECK(add_of(1001) == WalkTables::Added::added);
  CHECK(add_of(0) == WalkTables::Added::added);
}
