#include "symbol/debug_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "symbol/debug_link.h"
#include "symbol/debug_places.h"
#include "symbol/debuginfod.h"

namespace profile {
namespace {

namespace fs = std::filesystem;

// Checksums are for files without build-ids, which are old or of small systems. All of a run together: somebody may
// have laid out large files to keep us reading.
constexpr std::uint64_t most_checksum_bytes = std::uint64_t{2} << 30;
// The shortest build-id that makes both a directory and a file name.
constexpr std::size_t fewest_hex_digits = 4;

std::string build_id_of(int fd) {
  std::string why;
  const auto file = ElfFile::read(fd, why);
  return file ? file->build_id() : std::string();
}

bool is_shared_debug_data(int fd, const std::string& build_id) {
  std::string why;
  const auto file = ElfFile::read_shared_debug_data(fd, why);
  return file && file->build_id() == build_id;
}

// What the kernel says an open file is called, as we see it.
std::string path_of(int fd) {
  std::error_code error;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(fd), error).string();
}

// Whether `path`, both of them without "." and "..", lies below `directory`.
bool is_below(const fs::path& path, const fs::path& directory) {
  const auto [end, rest] = std::mismatch(directory.begin(), directory.end(), path.begin(), path.end());
  return end == directory.end() && rest != path.end();
}

std::string without_trailing_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

DebugFiles::DebugFiles(const std::vector<std::string>& directories, Debuginfod* debuginfod)
    : debuginfod_(debuginfod), checksum_budget_bytes_(most_checksum_bytes) {
  for (const std::string& directory : directories)
    directories_.push_back(without_trailing_slash(fs::absolute(directory).lexically_normal().string()));
}

std::optional<DebugFiles::FileKey> DebugFiles::key_of(int fd) {
  struct stat found {};
  if (::fstat(fd, &found) != 0) return std::nullopt;
  return FileKey{found.st_dev, found.st_ino, static_cast<std::uint64_t>(found.st_size),
                 found.st_mtim.tv_sec * std::int64_t{1'000'000'000} + found.st_mtim.tv_nsec};
}

Fd DebugFiles::find(const ElfFile& file, int fd, std::string_view path) {
  const std::string build_id = file.build_id();
  const Accepts has_build_id = [&](int candidate) { return build_id_of(candidate) == build_id; };
  if (Fd found = by_build_id(build_id, has_build_id)) return found;
  if (Fd found = by_link(file, build_id, fd, path)) return found;
  return from_server(build_id, has_build_id);
}

Fd DebugFiles::by_build_id(const std::string& build_id, const Accepts& accepts) {
  if (build_id.size() < fewest_hex_digits || not_in_directories_.contains(build_id)) return {};
  for (const std::string& directory : directories_) {
    Fd found = open_listed(directory + "/.build-id/" + build_id.substr(0, 2) + "/" + build_id.substr(2) + ".debug");
    if (found && accepts(found.get())) return found;
  }
  not_in_directories_.insert(build_id);
  return {};
}

Fd DebugFiles::from_server(const std::string& build_id, const Accepts& accepts) {
  if (debuginfod_ == nullptr || build_id.size() < fewest_hex_digits || not_on_server_.contains(build_id)) return {};
  Fd found = debuginfod_->find(build_id);
  if (found && accepts(found.get())) return found;
  not_on_server_.insert(build_id);
  return {};
}

bool DebugFiles::has_checksum(int fd, std::uint32_t crc) {
  const auto key = key_of(fd);
  if (!key) return false;
  const auto [known, is_new] = checksums_.try_emplace(*key);
  if (is_new) {
    known->second = crc32_of(fd, checksum_budget_bytes_);
    if (known->second) checksum_budget_bytes_ -= std::min(std::get<2>(*key), checksum_budget_bytes_);
  }
  return known->second == crc;
}

// `path` is where another process saw the file: text, no more, until Beside has found the same file there.
Fd DebugFiles::by_link(const ElfFile& file, const std::string& build_id, int fd, std::string_view path) {
  const auto self = key_of(fd);
  if (!self || not_linked_.contains(*self)) return {};
  const auto link = read_debug_link(file);
  const auto is_right = [&](const Fd& candidate) {
    if (!candidate || key_of(candidate.get()) == self) return false;
    std::string why;
    const auto found = ElfFile::read(candidate.get(), why);
    if (!found) return false;
    const std::string its_id = found->build_id();
    if (!build_id.empty() && !its_id.empty()) return its_id == build_id;
    return has_checksum(candidate.get(), link->crc);
  };
  if (link) {
    if (const auto beside = Beside::of(fd, path)) {
      if (Fd found = beside->open(link->name); is_right(found)) return found;
      if (Fd found = beside->open_in_debug_folder(link->name); is_right(found)) return found;
    }
    const std::string folder(path.substr(0, path.rfind('/') + 1));
    const bool plain =
        folder.starts_with('/') && folder.find('\0') == std::string::npos && folder.find("/../") == std::string::npos;
    for (const std::string& directory : directories_) {
      if (Fd found = plain ? open_listed(directory + folder + link->name) : Fd(); is_right(found)) return found;
    }
  }
  not_linked_.insert(*self);
  return {};
}

void DebugFiles::forget() {
  not_in_directories_.clear();
  not_on_server_.clear();
  not_linked_.clear();
  checksums_.clear();
}

// A path that somebody's file names may be opened if it leads into one of the listed directories.
bool DebugFiles::is_listed(const std::string& path) const {
  return std::ranges::any_of(directories_, [&](const fs::path& directory) {
    std::error_code error;
    const fs::path real = fs::canonical(directory, error);
    return is_below(path, directory) || (!real.empty() && is_below(path, real));
  });
}

Fd DebugFiles::find_alternate(const ElfFile& file, int fd) {
  const auto link = read_alternate_link(file);
  if (!link) return {};
  const Accepts is_right = [&](int candidate) { return is_shared_debug_data(candidate, link->build_id); };
  if (Fd found = by_build_id(link->build_id, is_right)) return found;

  const std::string own_path = path_of(fd);
  const fs::path target = (fs::path(own_path).parent_path() / link->path).lexically_normal();
  if (target.is_absolute() && is_listed(target.string())) {
    if (Fd found = open_listed(target.string()); found && is_right(found.get())) return found;
  }
  // The whole of /usr/lib/debug may have been unpacked elsewhere.
  constexpr std::string_view shared_folder = "/.dwz/";
  if (const auto at = target.string().rfind(shared_folder); at != std::string::npos) {
    for (const std::string& directory : directories_) {
      if (Fd found = open_listed(directory + target.string().substr(at)); found && is_right(found.get())) return found;
    }
  }
  if (const auto beside = Beside::of(fd, own_path)) {
    if (Fd found = beside->open(link->path); found && is_right(found.get())) return found;
  }
  return from_server(link->build_id, is_right);
}

}  // namespace profile
