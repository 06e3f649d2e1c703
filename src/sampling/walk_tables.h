// Keeps the tables of files where the walk of user stacks finds them: in slabs, which are memory shared with the BPF
// program. A slab is made when it is needed and freed when it is empty.
#pragma once

#include <bpf/libbpf.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "abi/walk.h"
#include "process/code_file.h"
#include "sampling/byte_ranges.h"
#include "sampling/map_setter.h"
#include "support/bpf.h"
#include "support/fd.h"
#include "support/shares.h"
#include "unwind/table.h"

namespace profile {

struct WalkFileOrder {
  [[nodiscard]] static std::strong_ordering compare(const walk_file_key& one, const walk_file_key& other);
  bool operator()(const walk_file_key& one, const walk_file_key& other) const { return compare(one, other) < 0; }
};

// The pages of a table whose rows begin at row `base` of the space of slabs. Rows of a page that would cross the border
// of a slab are moved behind that border. `total`: the number of rows, with the gaps.
[[nodiscard]] std::vector<unwind_page> placed_pages(const UnwindTable& table, std::uint64_t base, std::uint64_t& total);
// The most bytes that so many rows can need, with all gaps.
[[nodiscard]] std::uint64_t most_row_bytes(std::size_t rows);

class WalkTables {
 public:
  // `object` must be loaded and have the walk, and must outlive this object.
  explicit WalkTables(bpf_object& object);

  // Who owns a file, as CodeFile::owner(), and its CodeFile::number, if it has one.
  struct Of {
    std::uint64_t owner = 0;
    FileNumber number = FileNumber::none;
  };
  enum class Added : std::uint8_t {
    added,
    other_machine,  // the table is for another machine type
    no_room         // for this owner, or at all
  };
  // From now on walks use this table. When the owner has too many files, those of his files are forgotten that walks
  // have met least.
  // `layout`: of the interpreter in the file, or null. It is used while there is room for it.
  Added add(const walk_file_key& key, const UnwindTable& table, const script_layout* layout, const Of& of);
  // Records that the file has no table: walks do not ask for it.
  void refuse(const walk_file_key& key, const Of& of);
  // From now on walks find the file with that number in memory of the process, too, where address - `bias` is the
  // offset. At most WALK_MOST_COPIES are known at a time. False: nothing is known of the file yet, or there is no room.
  bool set_copy(const walk_copy_key& place, std::uint64_t bias, FileNumber number);
  void forget_copy(const walk_copy_key& place);
  // Forgets the files: the next walk that meets one asks for it again.
  void forget(const std::vector<walk_file_key>& keys);
  void forget(const walk_file_key& key) { forget(std::vector{key}); }
  // The key under which the file with that number has a table or was refused; null: there is none.
  [[nodiscard]] const walk_file_key* key_of(FileNumber number) const;
  // What walks know of the file with that number, without a system call. walk_file::met is not kept.
  [[nodiscard]] walk_file of(FileNumber number) const;
  // Of an interpreter, by walk_file::layout; SCRIPT_NONE: there is none.
  // Those of all layouts, each once.
  [[nodiscard]] std::vector<script_language> languages() const;
  [[nodiscard]] script_language language_of(std::uint32_t layout) const {
    return layout < layouts_.size() ? layouts_[layout] : SCRIPT_NONE;
  }
  // Its state is WALK_FILE_ASKED when nothing is known of the file, or nothing yet.
  [[nodiscard]] walk_file find(const walk_file_key& key) const;
  // Returns WALK_SLAB_BYTES bytes of the space of tables, valid until the next call of any function here; null: there
  // is no such slab. Throws Error when it cannot be mapped.
  [[nodiscard]] const char* slab(std::uint32_t number);
  // Takes the slabs out of this process's memory. The BPF programs do not need them there.
  void unmap();
  // How often walks have looked the file up; 0 when it is not known.
  [[nodiscard]] std::uint32_t met(const walk_file_key& key) const;
  // Forgets the files, with a table or without, that no walk has looked up since the last call.
  void forget_unmet();

  // Call it when the stacks sent in that generation have been cleared.
  void note_drained(std::uint32_t generation) { state_->sent[generation] = 0; }

 private:
  struct Slab {
    Fd fd;                                // not open: there is no such slab
    std::unique_ptr<SharedArray> memory;  // null: not mapped
  };
  struct Placed {
    std::uint32_t at = 0;
    std::uint64_t size = 0;
    std::uint32_t met = 0;  // walk_file::met at the last forget_unmet()
    Of of;
    walk_file file{};
  };
  using AllPlaced = std::map<walk_file_key, Placed, WalkFileOrder>;

  // Makes the missing slabs for `size` bytes from `at` on. False when the kernel refuses one, or the space ends.
  bool make_slabs(std::uint32_t at, std::uint64_t size);
  void write(std::uint32_t at, const void* from, std::size_t size);
  // Returns the memory of a slab that exists, valid until the next call.
  char* map(std::uint32_t number);
  void set(const walk_file_key& key, const walk_file& file, const Placed& placed);
  // Forgets it, except that its range is still in use. Returns what follows it.
  AllPlaced::iterator remove(AllPlaced::iterator file, std::vector<Placed>& ranges);
  void make_room_for(std::uint64_t owner);
  // Waits until no walk uses the ranges, and then frees them.
  void give_back(const std::vector<Placed>& ranges);
  void drop_slabs(std::uint32_t at, std::uint64_t size);
  // The index of the layout, or 0.
  std::uint32_t put(const script_layout* layout);

  int files_fd_;
  int copies_fd_;
  int slabs_fd_;
  int layouts_fd_;                        // below 0: no languages are wanted
  std::vector<script_language> layouts_;  // by index in `script_layouts`, whose first is never used
  SharedValues<walk_state> state_;
  std::vector<Slab> slabs_;            // by number
  MapSetter setter_;                   // of slabs; behind them, because it uses their descriptors until its end
  std::vector<std::uint32_t> mapped_;  // numbers of those that are mapped
  ByteRanges ranges_;
  AllPlaced placed_;
  std::unordered_map<FileNumber, walk_file_key> keys_;  // by number
  Shares shares_of_space_;                              // in bytes
  Shares shares_of_files_;
  ProgramBarrier barrier_;
};

}  // namespace profile
