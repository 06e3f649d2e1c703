// The images of a process: a new one begins where code lies over other code, and old ones are joined, so that a process
// that does it without end stays small.
#include <algorithm>
#include <utility>

#include "process/process_table.h"

namespace profile {
namespace {

// A process may begin images without end, by dlopen in a loop. This is how many of them are kept apart.
constexpr std::size_t most_images = 1024;
// Each image has a table of its own, so a large table leaves room for few images: two megabytes for one process, unless
// its newest table alone is larger.
constexpr std::size_t most_kept_mappings = 65536;
// See note_unfollowed().
constexpr std::uint32_t most_unfollowed = 16;
constexpr std::size_t most_followed_table = 1024;
constexpr std::uint64_t huge_page_bytes = 2 << 20;
// To begin an image with a large table, and to join those before it, costs as much as to follow so many mappings for
// each multiple of this size.
constexpr std::size_t large_table = 4096;
constexpr std::uint64_t as_many_as_large_table = 64;

// Some programs copy their own text into huge pages: they map anonymous, aligned memory over it. The code stays the
// same.
bool is_huge_copy(const MappingTable& table, const Mapping& mapping) {
  if (mapping.kind != CodeKind::anonymous || (mapping.start | mapping.end) % huge_page_bytes != 0) return false;
  const Mapping* there = table.find(mapping.start);
  return there != nullptr && there->kind == CodeKind::file && there->end >= mapping.end;
}

}  // namespace

MappingTable& ProcessTable::writable(Image& image) {
  if (image.table.use_count() > 1) image.table = std::make_shared<MappingTable>(*image.table);
  return *image.table;
}

std::shared_ptr<MappingTable> ProcessTable::unread_table() {
  auto table = std::make_shared<MappingTable>();
  table->complete = false;
  return table;
}

// Joins the oldest `count` images into one, because most samples of a run may come from that time. It keeps the
// mappings that are true in all images of one program; a table that was not read yet contradicts a mapping only where
// it has another one.
void ProcessTable::join(std::vector<Image>& images, std::size_t count) {
  const auto end = images.begin() + static_cast<std::ptrdiff_t>(count);
  auto first = std::prev(end);
  while (first != images.begin() && !first->begins_program) --first;
  if (end - first <= first - images.begin()) {
    images.erase(images.begin(), first);  // it runs programs without end
    return;
  }
  auto common = unread_table();
  for (const Mapping& mapping : std::prev(end)->table->mappings()) {
    const bool is_common = std::all_of(first, end, [&](const Image& image) {
      return image.table->complete ? image.table->covers(mapping) : image.table->agrees(mapping);
    });
    if (is_common) common->put(mapping);
  }
  first->table = std::move(common);
  first->name = std::prev(end)->name;
  first->command_line = std::prev(end)->command_line;
  first->told_as = std::prev(end)->number + 1;  // no image has it: see begin_image()
  images.erase(std::next(first), end);
}

// Makes room for one more image.
void ProcessTable::join_where_many(Process& process) {
  auto& images = process.images;
  while (images.size() >= most_images || (process.kept_mappings > most_kept_mappings && images.size() > 1)) {
    join(images, std::max<std::size_t>(images.size() / 2, 2));
    process.kept_mappings = 0;
    for (const Image& image : images) process.kept_mappings += image.table->mappings().size();
  }
}

ProcessTable::Image& ProcessTable::begin_image(Process& process, std::uint64_t start_ns,
                                               std::shared_ptr<MappingTable> table, const Name& name) {
  auto& images = process.images;
  // Every other number is left for images that are joined.
  const std::uint32_t number = images.empty() ? highest_forgotten_ + 1 : images.back().number + 2;
  if (images.empty()) ++begun_;
  process.kept_mappings += table->mappings().size();
  join_where_many(process);
  if (!images.empty()) start_ns = std::max(start_ns, images.back().start_ns);
  auto command_line = images.empty() ? std::make_shared<std::string>() : images.back().command_line;
  process.exit_ns = 0;
  ++process.maps_count;
  may_be_unmapped_ = true;
  return images.emplace_back(Image{.start_ns = start_ns,
                                   .table = std::move(table),
                                   .number = number,
                                   .told_as = number,
                                   .name = name,
                                   .command_line = std::move(command_line)});
}

ProcessTable::Image& ProcessTable::begin_program(Process& process, std::uint64_t start_ns,
                                                 std::shared_ptr<MappingTable> table, const Name& name) {
  Image& image = begin_image(process, start_ns, std::move(table), name);
  image.begins_program = true;
  image.command_line = std::make_shared<std::string>();
  return image;
}

void ProcessTable::add_mapping(Process& process, std::uint64_t time_ns, const Mapping& mapping) {
  Image& image = process.images.back();
  if (image.table->covers(mapping) || is_huge_copy(*image.table, mapping)) return;
  if (image.table->agrees(mapping)) {
    writable(image).put(mapping);
    return;
  }
  // New code lies over other code. The old mapping stays true for the samples so far.
  auto table = std::make_shared<MappingTable>(*image.table);
  process.mapped_until_ns += ns_per_mapping * as_many_as_large_table * (table->mappings().size() / large_table);
  table->put(mapping);
  begin_image(process, time_ns, std::move(table), Name(image.name));
}

// What a record told as memory without a file is known better now. The image has begun with that record, so it is right
// from its beginning on.
void ProcessTable::put_copies(Process& process, std::span<const Mapping> read) {
  Image& image = process.images.back();
  std::vector<Mapping> copies;
  for (const Mapping& mapping : read) {
    if (is_copy_told_as_plain(process, *image.table, mapping)) copies.push_back(mapping);
  }
  if (!copies.empty()) writable(image).put_all(copies);
}

// At most two images begin, however much of the code is other code. Otherwise a process with thousands of mappings,
// read ten times a second, would fill a gigabyte.
void ProcessTable::add_mappings(Process& process, std::uint64_t since_ns, std::uint64_t read_ns,
                                std::vector<Mapping> read) {
  // The maps of a process that changes them meanwhile may show a place twice.
  std::ranges::stable_sort(read, {}, &Mapping::start);
  const auto is_unfollowed = [](const Mapping& mapping) { return mapping.kind == CodeKind::unfollowed; };
  Image& image = process.images.back();
  put_copies(process, read);
  const MappingTable& known = *image.table;
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
    if (!added.empty()) writable(image).put_all(added);
    return;
  }
  const Name name = image.name;
  auto table = std::make_shared<MappingTable>(known);
  if (!replaced.empty()) {
    auto between = std::make_shared<MappingTable>(known);
    between->put_all(replaced);
    begin_image(process, since_ns, std::move(between), name);
  }
  table->remove(is_unfollowed);
  table->put_all(added);
  begin_image(process, std::max(since_ns, read_ns), std::move(table), name);
}

// Whether the table has this code at its place already. It is not asked which file object it is, because that costs
// system calls.
bool ProcessTable::is_known(const MappingTable& table, const MapsEntry& entry, CodeKind kind) const {
  const Mapping anonymous{.start = entry.start, .end = entry.end, .kind = CodeKind::anonymous};
  if (kind == CodeKind::anonymous && is_huge_copy(table, anonymous)) return true;
  const Mapping* const there = table.find(entry.start);
  if (there == nullptr || there->end < entry.end || there->kind != kind) return false;
  return kind != CodeKind::file ||
         (files_.at(there->file).identity == entry.file && there->start - there->offset == entry.start - entry.offset);
}

// Makes the place unknown. Each image that begins has a table of its own, so a process that changes many places, or has
// a large table, is wholly unknown after a while.
void ProcessTable::note_unfollowed(Process& process, std::uint64_t time_ns, const MapsEntry& entry) {
  const CodeKind kind = code_kind(entry.path, entry.file);
  const MappingTable& known = *process.images.back().table;
  Mapping unknown{.start = entry.start, .end = entry.end, .kind = CodeKind::unfollowed};
  if (kind == CodeKind::none || known.covers(unknown) || is_known(known, entry, kind)) return;
  const bool is_whole = ++process.unfollowed > most_unfollowed || known.mappings().size() > most_followed_table;
  if (is_whole) {
    unknown.start = 0;
    unknown.end = UINT64_MAX;
  }
  add_mapping(process, time_ns, unknown);
}

std::size_t ProcessTable::kept_mappings() const {
  std::size_t count = 0;
  for (const auto& [tgid, process] : processes_) {
    for (const Image& image : process.images) count += image.table->mappings().size();
  }
  return count;
}

}  // namespace profile
