#include "process/code_files.h"

#include <algorithm>
#include <vector>

#include "process/proc_maps.h"

namespace profile {
namespace {

// A file that could not be opened is tried again when the next processes map it, but not for ever.
constexpr std::uint32_t most_failures = 3;
// Reading a large program's symbols anew takes a second; so long after its last process it is worth that.
constexpr std::uint64_t kept_unmapped_ns = 600'000'000'000;

}  // namespace

int CodeFile::fd() { return keeper_ == nullptr ? -1 : keeper_->use(*this); }

std::size_t CodeFiles::IdentityHash::operator()(const FileIdentity& identity) const noexcept {
  const std::uint64_t device = std::uint64_t{identity.device_major} << 32 | identity.device_minor;
  std::uint64_t hash = identity.inode * 0x9e3779b97f4a7c15U ^ device;
  hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93U;
  return hash ^ hash >> 32;
}

CodeFiles::Id CodeFiles::mapped(const FileIdentity& identity, std::uint32_t generation, std::string_view path,
                                const MappedBy& mapped_by) {
  const auto known = ids_.find(identity);
  if (known == ids_.end()) return add(identity, generation, path, mapped_by);
  CodeFile& file = files_[known->second];
  if (file.fd_) {
    // While it is open its number cannot be given to another file. It can be written anew.
    file.last_use_ = ++uses_;
    if (file.generation_ == 0) file.generation_ = generation;
    if (file.checked_in_batch_ == batch_) return known->second;
    file.checked_in_batch_ = batch_;
    if (!has_changed(file)) return known->second;
    close(file);
    file.unreadable = Unnamed::file_changed;
    return add(identity, generation, path, mapped_by);
  }
  const bool both_known = generation != 0 && file.generation_ != 0;
  if (both_known && generation != file.generation_) return add(identity, generation, path, mapped_by);
  file.mapped_by_ = mapped_by;
  const bool evicted = file.unreadable == Unnamed::named;
  if (evicted ? !both_known : file.failures_ < most_failures) try_to_open(file);
  // What is there now is not what was there when it was open.
  if (file.unreadable == Unnamed::file_changed && file.stamp_ != FileStamp{}) {
    return add(identity, generation, path, mapped_by);
  }
  return known->second;
}

CodeFiles::Id CodeFiles::add(const FileIdentity& identity, std::uint32_t generation, std::string_view path,
                             const MappedBy& mapped_by) {
  const Id id = place();
  CodeFile& file = files_[id];
  file.number = ++numbers_;
  file.identity = identity;
  file.path = clean_path(path);
  file.keeper_ = this;
  file.mapped_by_ = mapped_by;
  file.generation_ = generation;
  file.checked_in_batch_ = batch_;
  try_to_open(file);
  ids_[identity] = id;
  return id;
}

// One for a new file.
CodeFiles::Id CodeFiles::place() {
  if (free_.empty()) {
    files_.emplace_back();
    return static_cast<Id>(files_.size() - 1);
  }
  const Id id = free_.back();
  free_.pop_back();
  return id;
}

void CodeFiles::forget(Id id) {
  CodeFile& file = files_[id];
  if (file.fd_) close(file);
  if (const auto known = ids_.find(file.identity); known != ids_.end() && known->second == id) ids_.erase(known);
  file = CodeFile();
  free_.push_back(id);
}

void CodeFiles::forget_unmapped(const std::vector<bool>& is_mapped, std::uint64_t now_ns) {
  for (Id id = 0; id < files_.size(); ++id) {
    CodeFile& file = files_[id];
    if (file.keeper_ == nullptr) continue;  // a free place
    if (is_mapped[id]) {
      file.unmapped_since_ns_ = 0;
      continue;
    }
    if (file.unmapped_since_ns_ == 0) file.unmapped_since_ns_ = now_ns;
    const bool is_deleted = file.fd_ && opener_.is_deleted(file.fd_.get());
    if (is_deleted || now_ns - file.unmapped_since_ns_ >= kept_unmapped_ns) forget(id);
  }
}

// Leaves the file open, or with a reason why it is not.
void CodeFiles::try_to_open(CodeFile& file) {
  if (open_count_ >= most_open_) make_room();
  OpenedFile opened = opener_.open(file.identity, file.path, file.mapped_by_);
  const bool was_open_before = file.stamp_ != FileStamp{};
  if (opened.fd && was_open_before && opened.stamp != file.stamp_) {
    opened.fd.reset();
    opened.reason = Unnamed::file_changed;
  }
  if (!opened.fd) {
    file.unreadable = opened.reason;
    ++file.failures_;
    return;
  }
  file.unreadable = Unnamed::named;
  file.fd_ = std::move(opened.fd);
  file.stamp_ = opened.stamp;
  file.last_use_ = ++uses_;
  ++open_count_;
}

int CodeFiles::use(CodeFile& file) {
  if (!file.fd_ && file.unreadable == Unnamed::named) try_to_open(file);
  if (!file.fd_) return -1;
  if (has_changed(file)) {
    close(file);
    file.unreadable = Unnamed::file_changed;
    return -1;
  }
  file.last_use_ = ++uses_;
  return file.fd_.get();
}

bool CodeFiles::has_changed(const CodeFile& file) {
  const auto stamp = opener_.stamp(file.fd_.get());
  return stamp && *stamp != file.stamp_;
}

void CodeFiles::close(CodeFile& file) {
  file.fd_.reset();
  --open_count_;
}

// Closes the eighth that was not used for longest, so that this is seldom done.
void CodeFiles::make_room() {
  std::vector<CodeFile*> open;
  for (CodeFile& file : files_) {
    if (file.fd_) open.push_back(&file);
  }
  if (open.empty()) return;
  const auto end = open.begin() + static_cast<std::ptrdiff_t>((open.size() + 7) / 8);
  std::nth_element(open.begin(), end - 1, open.end(),
                   [](const CodeFile* a, const CodeFile* b) { return a->last_use_ < b->last_use_; });
  std::for_each(open.begin(), end, [this](CodeFile* file) { close(*file); });
}

}  // namespace profile
