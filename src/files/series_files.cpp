#include "files/series_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <ostream>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "files/fd_buffer.h"
#include "files/new_file.h"
#include "support/error.h"
#include "support/fd.h"

namespace profile {
namespace {

// More files of one name can only be a mistake.
constexpr std::uint64_t most_again = 1'000'000;

struct OldFile {
  timespec modified;
  std::string name;
  std::size_t place = 0;  // order among the files of this run, from 1 on; 0: of an earlier run
};

// The regular files of this user in `directory` whose names `is_one` accepts.
std::vector<OldFile> files_in(DIR* directory, const std::function<bool(std::string_view)>& is_one) {
  std::vector<OldFile> files;
  while (const dirent* entry = ::readdir(directory)) {
    if (!is_one(entry->d_name)) continue;
    struct stat status {};
    if (::fstatat(::dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) continue;
    files.push_back({.modified = status.st_mtim, .name = entry->d_name});
  }
  return files;
}

// Makes the missing levels of `path` after its first `fixed` bytes, which end with a slash. False: errno says why.
bool make_levels(const std::string& path, std::size_t fixed) {
  for (std::size_t end = path.find('/', fixed); end != std::string::npos; end = path.find('/', end + 1)) {
    if (end != fixed && ::mkdir(path.substr(0, end).c_str(), 0777) != 0 && errno != EEXIST) return false;
  }
  return true;
}

}  // namespace

int SeriesFiles::try_out() const {
  const PathPattern::Path first = pattern_.expand(static_cast<std::uint64_t>(std::time(nullptr)) * 1'000'000'000, 1);
  const Fd directory(open_directory(first.directory));
  if (!directory) return errno;
  if (const int error = NewFile(directory.get()).error(); error != 0) return error;
  // Finds a name that is too long, for example.
  struct stat status {};
  const bool is_answered = ::fstatat(directory.get(), first.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  return is_answered || errno == ENOENT ? 0 : errno;
}

std::string SeriesFiles::path(std::uint64_t unix_ns, std::uint64_t again) const {
  return pattern_.expand(unix_ns, written_ + 1, again).whole();
}

// Returns a descriptor, or -1 and errno. Opens the directory again for every file, because it may have been replaced.
int SeriesFiles::open_directory(const std::string& path) const {
  const auto open = [&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); };
  const int fd = open();
  if (fd >= 0 || errno != ENOENT) return fd;
  std::size_t fixed = 0;
  if (pattern_.directory_varies()) {
    fixed = pattern_.fixed_directory().size();
  } else if (settings_.makes_directory) {
    fixed = path.rfind('/', path.size() - 2) + 1;
  } else {
    return fd;
  }
  return make_levels(path, fixed) ? open() : -1;
}

SeriesFiles::Outcome SeriesFiles::attempt(std::uint64_t unix_ns,
                                          const std::function<void(std::ostream&)>& print) const {
  const Fd directory(open_directory(pattern_.expand(unix_ns, written_ + 1).directory));
  if (!directory) return {.error = errno};
  NewFile file(directory.get());
  if (file.error() != 0) return {.error = file.error()};
  try {
    FdBuffer buffer(file.fd());
    std::ostream out(&buffer);
    print(out);
    out.flush();
    if (buffer.error() != 0) return {.error = buffer.error()};
  } catch (const Error& error) {  // for example, no memory for a picture
    return {.error = ECANCELED, .why = error.what()};
  }
  if (const int error = file.finish(); error != 0) return {.error = error};

  // A film may overwrite the frames of an earlier one. A name with a time may be taken, by another run or because the
  // clock was set back.
  const auto if_taken = pattern_.is_timed() ? NewFile::IfTaken::fail : NewFile::IfTaken::replace;
  for (std::uint64_t again = path(unix_ns) == last_name_ ? last_again_ + 1 : 1;; ++again) {
    const int error = file.publish(pattern_.expand(unix_ns, written_ + 1, again).name, if_taken);
    if (error != EEXIST || again >= most_again) return {.error = error, .again = again};
  }
}

SeriesFiles::Outcome SeriesFiles::write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print) const {
  Outcome outcome = attempt(unix_ns, print);
  // The oldest files would be removed soon anyway. But at least one file must stay until there is another.
  const bool is_full = outcome.error == ENOSPC || outcome.error == EDQUOT;
  if (!is_full || !settings_.keep) return outcome;
  const std::string directory = pattern_.expand(unix_ns, written_ + 1).directory;
  if (remove_old(directory, std::max<std::uint64_t>(*settings_.keep - 1, 1)) == 0) return outcome;
  return attempt(unix_ns, print);
}

void SeriesFiles::note_written(std::uint64_t unix_ns, std::uint64_t again) {
  last_name_ = path(unix_ns);
  last_again_ = again;
  PathPattern::Path written = pattern_.expand(unix_ns, written_ + 1, again);
  ++written_;
  last_directory_ = std::move(written.directory);
  own_.push_back(std::move(written.name));
  if (own_.size() > settings_.keep.value_or(0)) own_.pop_front();
}

void SeriesFiles::remove_old() const {
  if (settings_.keep) static_cast<void>(remove_old(last_directory_, *settings_.keep));
}

// Leaves the `keep` newest files of the directory; returns how many it removed.
std::size_t SeriesFiles::remove_old(const std::string& directory, std::uint64_t keep) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(directory.c_str()), ::closedir);
  if (!listing) return 0;
  std::vector<OldFile> files = files_in(listing.get(), [&](std::string_view name) { return pattern_.matches(name); });
  if (files.size() <= keep) return 0;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const std::string& name : own_) places.insert_or_assign(name, places.size() + 1);
  for (OldFile& file : files) {
    if (const auto own = places.find(file.name); own != places.end()) file.place = own->second;
  }
  const auto age = [](const OldFile& file) {
    return std::tie(file.place, file.modified.tv_sec, file.modified.tv_nsec, file.name);
  };
  std::sort(files.begin(), files.end(), [&](const OldFile& a, const OldFile& b) { return age(a) > age(b); });
  std::size_t removed = 0;
  for (std::size_t i = keep; i < files.size(); ++i) {
    if (::unlinkat(::dirfd(listing.get()), files[i].name.c_str(), 0) == 0) ++removed;
  }
  return removed;
}

}  // namespace profile
