// The tables of files where the walk of user stacks finds them: in slabs of memory that is shared with the kernel side,
// made when they are needed and given back when they are empty.
#pragma once

#include <bpf/libbpf.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "abi/walk.h"
#include "sampling/byte_ranges.h"
#include "support/bpf.h"
#include "support/fd.h"
#include "unwind/table.h"

namespace profile {

struct WalkFileOrder {
  [[nodiscard]] static std::strong_ordering compare(const walk_file_key& one, const walk_file_key& other);
  bool operator()(const walk_file_key& one, const walk_file_key& other) const { return compare(one, other) < 0; }
};

// Where the rows of a table come to lie when they begin at row `base` of the space of slabs: its pages, with the rows
// moved behind a border that one page's would lie across. `total`: rows and the gaps between them.
[[nodiscard]] std::vector<unwind_page> placed_pages(const UnwindTable& table, std::uint64_t base, std::uint64_t& total);
// Room for so many rows with all the gaps there can be.
[[nodiscard]] std::uint64_t most_row_bytes(std::size_t rows);

class WalkTables {
 public:
  // `object` has been loaded and has the walk; it must outlive this.
  explicit WalkTables(bpf_object& object);

  // From now on stacks are walked by it. False when there is no room, or it is of another machine's code.
  bool add(const walk_file_key& key, const UnwindTable& table);
  // The file has no table: it is not asked for again.
  void refuse(const walk_file_key& key);
  // As if it had not been met: it is asked for again.
  void forget(const walk_file_key& key);
  // WALK_FILE_ASKED when nothing is known of it, or nothing yet.
  [[nodiscard]] walk_file find(const walk_file_key& key) const;
  // WALK_SLAB_BYTES of the space of tables; null: there is no such slab.
  [[nodiscard]] const char* slab(std::uint32_t number) const;
  // How often walks have looked the file up; 0 when nothing is known of it.
  [[nodiscard]] std::uint32_t met(const walk_file_key& key) const;
  // Forgets the files, with a table or without, that no walk has looked up since the last call. They are asked for
  // again when they are met.
  void forget_unmet();

  // The stacks that were sent in that generation are forgotten.
  void note_drained(std::uint32_t generation) { state_->sent[generation] = 0; }

  [[nodiscard]] std::uint64_t size_bytes() const { return used_bytes_; }
  [[nodiscard]] std::size_t count() const { return placed_.size(); }

 private:
  struct Slab {
    Fd fd;
    std::unique_ptr<SharedArray> memory;
  };
  struct Placed {
    std::uint32_t at = 0;
    std::uint64_t size = 0;
    std::uint32_t met = 0;  // when forget_unmet() looked last
  };

  // Has slabs from `at` on for `size` bytes. False when they cannot be had.
  bool make_slabs(std::uint32_t at, std::uint64_t size);
  void write(std::uint32_t at, const void* from, std::size_t size);
  void set(const walk_file_key& key, const walk_file& file);
  // Once no walk uses them any more.
  void give_back(const std::vector<Placed>& ranges);
  void drop_slabs(std::uint32_t at, std::uint64_t size);

  int files_fd_;
  int slabs_fd_;
  SharedArray state_memory_;
  walk_state* state_;
  std::vector<Slab> slabs_;  // by their number; without memory: not there
  ByteRanges ranges_;
  std::map<walk_file_key, Placed, WalkFileOrder> placed_;
  std::uint64_t used_bytes_ = 0;
  ProgramBarrier barrier_;
};

}  // namespace profile
