#include "parse/debug_files.h"

#include <algorithm>

#include "elf/debug_link.h"
#include "elf/file.h"
#include "support/file_status.h"

namespace profile {
namespace {

// Checksums are for files without build-ids, which are old or come from small systems. This is the limit for a whole
// run, because large files may be laid out to keep this process reading.
constexpr std::uint64_t most_checksum_bytes = std::uint64_t{2} << 30;
// The most entries of each table of what is missing. In a run of days a table would grow without end; a full one is
// emptied and learnt again.
constexpr std::size_t most_remembered = 100'000;

std::string build_id_of(int fd) {
  std::string why;
  const auto file = ElfFile::read(fd, why);
  return file ? file->build_id() : std::string();
}

bool is_shared_debug_data(int fd, const std::string& build_id) {
  std::string why;
  const auto file = ElfFile::read(fd, why, nullptr, ElfFile::Content::shared_debug_data);
  return file && file->build_id() == build_id;
}

template <class Table, class Key>
void remember(Table& table, Key key) {
  if (table.size() >= most_remembered) table.clear();
  table.insert(std::move(key));
}

FileNumber view_of(const FileRef& file) { return file.mapped_by.own_mounts ? FileNumber::none : file.number; }

}  // namespace

DebugFiles::DebugFiles(DebugSupplier& supplier) : supplier_(supplier), checksum_budget_bytes_(most_checksum_bytes) {}

std::optional<DebugFiles::FileKey> DebugFiles::key_of(int fd) {
  const auto found = status_of(fd);
  if (!found) return std::nullopt;
  return FileKey{found->device, found->inode, found->size_bytes, found->modified_ns};
}

DebugFile DebugFiles::find(const ElfFile& elf, int fd, const FileRef& file) {
  const std::string build_id = elf.build_id();
  const Accepts has_build_id = [&](int candidate) { return build_id_of(candidate) == build_id; };
  if (DebugFile found = by_build_id(build_id, file, has_build_id)) return found;
  if (DebugFile found = by_link(elf, build_id, fd, file)) return found;
  return from_server(build_id, has_build_id);
}

DebugFile DebugFiles::first_accepted(const DebugQuestion& question, FileNumber base, const Accepts& accepts) {
  unsigned next = 0;
  std::string why;
  for (;;) {
    DebugFile found = supplier_.open(question, base, next, why);
    if (!found || accepts(found.fd.get())) return found;
  }
}

DebugFile DebugFiles::by_build_id(const std::string& build_id, const FileRef& file, const Accepts& accepts) {
  const BuildIdKey key{build_id, view_of(file)};
  if (build_id.empty() || not_in_directories_.contains(key)) return {};
  DebugFile found = first_accepted({.kind = DebugQuestion::Kind::build_id, .text = build_id}, file.number, accepts);
  if (!found) remember(not_in_directories_, key);
  return found;
}

DebugFile DebugFiles::from_server(const std::string& build_id, const Accepts& accepts) {
  if (build_id.empty() || not_on_server_.contains(build_id)) return {};
  DebugFile found = supplier_.from_server(build_id);
  if (found && accepts(found.fd.get())) return found;
  remember(not_on_server_, build_id);
  return {};
}

bool DebugFiles::has_checksum(int fd, std::uint32_t crc) {
  const auto key = key_of(fd);
  if (!key) return false;
  if (checksums_.size() >= most_remembered) checksums_.clear();
  const auto [known, is_new] = checksums_.try_emplace(*key);
  if (is_new) {
    known->second = crc32_of(fd, checksum_budget_bytes_);
    if (known->second) checksum_budget_bytes_ -= std::min(std::get<2>(*key), checksum_budget_bytes_);
  }
  return known->second == crc;
}

DebugFile DebugFiles::by_link(const ElfFile& elf, const std::string& build_id, int fd, const FileRef& file) {
  const auto self = key_of(fd);
  if (!self || not_linked_.contains({*self, view_of(file)})) return {};
  const auto link = read_debug_link(elf);
  const auto is_right = [&](int candidate) {
    if (key_of(candidate) == self) return false;
    std::string why;
    const auto found = ElfFile::read(candidate, why);
    if (!found) return false;
    const std::string its_id = found->build_id();
    if (!build_id.empty() && !its_id.empty()) return its_id == build_id;
    return has_checksum(candidate, link->crc);
  };
  if (link) {
    DebugFile found = first_accepted({.kind = DebugQuestion::Kind::link, .text = link->name}, file.number, is_right);
    if (found) return found;
  }
  remember(not_linked_, std::pair(*self, view_of(file)));
  return {};
}

DebugFile DebugFiles::find_alternate(const ElfFile& elf, FileNumber number, const FileRef& file) {
  const auto link = read_alternate_link(elf);
  if (!link) return {};
  const Accepts is_right = [&](int candidate) { return is_shared_debug_data(candidate, link->build_id); };
  if (DebugFile found = by_build_id(link->build_id, file, is_right)) return found;
  DebugFile found = first_accepted({.kind = DebugQuestion::Kind::alternate, .text = link->path}, number, is_right);
  return found ? std::move(found) : from_server(link->build_id, is_right);
}

}  // namespace profile
