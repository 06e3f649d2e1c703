#include "process/process_images.h"

#include <algorithm>
#include <utility>

namespace profile {
namespace {

// A process may begin images without end, by dlopen in a loop. This is how many of them are kept apart.
constexpr std::size_t most_images = 1024;
// Each image has a table of its own, so a large table leaves room for few images: two megabytes for one process, unless
// its newest table alone is larger.
constexpr std::size_t most_kept_mappings = 65536;
// See unfollowed().
constexpr std::uint32_t most_unfollowed = 16;
constexpr std::size_t most_followed_table = 1024;
constexpr std::uint64_t huge_page_bytes = 2 << 20;
// Of one process, which copies its own code and perhaps that of some libraries.
constexpr std::size_t most_copies = 16;

MappingTable& writable(ProcessImage& image) {
  if (image.table.use_count() > 1) image.table = std::make_shared<MappingTable>(*image.table);
  return *image.table;
}

// Some programs copy their own text into huge pages: they map anonymous, aligned memory over it. The code stays the
// same.
bool is_huge_copy(const MappingTable& table, const Mapping& mapping) {
  if (mapping.kind != CodeKind::anonymous || (mapping.start | mapping.end) % huge_page_bytes != 0) return false;
  const Mapping* there = table.find(mapping.start);
  return there != nullptr && there->kind == CodeKind::file && there->end >= mapping.end;
}

// Whether the table has this code at its place already. It is not asked which file object it is, because that costs
// system calls.
bool is_known(const MappingTable& table, const MapsEntry& entry, CodeKind kind, CodeFiles& files) {
  const Mapping anonymous{.start = entry.start, .end = entry.end, .kind = CodeKind::anonymous};
  if (kind == CodeKind::anonymous && is_huge_copy(table, anonymous)) return true;
  const Mapping* const there = table.find(entry.start);
  if (there == nullptr || there->end < entry.end || there->kind != kind) return false;
  return kind != CodeKind::file ||
         (files.at(there->file).identity == entry.file && there->start - there->offset == entry.start - entry.offset);
}

}  // namespace

CodeLocation ProcessImage::locate(RuntimeAddress address, CodeFiles& files) const {
  CodeLocation location;
  const Mapping* mapping = table->find(address.value);
  if (mapping == nullptr) {
    if (table->complete) location.kind = CodeLocation::Kind::nowhere;
    return location;
  }
  location.offset.value = address.value - mapping->start + mapping->offset;
  switch (mapping->kind) {
    case CodeKind::file:
      location.kind = CodeLocation::Kind::file;
      location.file = &files.at(mapping->file);
      break;
    case CodeKind::vdso:
      location.kind = CodeLocation::Kind::vdso;
      break;
    case CodeKind::unfollowed:
      location.kind = CodeLocation::Kind::unfollowed;
      break;
    case CodeKind::memory_file:  // none is left in a table
    case CodeKind::anonymous:
    case CodeKind::none:
      location.kind = CodeLocation::Kind::jit;
      break;
  }
  return location;
}

std::vector<MappedFile> ProcessImage::files_of(CodeFiles& files) const {
  std::vector<MappedFile> mapped;
  for (const Mapping& mapping : table->mappings()) {
    if (mapping.kind != CodeKind::file) continue;
    mapped.push_back({.start = RuntimeAddress{mapping.start}, .file = &files.at(mapping.file)});
  }
  return mapped;
}

CodeFile* ProcessImage::jit_dump_of(CodeFiles& files) const {
  // A run-time that forks begins another jitdump, so take the newest.
  CodeFile* last = nullptr;
  for (const Mapping& mapping : table->mappings()) {
    if (mapping.kind != CodeKind::file) continue;
    CodeFile& file = files.at(mapping.file);
    if (is_jit_dump(file.path) && (last == nullptr || file.number > last->number)) last = &file;
  }
  return last;
}

std::shared_ptr<MappingTable> ProcessImages::unread_table() {
  auto table = std::make_shared<MappingTable>();
  table->complete = false;
  return table;
}

const ProcessImage* ProcessImages::find(std::uint32_t number) const {
  if (images_.empty() || number > images_.back().number) return nullptr;
  const auto behind = std::ranges::upper_bound(images_, number, {}, &ProcessImage::number);
  return behind == images_.begin() ? nullptr : &*std::prev(behind);
}

const ProcessImage* ProcessImages::at(std::uint64_t time_ns) const {
  const auto behind = std::ranges::upper_bound(images_, time_ns, {}, &ProcessImage::start_ns);
  return behind == images_.begin() ? nullptr : &*std::prev(behind);
}

const ProcessImage* ProcessImages::begin_of_program(const ProcessImage* image) const {
  while (image != images_.data() && !image->begins_program) --image;
  return image;
}

ProgramLife ProcessImages::life_of(std::uint32_t number, std::uint64_t exit_ns) const {
  const ProcessImage* const found = find(number);
  if (found == nullptr) return {};
  const ProcessImage* const end = images_.data() + images_.size();
  const auto* const next = std::find_if(found + 1, end, [](const ProcessImage& later) { return later.begins_program; });
  return {.began_ns = begin_of_program(found)->start_ns, .ended_ns = next != end ? next->start_ns : exit_ns};
}

bool ProcessImages::is_of_replaced_program(std::uint32_t number, RuntimeAddress address) const {
  const ProcessImage* const found = find(number);
  if (found == nullptr || found->table->find(address.value) != nullptr) return false;
  const ProcessImage* const first = begin_of_program(found);
  return first != images_.data() && std::prev(first)->table->find(address.value) != nullptr;
}

std::size_t ProcessImages::mapping_count() const {
  std::size_t count = 0;
  for (const ProcessImage& image : images_) count += image.table->mappings().size();
  return count;
}

// Joins the oldest `count` images into one, because most samples of a run may come from that time. It keeps the
// mappings that are true in all images of one program; a table that was not read yet contradicts a mapping only where
// it has another one.
void ProcessImages::join(std::size_t count) {
  const auto end = images_.begin() + static_cast<std::ptrdiff_t>(count);
  auto first = std::prev(end);
  while (first != images_.begin() && !first->begins_program) --first;
  if (end - first <= first - images_.begin()) {
    images_.erase(images_.begin(), first);  // it runs programs without end
    return;
  }
  auto common = unread_table();
  for (const Mapping& mapping : std::prev(end)->table->mappings()) {
    const bool is_common = std::all_of(first, end, [&](const ProcessImage& image) {
      return image.table->complete ? image.table->covers(mapping) : image.table->agrees(mapping);
    });
    if (is_common) common->put(mapping);
  }
  first->table = std::move(common);
  first->comm = std::prev(end)->comm;
  first->command_line = std::prev(end)->command_line;
  first->told_as = std::prev(end)->number + 1;  // no image has it: see begin()
  images_.erase(std::next(first), end);
}

// Makes room for one more image.
void ProcessImages::join_where_many() {
  while (images_.size() >= most_images || (kept_mappings_ > most_kept_mappings && images_.size() > 1)) {
    join(std::max<std::size_t>(images_.size() / 2, 2));
    kept_mappings_ = mapping_count();
  }
}

ProcessImage& ProcessImages::begin(std::uint64_t start_ns, std::shared_ptr<MappingTable> table, const CommName& comm,
                                   std::uint32_t first_number) {
  // Every other number is left for images that are joined.
  const std::uint32_t number = images_.empty() ? first_number : images_.back().number + 2;
  kept_mappings_ += table->mappings().size();
  join_where_many();
  if (!images_.empty()) start_ns = std::max(start_ns, images_.back().start_ns);
  auto command_line = images_.empty() ? std::make_shared<std::string>() : images_.back().command_line;
  return images_.emplace_back(ProcessImage{.start_ns = start_ns,
                                           .table = std::move(table),
                                           .number = number,
                                           .told_as = number,
                                           .comm = comm,
                                           .command_line = std::move(command_line)});
}

ProcessImage& ProcessImages::begin_next(std::uint64_t start_ns, std::shared_ptr<MappingTable> table) {
  return begin(start_ns, std::move(table), CommName(newest().comm), 0);
}

bool ProcessImages::add(std::uint64_t time_ns, const Mapping& mapping) {
  ProcessImage& image = newest();
  if (image.table->covers(mapping) || is_huge_copy(*image.table, mapping)) return false;
  if (image.table->agrees(mapping)) {
    writable(image).put(mapping);
    return false;
  }
  // New code lies over other code. The old mapping stays true for the samples so far.
  auto table = std::make_shared<MappingTable>(*image.table);
  table->put(mapping);
  begin_next(time_ns, std::move(table));
  return true;
}

// What a record told as memory without a file is known better now. The image has begun with that record, so it is right
// from its beginning on.
void ProcessImages::put_copies(std::span<const Mapping> read) {
  std::vector<Mapping> copies;
  for (const Mapping& mapping : read) {
    if (is_copy_told_as_plain(*newest().table, mapping)) copies.push_back(mapping);
  }
  if (!copies.empty()) writable(newest()).put_all(copies);
}

// At most two images begin, however much of the code is other code. Otherwise a process with thousands of mappings,
// read ten times a second, would fill a gigabyte.
bool ProcessImages::add_read(std::uint64_t since_ns, std::uint64_t read_ns, std::vector<Mapping> read) {
  // The maps of a process that changes them meanwhile may show a place twice.
  std::ranges::stable_sort(read, {}, &Mapping::start);
  const auto is_unfollowed = [](const Mapping& mapping) { return mapping.kind == CodeKind::unfollowed; };
  put_copies(read);
  const MappingTable& known = *newest().table;
  std::vector<Mapping> added;
  std::vector<Mapping> replaced;
  std::uint64_t end = 0;
  for (const Mapping& mapping : read) {
    if (mapping.start < end || known.covers(mapping) || is_huge_copy(known, mapping)) continue;
    end = mapping.end;
    added.push_back(mapping);
    const Mapping unknown{.start = mapping.start, .end = mapping.end, .kind = CodeKind::unfollowed};
    if (!known.agrees(mapping) && !known.covers(unknown)) replaced.push_back(unknown);
  }
  const bool any_unfollowed = std::ranges::any_of(known.mappings(), is_unfollowed);
  if (replaced.empty() && !any_unfollowed) {
    if (!added.empty()) writable(newest()).put_all(added);
    return false;
  }
  auto table = std::make_shared<MappingTable>(known);
  if (!replaced.empty()) {
    auto between = std::make_shared<MappingTable>(known);
    between->put_all(replaced);
    begin_next(since_ns, std::move(between));
  }
  table->remove(is_unfollowed);
  table->put_all(added);
  begin_next(std::max(since_ns, read_ns), std::move(table));
  return true;
}

void ProcessImages::complete(std::span<const Mapping> read) {
  MappingTable& table = *newest().table;
  for (const Mapping& mapping : read) {
    if (table.agrees(mapping) || is_copy_told_as_plain(table, mapping)) table.put(mapping);
  }
  table.complete = true;
  table.shrink();
}

// Each image that begins has a table of its own, so a process that changes many places, or has a large table, is wholly
// unknown after a while.
std::optional<Mapping> ProcessImages::unfollowed(const MapsEntry& entry, CodeFiles& files) {
  const CodeKind kind = code_kind(entry.path, entry.file);
  const MappingTable& known = *newest().table;
  Mapping unknown{.start = entry.start, .end = entry.end, .kind = CodeKind::unfollowed};
  if (kind == CodeKind::none || known.covers(unknown) || is_known(known, entry, kind, files)) return std::nullopt;
  const bool is_whole = ++unfollowed_ > most_unfollowed || known.mappings().size() > most_followed_table;
  if (is_whole) {
    unknown.start = 0;
    unknown.end = UINT64_MAX;
  }
  return unknown;
}

// An image ends where the next one begins.
void ProcessImages::forget_before(std::uint64_t time_ns) {
  const auto kept = std::ranges::upper_bound(images_, time_ns, {}, &ProcessImage::start_ns);
  if (kept - images_.begin() > 1) images_.erase(images_.begin(), std::prev(kept));
}

bool ProcessImages::add_copy(const CodeCopy& copy) {
  if (is_copy(copy.start, copy.end) || copies_.size() >= most_copies) return false;
  copies_.push_back(copy);
  return true;
}

bool ProcessImages::is_copy(std::uint64_t start, std::uint64_t end) const {
  return std::ranges::any_of(copies_, [=](const CodeCopy& copy) { return copy.start == start && copy.end == end; });
}

bool ProcessImages::is_copy_told_as_plain(const MappingTable& table, const Mapping& mapping) const {
  const Mapping* const there = table.find(mapping.start);
  return there != nullptr && there->kind == CodeKind::anonymous && there->start == mapping.start &&
         there->end == mapping.end && is_copy(mapping.start, mapping.end);
}

}  // namespace profile
