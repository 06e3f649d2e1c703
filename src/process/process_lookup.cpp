// Answers questions from the process table, and forgets old images and processes.
#include <algorithm>
#include <utility>

#include "process/process_table.h"

namespace profile {

const ProcessTable::Process* ProcessTable::find(std::uint32_t tgid) const {
  const auto at = processes_.find(tgid);
  return at == processes_.end() ? nullptr : &at->second;
}

const ProcessTable::Image* ProcessTable::find(std::uint32_t tgid, std::uint32_t number) const {
  const Process* process = find(tgid);
  if (process == nullptr) return nullptr;
  const auto& images = process->images;
  if (images.empty() || number > images.back().number) return nullptr;
  const auto behind = std::ranges::upper_bound(images, number, {}, &Image::number);
  return behind == images.begin() ? nullptr : &*std::prev(behind);
}

std::uint32_t ProcessTable::image_at(std::uint32_t tgid, std::uint64_t time_ns) const {
  const Process* process = find(tgid);
  if (process == nullptr) return 0;
  const auto behind = std::ranges::upper_bound(process->images, time_ns, {}, &Image::start_ns);
  return behind == process->images.begin() ? 0 : std::prev(behind)->told_as;
}

std::string_view ProcessTable::name_of(std::uint32_t tgid, std::uint32_t image) const {
  const Image* found = find(tgid, image);
  if (found == nullptr) return {};
  return !found->command_line->empty() ? std::string_view(*found->command_line) : std::string_view(found->name.data());
}

std::string_view ProcessTable::comm_of(std::uint32_t tgid, std::uint32_t image) const {
  const Image* found = find(tgid, image);
  return found == nullptr ? std::string_view{} : std::string_view(found->name.data());
}

ProgramLife ProcessTable::life_of(std::uint32_t tgid, std::uint32_t image) const {
  const Process* const process = find(tgid);
  const Image* found = find(tgid, image);
  if (found == nullptr) return {};
  const Image* const first = process->images.data();
  const Image* const end = first + process->images.size();
  const Image* const next = std::find_if(found + 1, end, [](const Image& later) { return later.begins_program; });
  while (found != first && !found->begins_program) --found;
  return {.began_ns = found->start_ns, .ended_ns = next != end ? next->start_ns : process->exit_ns};
}

// A process that is younger than its child has the number of the parent again.
std::uint32_t ProcessTable::living_ancestor_of(std::uint32_t tgid) const {
  constexpr int most_steps = 64;
  const Process* child = find(tgid);
  for (int step = 0; step < most_steps && child != nullptr && child->parent != 0; ++step) {
    const std::uint32_t number = child->parent;
    const Process* const parent = find(number);
    if (parent == nullptr) return source_.is_alive(number) ? number : 0;
    if (parent->forked_ns > child->forked_ns) return 0;
    if (parent->exit_ns == 0) return number;
    child = parent;
  }
  return 0;
}

void ProcessTable::name_program(std::uint32_t tgid, std::uint64_t time_ns, std::string line) {
  const auto process = processes_.find(tgid);
  if (process == processes_.end()) return;
  auto& images = process->second.images;
  const auto behind = std::ranges::upper_bound(images, time_ns, {}, &Image::start_ns);
  if (behind != images.begin()) *std::prev(behind)->command_line = std::move(line);
}

CodeLocation ProcessTable::locate(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address) const {
  CodeLocation location;
  const Image* found = find(tgid, image);
  if (found == nullptr) return location;
  const Mapping* mapping = found->table->find(address.value);
  if (mapping == nullptr) {
    if (found->table->complete) location.kind = CodeLocation::Kind::nowhere;
    return location;
  }
  location.offset.value = address.value - mapping->start + mapping->offset;
  switch (mapping->kind) {
    case CodeKind::file:
      location.kind = CodeLocation::Kind::file;
      location.file = &files_.at(mapping->file);
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

std::vector<MappedFile> ProcessTable::files_of(std::uint32_t tgid, std::uint32_t image) const {
  std::vector<MappedFile> mapped;
  const Image* found = find(tgid, image);
  if (found == nullptr) return mapped;
  for (const Mapping& mapping : found->table->mappings()) {
    if (mapping.kind != CodeKind::file) continue;
    mapped.push_back({.start = RuntimeAddress{mapping.start}, .file = &files_.at(mapping.file)});
  }
  return mapped;
}

CodeFile* ProcessTable::jit_dump_of(std::uint32_t tgid, std::uint32_t image) const {
  const Image* found = find(tgid, image);
  if (found == nullptr) return nullptr;
  // A run-time that forks begins another jitdump, so take the newest.
  CodeFile* last = nullptr;
  for (const Mapping& mapping : found->table->mappings()) {
    if (mapping.kind != CodeKind::file) continue;
    CodeFile& file = files_.at(mapping.file);
    if (is_jit_dump(file.path) && (last == nullptr || file.number > last->number)) last = &file;
  }
  return last;
}

std::optional<std::uint32_t> ProcessTable::jit_user_of(std::uint32_t tgid) const {
  const Process* found = find(tgid);
  return found != nullptr ? found->user : std::nullopt;
}

bool ProcessTable::is_number_used_again(std::uint32_t tgid, std::uint32_t image) const {
  const Process* process = find(tgid);
  const Image* found = find(tgid, image);
  return found != nullptr && found->start_ns < process->forked_ns;
}

bool ProcessTable::is_of_replaced_program(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address) const {
  const Image* found = find(tgid, image);
  if (found == nullptr || found->table->find(address.value) != nullptr) return false;
  const Image* const first = find(tgid)->images.data();
  while (found != first && !found->begins_program) --found;
  return found != first && std::prev(found)->table->find(address.value) != nullptr;
}

void ProcessTable::forget_before(std::uint64_t time_ns, const std::function<bool(std::uint32_t tgid)>& is_alive,
                                 const std::unordered_set<std::uint32_t>& but) {
  for (auto at = processes_.begin(); at != processes_.end();) {
    if (but.contains(at->first)) {
      ++at;
      continue;
    }
    Process& process = at->second;
    auto& images = process.images;
    // An image ends where the next one begins.
    const auto kept = std::ranges::upper_bound(images, time_ns, {}, &Image::start_ns);
    if (kept - images.begin() > 1) images.erase(images.begin(), std::prev(kept));
    // A process may live on after its first thread has ended.
    const bool has_ended = process.exit_ns != 0 && process.exit_ns < time_ns && !is_alive(at->first);
    if (!has_ended) {
      ++at;
      continue;
    }
    if (!images.empty()) highest_forgotten_ = std::max(highest_forgotten_, images.back().told_as);
    at = processes_.erase(at);
  }
  std::vector<bool> is_mapped(files_.place_count(), false);
  for (const auto& [tgid, process] : processes_) {
    for (const Image& image : process.images) mark_mapped(*image.table, is_mapped);
  }
  files_.forget_unmapped(is_mapped, time_ns);
}

void ProcessTable::note_mapped(std::uint64_t now_ns) {
  if (!std::exchange(may_be_unmapped_, false) && !files_.any_unused()) return;
  std::vector<bool> is_mapped(files_.place_count(), false);
  std::erase_if(living_, [&](std::uint32_t tgid) {
    const Process* process = find(tgid);
    const bool main_thread_ended = process != nullptr && process->exit_ns != 0;
    if (process == nullptr || (main_thread_ended && !source_.is_running(tgid))) {
      files_.note_end(tgid);
      if (follows_) wanted_.erase(tgid);
      return true;
    }
    // No record reports when the last of the other threads ends.
    may_be_unmapped_ = may_be_unmapped_ || main_thread_ended;
    if (!process->images.empty()) mark_mapped(*process->images.back().table, is_mapped);
    return false;
  });
  files_.note_mapped(is_mapped, now_ns);
}

// Marks the files of `table`; `is_mapped` is by CodeFiles::Id.
void ProcessTable::mark_mapped(const MappingTable& table, std::vector<bool>& is_mapped) const {
  for (const Mapping& mapping : table.mappings()) {
    if (mapping.kind != CodeKind::file) continue;
    is_mapped[mapping.file] = true;
    is_mapped[files_.itself(mapping.file)] = true;
  }
}

}  // namespace profile
