#include "process/process_table.h"

#include <algorithm>
#include <chrono>
#include <span>

namespace profile {
namespace {

// A memory file opens at once, because no server serves it. Only another file with such a name takes longer.
constexpr std::chrono::milliseconds patience_with_memory{50};
// Of all processes, for those who ask later.
constexpr std::size_t most_copies_kept = 1024;
// To begin an image with a large table, and to join those before it, costs as much as to follow so many mappings for
// each multiple of this size.
constexpr std::size_t large_table = 4096;
constexpr std::uint64_t as_many_as_large_table = 64;

CommName to_comm(std::string_view text) {
  CommName comm{};
  std::copy_n(text.begin(), std::min(text.size(), comm.size() - 1), comm.begin());
  return comm;
}

}  // namespace

const ProcessTable::Process* ProcessTable::find(std::uint32_t tgid) const {
  const auto at = processes_.find(tgid);
  return at == processes_.end() ? nullptr : &at->second;
}

const ProcessImage* ProcessTable::find(std::uint32_t tgid, std::uint32_t number) const {
  const Process* process = find(tgid);
  return process != nullptr ? process->images.find(number) : nullptr;
}

// The process has begun an image, so it lives, and files may be unmapped.
void ProcessTable::note_begun(Process& process) {
  process.exit_ns = 0;
  ++process.maps_count;
  may_be_unmapped_ = true;
}

ProcessImage& ProcessTable::begin_image(Process& process, std::uint64_t start_ns, std::shared_ptr<MappingTable> table,
                                        const CommName& comm) {
  if (process.images.empty()) ++begun_;
  note_begun(process);
  return process.images.begin(start_ns, std::move(table), comm, highest_forgotten_ + 1);
}

ProcessImage& ProcessTable::begin_program(Process& process, std::uint64_t start_ns, std::shared_ptr<MappingTable> table,
                                          const CommName& comm) {
  ProcessImage& image = begin_image(process, start_ns, std::move(table), comm);
  image.begins_program = true;
  image.command_line = std::make_shared<std::string>();
  return image;
}

void ProcessTable::add_mapping(Process& process, std::uint64_t time_ns, const Mapping& mapping) {
  const std::size_t size = process.images.newest().table->mappings().size();
  if (!process.images.add(time_ns, mapping)) return;
  note_begun(process);
  process.mapped_until_ns += ns_per_mapping * as_many_as_large_table * (size / large_table);
}

// Returns the process, with at least one image. A new process began before we did, so its mappings must be read from
// /proc.
ProcessTable::Process& ProcessTable::met(std::uint32_t tgid) {
  Process& process = processes_[tgid];
  living_.insert(tgid);
  if (process.images.empty()) begin_image(process, 0, ProcessImages::unread_table(), {});
  if (!process.images.newest().table->complete) unread_.push_back(tgid);
  return process;
}

void ProcessTable::follow(std::uint32_t tgid, bool from_exec) {
  want(tgid);
  follows_ = true;
  if (!from_exec) return;
  Process& process = processes_[tgid];
  mount_namespace(tgid, process);  // a short command may be gone when we read its records
  begin_image(process, 0, std::make_shared<MappingTable>(), {});
  living_.insert(tgid);
}

// Children inherit the namespace. So we look once for a process that forks, and never for the many that only run.
std::uint64_t ProcessTable::mount_namespace(std::uint32_t tgid, Process& process) {
  if (process.mount_namespace == 0) process.mount_namespace = source_.mount_namespace(tgid);
  return process.mount_namespace;
}

void ProcessTable::note_loss(std::uint64_t since_ns) {
  loss_since_ = std::min(loss_since_.value_or(since_ns), since_ns);
}

void ProcessTable::apply(const SideBandRecord& record) {
  ++records_;
  if (record.type == SideBandRecord::Type::lost) {
    lost_ += record.lost;
    note_loss(record.lost_since);
    if (std::exchange(follows_, false)) wants_all_ = true;  // it is no longer known which process is whose child
    return;
  }
  if (follows_ && record.type == SideBandRecord::Type::fork && is_wanted(record.parent_tgid)) want(record.tgid);
  if (record.tgid == 0 || !is_wanted(record.tgid)) return;
  switch (record.type) {
    case SideBandRecord::Type::fork:
      apply_fork(record);
      break;
    case SideBandRecord::Type::exec:
      apply_exec(record);
      break;
    case SideBandRecord::Type::comm:
      if (record.tid == record.tgid) met(record.tgid).images.newest().comm = to_comm(record.text);
      break;
    case SideBandRecord::Type::mmap:
      apply_mmap(record);
      break;
    case SideBandRecord::Type::exit:
      // Its last image still answers, because the kernel samples a task while it is exiting.
      if (const auto at = processes_.find(record.tgid); at != processes_.end() && record.tid == record.tgid) {
        at->second.exit_ns = record.time_ns;
        may_be_unmapped_ = true;
        if (auto& images = at->second.images; !images.empty()) images.newest().table->shrink();
      }
      break;
    case SideBandRecord::Type::lost:
      break;
  }
}

void ProcessTable::apply_fork(const SideBandRecord& record) {
  if (record.parent_tgid == record.tgid) return;  // a thread: shares everything
  ++news_;
  living_.insert(record.tgid);
  Process& child = processes_[record.tgid];
  child.parent = record.parent_tgid;
  child.forked_ns = record.time_ns;
  child.user.reset();  // the number may be used again
  if (record.parent_tgid == 0 || !is_wanted(record.parent_tgid)) {
    begin_program(child, record.time_ns, ProcessImages::unread_table(), {});
    unread_.push_back(record.tgid);
    return;
  }
  // A parent that was not read yet shares its table all the same: when it is read, the child's table is filled in, too.
  Process& parent = met(record.parent_tgid);
  const ProcessImage from = parent.images.newest();
  const std::uint64_t mounts = mount_namespace(record.parent_tgid, parent);
  if (!child.images.empty()) ++begun_;  // the number is used again
  child.mount_namespace = mounts;
  child.user = parent.user;  // also its code without a file is the parent's
  begin_program(child, record.time_ns, from.table, from.comm).command_line = from.command_line;
  if (!from.table->complete) unread_.push_back(record.tgid);
  child.images.forget_copies();
  for (CodeCopy copy : parent.images.copies()) {
    copy.tgid = record.tgid;
    note_copy(copy, child);
  }
}

void ProcessTable::apply_exec(const SideBandRecord& record) {
  ++news_;
  // Nothing of the old program stays, so nothing must be read.
  Process& process = processes_[record.tgid];
  living_.insert(record.tgid);
  // A container's first program runs after its process has moved to other mounts. A process that is gone sees the
  // mounts that it inherited.
  if (const std::uint64_t mounts = source_.mount_namespace(record.tgid)) process.mount_namespace = mounts;
  process.mapped_until_ns = 0;  // a program of its own
  process.user.reset();         // which may run as another user
  process.images.forget_copies();
  begin_program(process, record.time_ns, std::make_shared<MappingTable>(), to_comm(record.text));
}

// Following a process that maps code in a loop would cost us a third of a CPU. Its records are skipped, and what they
// map is unknown until its maps are read.
bool ProcessTable::maps_without_end(Process& process, const SideBandRecord& record) {
  const std::uint64_t until_ns = std::max(process.mapped_until_ns, record.time_ns) + ns_per_mapping;
  if (until_ns > record.time_ns + most_ahead_ns) {
    skipped_.emplace(record.tgid, record.time_ns);
    ++skipped_records_;
    return true;
  }
  process.mapped_until_ns = until_ns;
  return false;
}

void ProcessTable::apply_mmap(const SideBandRecord& record) {
  if (!record.executable || record.length == 0 || record.start + record.length < record.start) return;
  ++news_;
  Process& process = met(record.tgid);
  ++process.maps_count;
  process.exit_ns = 0;  // its first thread may have ended, while others run on
  const MapsEntry entry{record.start, record.start + record.length, record.offset, record.file, record.text};
  if (maps_without_end(process, record)) {
    const auto unknown = process.images.unfollowed(entry, files_);
    if (unknown) add_mapping(process, record.time_ns, *unknown);
    return;
  }
  if (const auto mapping = mapping_of(entry, record.tgid, process)) {
    // It may be a copy of that code. Only the mappings beside it show that.
    const Mapping* const there = process.images.newest().table->find(entry.start);
    const bool is_over_code = there != nullptr && there->kind == CodeKind::file;
    if (mapping->kind == CodeKind::anonymous && is_over_code) skipped_.emplace(record.tgid, record.time_ns);
    add_mapping(process, record.time_ns, *mapping);
  }
}

std::optional<Mapping> ProcessTable::mapping_of(const MapsEntry& entry, std::uint32_t tgid, Process& process) {
  const CodeKind kind = code_kind(entry.path, entry.file);
  if (kind == CodeKind::none) return std::nullopt;
  Mapping mapping{entry.start, entry.end, 0, 0, kind};
  const bool own_mounts = own_mount_namespace_ != 0 && mount_namespace(tgid, process) == own_mount_namespace_;
  if (kind == CodeKind::anonymous) note_jit(tgid, process, own_mounts);
  if (kind == CodeKind::file || kind == CodeKind::memory_file) {
    const auto file = files_.mapped(entry.file, entry.path, {tgid, own_mounts, entry.start, entry.end});
    if (kind == CodeKind::memory_file && is_written_by_jit(files_.at(file), tgid)) {
      mapping.kind = CodeKind::anonymous;
      note_jit(tgid, process, own_mounts);
      return mapping;
    }
    mapping.kind = CodeKind::file;
    mapping.offset = entry.offset;
    mapping.file = file;
    if (entry.is_copy) note_copy({.tgid = tgid, .start = entry.start, .end = entry.end}, process);
  }
  return mapping;
}

// What is needed once the process is gone, to know its perf map.
void ProcessTable::note_jit(std::uint32_t tgid, Process& process, bool own_mounts) {
  if (!process.user) process.user = source_.user_of(tgid);
  if (!own_mounts) files_.hold_perf_map(tgid, process.user);
}

void ProcessTable::note_copy(const CodeCopy& copy, Process& process) {
  if (!process.images.add_copy(copy)) return;
  if (copies_.size() == most_copies_kept) copies_.pop_front();
  copies_.push_back(copy);
  ++copies_noted_;
}

std::vector<CodeCopy> ProcessTable::copies_since(std::uint64_t& noted) const {
  const std::uint64_t since =
      std::min<std::uint64_t>(copies_noted_ - std::exchange(noted, copies_noted_), copies_.size());
  return {copies_.end() - static_cast<std::ptrdiff_t>(since), copies_.end()};
}

// A memory file that we may not open is taken for the code of a JIT, because that may still have a perf map.
bool ProcessTable::is_written_by_jit(CodeFile& memory_file, std::uint32_t tgid) {
  CodeFile* const asked = &memory_file;
  files_.wait_for_files(std::span(&asked, 1), patience_with_memory);
  if (memory_file.unreadable == FileFault::malformed) return true;
  return memory_file.unreadable == FileFault::gone && source_.is_alive(tgid);
}

std::vector<Mapping> ProcessTable::mappings_of(std::string_view lines, std::uint32_t tgid, Process& process) {
  std::vector<Mapping> mappings;
  while (const auto entry = next_code_mapping(lines)) {
    if (const auto mapping = mapping_of(*entry, tgid, process)) mappings.push_back(*mapping);
  }
  return mappings;
}

bool ProcessTable::needs_snapshot(std::uint32_t tgid) const {
  const Process* process = find(tgid);
  return process == nullptr || process->images.empty() || !process->images.newest().table->complete;
}

bool ProcessTable::has_begun_since(std::uint32_t tgid, std::uint64_t time_ns) const {
  const Process* process = find(tgid);
  return process != nullptr && !process->images.empty() && process->images.newest().start_ns >= time_ns;
}

void ProcessTable::learn(std::uint32_t tgid, const ProcSnapshot& snapshot) {
  Process& process = met(tgid);
  mount_namespace(tgid, process);  // the process may end before we read the record of its exec
  ProcessImage& image = process.images.newest();
  if (image.comm[0] == '\0') image.comm = to_comm(snapshot.comm);
  // A process that is just exiting has no maps any more. What it had mapped is not known.
  if (image.table->complete || (snapshot.code_lines.empty() && !snapshot.is_kernel_thread)) return;
  // An incomplete table may be shared with children forked since. They get the complete one, too.
  process.images.complete(mappings_of(snapshot.code_lines, tgid, process));
}

void ProcessTable::correct(std::uint32_t tgid, const ProcSnapshot& snapshot, std::uint64_t since_ns,
                           std::uint64_t read_ns) {
  Process& process = processes_[tgid];
  process.images.note_snapshot();
  if (process.images.empty() || !process.images.newest().table->complete) return learn(tgid, snapshot);
  std::vector<Mapping> mappings = mappings_of(snapshot.code_lines, tgid, process);
  const MappingTable& known = *process.images.newest().table;
  // What was not followed may have been the same.
  const bool any_is_known = std::ranges::any_of(mappings, [&](const Mapping& mapping) {
    return known.covers(mapping) ||
           known.covers({.start = mapping.start, .end = mapping.end, .kind = CodeKind::unfollowed});
  });
  // This is another program: the record of its exec was lost, or its number was used again and that record was lost.
  const bool exec_was_lost = !mappings.empty() && !known.mappings().empty() && !any_is_known;
  const bool reuse_was_lost = process.exit_ns != 0 && !snapshot.code_lines.empty() && !any_is_known;
  if (exec_was_lost || reuse_was_lost) {
    begin_program(process, since_ns, std::make_shared<MappingTable>(), to_comm(snapshot.comm));
  }
  process.images.newest().comm = to_comm(snapshot.comm);
  if (process.images.add_read(since_ns, read_ns, std::move(mappings))) note_begun(process);
}

bool ProcessTable::may_be_unmounted(const Mapping& mapping) const {
  if (mapping.kind != CodeKind::file) return false;
  const CodeFile& file = files_.at(mapping.file);
  const bool is_of_root = file.identity.device_major == root_.major && file.identity.device_minor == root_.minor;
  return file.is_open() && !is_of_root;
}

std::vector<std::uint32_t> ProcessTable::holders() {
  std::vector<std::uint32_t> all;
  for (const std::uint32_t tgid : living_) {
    const Process* const process = find(tgid);
    if (process == nullptr || process->images.empty()) continue;
    const MappingTable& known = *process->images.newest().table;
    const bool is_holder =
        std::ranges::any_of(known.mappings(), [this](const Mapping& m) { return may_be_unmounted(m); });
    if (known.complete && is_holder) all.push_back(tgid);
  }
  return all;
}

std::uint64_t ProcessTable::maps_count(std::uint32_t tgid) const {
  const Process* const process = find(tgid);
  return process != nullptr ? process->maps_count : 0;
}

void ProcessTable::note_unmapped(std::uint32_t tgid, const ProcSnapshot& snapshot, std::uint64_t time_ns) {
  Process& process = processes_[tgid];
  // A process that is just exiting has no maps any more.
  if (process.images.empty() || snapshot.code_lines.empty()) return;
  MappingTable mapped;
  std::string_view lines = snapshot.code_lines;
  while (const auto entry = next_code_mapping(lines)) {
    mapped.put({entry->start, entry->end, 0, 0, CodeKind::anonymous});
  }
  const MappingTable& known = *process.images.newest().table;
  const auto is_gone = [&](const Mapping& mapping) { return may_be_unmounted(mapping) && !mapped.touches(mapping); };
  if (std::ranges::none_of(known.mappings(), is_gone)) return;
  auto table = std::make_shared<MappingTable>(known);
  table->remove(is_gone);
  note_begun(process);
  process.images.begin_next(time_ns, std::move(table));
}

void ProcessTable::mark_exited_except(const std::vector<std::uint32_t>& alive, std::uint64_t time_ns) {
  for (auto& [tgid, process] : processes_) {
    const bool is_younger = process.images.empty() || process.images.newest().start_ns >= time_ns;
    if (process.exit_ns != 0 || is_younger || std::binary_search(alive.begin(), alive.end(), tgid)) continue;
    process.exit_ns = time_ns;
    may_be_unmapped_ = true;
  }
}

std::uint32_t ProcessTable::image_at(std::uint32_t tgid, std::uint64_t time_ns) const {
  const Process* process = find(tgid);
  const ProcessImage* found = process != nullptr ? process->images.at(time_ns) : nullptr;
  return found != nullptr ? found->told_as : 0;
}

std::string_view ProcessTable::name_of(std::uint32_t tgid, std::uint32_t image) const {
  const ProcessImage* found = find(tgid, image);
  if (found == nullptr) return {};
  return !found->command_line->empty() ? std::string_view(*found->command_line) : std::string_view(found->comm.data());
}

std::string_view ProcessTable::comm_of(std::uint32_t tgid, std::uint32_t image) const {
  const ProcessImage* found = find(tgid, image);
  return found == nullptr ? std::string_view{} : std::string_view(found->comm.data());
}

ProgramLife ProcessTable::life_of(std::uint32_t tgid, std::uint32_t image) const {
  const Process* const process = find(tgid);
  return process != nullptr ? process->images.life_of(image, process->exit_ns) : ProgramLife{};
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
  const Process* const process = find(tgid);
  const ProcessImage* const found = process != nullptr ? process->images.at(time_ns) : nullptr;
  if (found != nullptr) *found->command_line = std::move(line);
}

CodeLocation ProcessTable::locate(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address) const {
  const ProcessImage* found = find(tgid, image);
  return found != nullptr ? found->locate(address, files_) : CodeLocation{};
}

std::vector<MappedFile> ProcessTable::files_of(std::uint32_t tgid, std::uint32_t image) const {
  const ProcessImage* found = find(tgid, image);
  return found != nullptr ? found->files_of(files_) : std::vector<MappedFile>{};
}

CodeFile* ProcessTable::jit_dump_of(std::uint32_t tgid, std::uint32_t image) const {
  const ProcessImage* found = find(tgid, image);
  return found != nullptr ? found->jit_dump_of(files_) : nullptr;
}

std::optional<std::uint32_t> ProcessTable::jit_user_of(std::uint32_t tgid) const {
  const Process* found = find(tgid);
  return found != nullptr ? found->user : std::nullopt;
}

bool ProcessTable::is_number_used_again(std::uint32_t tgid, std::uint32_t image) const {
  const Process* process = find(tgid);
  const ProcessImage* found = find(tgid, image);
  return found != nullptr && found->start_ns < process->forked_ns;
}

bool ProcessTable::is_of_replaced_program(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address) const {
  const Process* const process = find(tgid);
  return process != nullptr && process->images.is_of_replaced_program(image, address);
}

std::size_t ProcessTable::kept_mappings() const {
  std::size_t count = 0;
  for (const auto& [tgid, process] : processes_) count += process.images.mapping_count();
  return count;
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
    images.forget_before(time_ns);
    // A process may live on after its first thread has ended.
    const bool has_ended = process.exit_ns != 0 && process.exit_ns < time_ns && !is_alive(at->first);
    if (!has_ended) {
      ++at;
      continue;
    }
    if (!images.empty()) highest_forgotten_ = std::max(highest_forgotten_, images.newest().told_as);
    at = processes_.erase(at);
  }
  std::vector<bool> is_mapped(files_.place_count(), false);
  for (const auto& [tgid, process] : processes_) {
    for (const ProcessImage& image : process.images.all()) mark_mapped(*image.table, is_mapped);
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
    if (!process->images.empty()) mark_mapped(*process->images.newest().table, is_mapped);
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
