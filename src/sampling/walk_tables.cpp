#include "sampling/walk_tables.h"

#include <bpf/bpf.h>
#include <elf.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <tuple>
#include <utility>

namespace profile {
namespace {

#ifdef __aarch64__
constexpr std::uint16_t own_machine = EM_AARCH64;
#else
constexpr std::uint16_t own_machine = EM_X86_64;
#endif

// At most so many slabs are mapped at a time, because what is mapped counts as memory of this process.
constexpr std::size_t most_mapped = 64;

constexpr std::uint64_t space_bytes = std::uint64_t{WALK_MOST_SLABS} * WALK_SLAB_BYTES;

// The rows of one page must not cross the border of a slab.
constexpr std::uint32_t rows_of_slab = WALK_SLAB_BYTES / sizeof(std::uint32_t);

constexpr std::uint32_t row_count(const unwind_page& page) { return page.rows_and_code >> UNWIND_CODE_BITS; }

}  // namespace

std::vector<unwind_page> placed_pages(const UnwindTable& table, std::uint64_t base, std::uint64_t& total) {
  std::vector<unwind_page> pages = table.pages;
  std::uint64_t shift = 0;
  for (unwind_page& page : pages) {
    const std::uint64_t first = base + page.first_row + shift;
    const std::uint64_t in_slab = first % rows_of_slab;
    if (row_count(page) != 0 && in_slab + row_count(page) > rows_of_slab) shift += rows_of_slab - in_slab;
    page.first_row = static_cast<std::uint32_t>(base + page.first_row + shift);
  }
  total = table.rows.size() + shift;
  return pages;
}

std::uint64_t most_row_bytes(std::size_t rows) {
  // A gap is shorter than the rows of a page. Two more gaps, because the rows may begin and end anywhere in a slab.
  constexpr std::uint64_t largest_gap = UNWIND_MOST_IN_PAGE - 1;
  const std::uint64_t gaps = rows / (rows_of_slab - largest_gap) + 2;
  return (rows + gaps * largest_gap) * sizeof(std::uint32_t);
}

std::strong_ordering WalkFileOrder::compare(const walk_file_key& one, const walk_file_key& other) {
  return std::tuple(one.inode, one.device, one.version) <=> std::tuple(other.inode, other.device, other.version);
}

WalkTables::WalkTables(bpf_object& object)
    : files_fd_(bpf_map_fd(object, "walk_files")),
      copies_fd_(bpf_map_fd(object, "walk_copies")),
      slabs_fd_(bpf_map_fd(object, "slabs")),
      layouts_fd_(bpf_map_fd(object, "script_layouts")),
      layouts_(SCRIPT_MOST_LAYOUTS, SCRIPT_NONE),
      state_(bpf_map_fd(object, ".data.walk")),
      slabs_(WALK_MOST_SLABS),
      setter_(slabs_fd_),
      ranges_(space_bytes),
      shares_of_space_(space_bytes),
      shares_of_files_(bpf_map__max_entries(&bpf_map_named(object, "walk_files"))) {}

WalkTables::Added WalkTables::add(const walk_file_key& key, const UnwindTable& table, const script_layout* layout,
                                  const Of& of) {
  if (table.elf_machine != own_machine) return Added::other_machine;
  if (placed_.contains(key)) forget(key);
  // Rules (16 bytes) and pages (8 bytes) come first, so that none of them crosses the border of a slab. Then come the
  // rows, with room for the gaps.
  const std::uint64_t rules = table.rules.size() * sizeof(unwind_rule);
  const std::uint64_t pages = table.pages.size() * sizeof(unwind_page);
  const std::uint64_t size = rules + pages + most_row_bytes(table.rows.size());
  if (!shares_of_space_.may_take(of.owner, size)) return Added::no_room;
  const auto at = ranges_.take(size);
  if (!at) return Added::no_room;
  if (!make_slabs(*at, size)) {
    ranges_.give(*at, size);
    return Added::no_room;
  }
  const auto pages_at = static_cast<std::uint32_t>(*at + rules);
  const std::uint64_t base = (pages_at + pages) / sizeof(std::uint32_t);
  std::uint64_t total = 0;
  const std::vector<unwind_page> placed = placed_pages(table, base, total);
  write(*at, table.rules.data(), rules);
  write(pages_at, placed.data(), pages);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    write(placed[i].first_row * static_cast<std::uint32_t>(sizeof(std::uint32_t)),
          table.rows.data() + table.pages[i].first_row, row_count(placed[i]) * sizeof(std::uint32_t));
  }
  unmap();
  // Gives back the room for gaps that are not needed.
  const std::uint64_t needed = rules + pages + total * sizeof(std::uint32_t);
  const std::uint64_t kept = ByteRanges::whole_units(needed);
  if (kept < size) ranges_.give(static_cast<std::uint32_t>(*at + kept), size - kept);
  set(key,
      {.state = WALK_FILE_READY,
       .first_page = table.first_page,
       .pages = static_cast<__u32>(table.pages.size()),
       .pages_at = pages_at,
       .rules_at = *at,
       .layout = put(layout),
       .met = 0},
      {.at = *at, .size = kept, .met = 0, .of = of});
  return Added::added;
}

void WalkTables::refuse(const walk_file_key& key, const Of& of) {
  if (placed_.contains(key)) forget(key);
  set(key, {.state = WALK_FILE_NONE, .first_page = 0, .pages = 0, .pages_at = 0, .rules_at = 0, .layout = 0, .met = 0},
      {.at = 0, .size = 0, .met = 0, .of = of});
}

bool WalkTables::set_copy(const walk_copy_key& place, std::uint64_t bias, FileNumber number) {
  const walk_file_key* const file = key_of(number);
  if (file == nullptr) return false;
  const walk_copy copy{.file = *file, .bias = bias};
  if (bpf_map_update_elem(copies_fd_, &place, &copy, BPF_ANY) != 0) return false;
  // The BPF programs may remember that nothing is known of this memory.
  std::atomic_ref(state_->mappings_version).fetch_add(1, std::memory_order_seq_cst);
  return true;
}

void WalkTables::forget_copy(const walk_copy_key& place) {
  if (bpf_map_delete_elem(copies_fd_, &place) != 0) return;  // walks were not told of it
  std::atomic_ref(state_->mappings_version).fetch_add(1, std::memory_order_seq_cst);
}

// When the map is full, the file counts as forgotten.
void WalkTables::set(const walk_file_key& key, const walk_file& file, const Placed& placed) {
  make_room_for(placed.of.owner);
  // A walk in user space may have asked under another key before a walk in the kernel has met the file.
  if (const walk_file_key* const before = key_of(placed.of.number)) forget(walk_file_key(*before));
  placed_[key] = placed;
  placed_[key].file = file;
  if (placed.of.number != FileNumber::none) keys_[placed.of.number] = key;
  shares_of_space_.take(placed.of.owner, placed.size);
  shares_of_files_.take(placed.of.owner, 1);
  bpf_map_update_elem(files_fd_, &key, &file, BPF_ANY);
}

WalkTables::AllPlaced::iterator WalkTables::remove(AllPlaced::iterator file, std::vector<Placed>& ranges) {
  bpf_map_delete_elem(files_fd_, &file->first);
  const Placed& placed = file->second;
  const auto known = keys_.find(placed.of.number);
  if (known != keys_.end() && std::is_eq(WalkFileOrder::compare(known->second, file->first))) keys_.erase(known);
  shares_of_space_.give(placed.of.owner, placed.size);
  shares_of_files_.give(placed.of.owner, 1);
  ranges.push_back(placed);
  return placed_.erase(file);
}

// Makes room for an eighth of the owner's files, so that this is seldom done.
void WalkTables::make_room_for(std::uint64_t owner) {
  if (shares_of_files_.may_take(owner, 1)) return;
  std::vector<std::pair<std::uint32_t, walk_file_key>> by_met;
  for (const auto& [key, placed] : placed_) {
    if (placed.of.owner == owner) by_met.emplace_back(met(key) - placed.met, key);
  }
  const auto end = by_met.begin() + static_cast<std::ptrdiff_t>((by_met.size() + 7) / 8);
  std::ranges::partial_sort(by_met, end, {}, [](const auto& file) { return file.first; });
  std::vector<walk_file_key> least;
  for (auto file = by_met.begin(); file != end; ++file) least.push_back(file->second);
  forget(least);
}

void WalkTables::forget(const std::vector<walk_file_key>& keys) {
  std::vector<Placed> ranges;
  for (const walk_file_key& key : keys) {
    if (const auto file = placed_.find(key); file != placed_.end()) {
      remove(file, ranges);
    } else {
      bpf_map_delete_elem(files_fd_, &key);
    }
  }
  give_back(ranges);
}

const walk_file_key* WalkTables::key_of(FileNumber number) const {
  const auto known = keys_.find(number);
  return known != keys_.end() ? &known->second : nullptr;
}

walk_file WalkTables::find(const walk_file_key& key) const {
  walk_file file{};
  static_assert(WALK_FILE_ASKED == 0);
  return bpf_map_lookup_elem(files_fd_, &key, &file) == 0 ? file : walk_file{};
}

walk_file WalkTables::of(FileNumber number) const {
  const walk_file_key* const key = key_of(number);
  const auto file = key != nullptr ? placed_.find(*key) : placed_.end();
  return file != placed_.end() ? file->second.file : walk_file{};
}

std::uint32_t WalkTables::met(const walk_file_key& key) const { return find(key).met; }

const char* WalkTables::slab(std::uint32_t number) {
  return number < slabs_.size() && slabs_[number].fd ? map(number) : nullptr;
}

char* WalkTables::map(std::uint32_t number) {
  Slab& slab = slabs_[number];
  if (!slab.memory) {
    if (mapped_.size() >= most_mapped) unmap();
    slab.memory = std::make_unique<SharedArray>(slab.fd.get(), WALK_SLAB_BYTES);
    mapped_.push_back(number);
  }
  return static_cast<char*>(slab.memory->data());
}

void WalkTables::unmap() {
  for (const std::uint32_t number : mapped_) slabs_[number].memory.reset();
  mapped_.clear();
}

void WalkTables::forget_unmet() {
  std::vector<Placed> ranges;
  for (auto file = placed_.begin(); file != placed_.end();) {
    const std::uint32_t now = met(file->first);
    if (now != file->second.met) {
      file->second.met = now;
      ++file;
      continue;
    }
    file = remove(file, ranges);
  }
  // The BPF programs keep mappings from one sample to the next. A new version makes them look files up again, so that
  // these count as met.
  std::atomic_ref(state_->mappings_version).fetch_add(1, std::memory_order_seq_cst);
  give_back(ranges);
}

void WalkTables::give_back(const std::vector<Placed>& ranges) {
  if (ranges.empty()) return;
  std::atomic_ref(state_->mappings_version).fetch_add(1, std::memory_order_seq_cst);
  const auto has_table = [](const Placed& range) { return range.size != 0; };
  if (std::ranges::none_of(ranges, has_table)) return;
  barrier_.wait();
  for (const Placed& range : ranges) {
    if (!has_table(range)) continue;
    ranges_.give(range.at, range.size);
    drop_slabs(range.at, range.size);
    layouts_[range.file.layout] = SCRIPT_NONE;
  }
}

std::vector<script_language> WalkTables::languages() const {
  std::set<script_language> all(layouts_.begin(), layouts_.end());
  all.erase(SCRIPT_NONE);
  return {all.begin(), all.end()};
}

std::uint32_t WalkTables::put(const script_layout* layout) {
  if (layout == nullptr || layouts_fd_ < 0) return 0;
  const auto free = std::find(layouts_.begin() + 1, layouts_.end(), SCRIPT_NONE);
  const auto index = static_cast<__u32>(free - layouts_.begin());
  if (free == layouts_.end() || bpf_map_update_elem(layouts_fd_, &index, layout, BPF_ANY) != 0) return 0;
  *free = static_cast<script_language>(layout->language);
  return index;
}

bool WalkTables::make_slabs(std::uint32_t at, std::uint64_t size) {
  std::vector<__u32> numbers;
  std::vector<Fd> made;
  for (std::uint64_t slab = at / WALK_SLAB_BYTES; slab <= (at + size - 1) / WALK_SLAB_BYTES; ++slab) {
    if (slab >= slabs_.size()) return false;
    if (slabs_[slab].fd) continue;
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
    made.emplace_back(bpf_map_create(BPF_MAP_TYPE_ARRAY, "slab", sizeof(__u32), WALK_SLAB_BYTES, 1, &options));
    if (!made.back()) return false;
    numbers.push_back(static_cast<__u32>(slab));
  }
  std::vector<int> values;
  values.reserve(made.size());
  for (const Fd& fd : made) values.push_back(fd.get());
  const std::size_t set = setter_.set(numbers, values);
  for (std::size_t i = 0; i < set; ++i) slabs_[numbers[i]].fd = std::move(made[i]);
  return set == numbers.size();
}

void WalkTables::drop_slabs(std::uint32_t at, std::uint64_t size) {
  for (std::uint64_t slab = at / WALK_SLAB_BYTES; slab <= (at + size - 1) / WALK_SLAB_BYTES; ++slab) {
    if (!slabs_[slab].fd || !ranges_.is_free(slab * WALK_SLAB_BYTES, WALK_SLAB_BYTES)) continue;
    const auto number = static_cast<__u32>(slab);
    bpf_map_delete_elem(slabs_fd_, &number);
    slabs_[slab] = {};
  }
}

void WalkTables::write(std::uint32_t at, const void* from, std::size_t size) {
  const auto* bytes = static_cast<const char*>(from);
  while (size != 0) {
    const std::uint32_t in_slab = at % WALK_SLAB_BYTES;
    const std::size_t now = std::min<std::size_t>(size, WALK_SLAB_BYTES - in_slab);
    std::memcpy(map(at / WALK_SLAB_BYTES) + in_slab, bytes, now);
    at += static_cast<std::uint32_t>(now);
    bytes += now;
    size -= now;
  }
}

}  // namespace profile
