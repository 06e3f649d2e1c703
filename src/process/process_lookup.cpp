// What the table answers, and what it forgets.
#include <algorithm>

#include "process/process_table.h"

namespace profile {

const ProcessTable::Process* ProcessTable::find(std::uint32_t tgid) const {
  const auto at = processes_.find(tgid);
  return at == processes_.end() ? nullptr : &at->second;
}

const ProcessTable::Image* ProcessTable::find(std::uint32_t tgid, std::uint32_t number) const {
  const Process* process = find(tgid);
  if (process == nullptr) return nullptr;
  const auto at = std::partition_point(process->images.begin(), process->images.end(),
                                       [number](const Image& image) { return image.number < number; });
  return at != process->images.end() && at->number == number ? &*at : nullptr;
}

std::uint32_t ProcessTable::image_at(std::uint32_t tgid, std::uint64_t time_ns) const {
  const Process* process = find(tgid);
  if (process == nullptr) return 0;
  const auto behind = std::partition_point(process->images.begin(), process->images.end(),
                                           [time_ns](const Image& image) { return image.start_ns <= time_ns; });
  return behind == process->images.begin() ? 0 : std::prev(behind)->number;
}

std::string_view ProcessTable::name_of(std::uint32_t tgid, std::uint32_t image) const {
  const Image* found = find(tgid, image);
  return found == nullptr ? std::string_view{} : std::string_view(found->name.data());
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
    case CodeKind::anonymous:
    case CodeKind::none:
      location.kind = CodeLocation::Kind::jit;
      break;
  }
  return location;
}

void ProcessTable::forget_before(std::uint64_t time_ns, const std::function<bool(std::uint32_t tgid)>& is_alive) {
  for (auto at = processes_.begin(); at != processes_.end();) {
    Process& process = at->second;
    auto& images = process.images;
    // An image ends where the next one begins.
    const auto kept = std::partition_point(images.begin(), images.end(),
                                           [time_ns](const Image& image) { return image.start_ns <= time_ns; });
    if (kept - images.begin() > 1) images.erase(images.begin(), std::prev(kept));
    // After its first thread a process may live on.
    const bool has_ended = process.exit_ns != 0 && process.exit_ns < time_ns && !is_alive(at->first);
    if (!has_ended) {
      ++at;
      continue;
    }
    if (!images.empty()) highest_forgotten_ = std::max(highest_forgotten_, images.back().number);
    at = processes_.erase(at);
  }
  files_.forget_unmapped(mapped_files(), time_ns);
}

// By CodeFiles::Id.
std::vector<bool> ProcessTable::mapped_files() const {
  std::vector<bool> is_mapped(files_.place_count(), false);
  for (const auto& [tgid, process] : processes_) {
    for (const Image& image : process.images) {
      for (const Mapping& mapping : image.table->mappings()) {
        if (mapping.kind == CodeKind::file) is_mapped[mapping.file] = true;
      }
    }
  }
  return is_mapped;
}

}  // namespace profile
