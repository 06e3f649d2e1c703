#include "files/series_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <ostream>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "files/caller.h"
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

// The regular files of earlier runs of this user in `directory` whose names `is_one` accepts.
std::vector<OldFile> files_in(DIR* directory, const std::function<bool(std::string_view)>& is_one) {
  const Caller caller = current_caller();
  std::vector<OldFile> files;
  while (const dirent* entry = ::readdir(directory)) {
    if (!is_one(entry->d_name)) continue;
    struct stat status {};
    if (::fstatat(::dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(status.st_mode) || !caller.is_own(status.st_uid)) continue;
    files.push_back({.modified = status.st_mtim, .name = entry->d_name});
  }
  return files;
}

SeriesFiles::Outcome failed(int error) { return {.failure = {.error = error}}; }

}  // namespace

SeriesFiles::Outcome SeriesFiles::try_out() const {
  const PathPattern::Path first = pattern_.expand(static_cast<std::uint64_t>(std::time(nullptr)) * 1'000'000'000, 1);
  const Place directory = open_directory(first.directory);
  if (directory.failure.error != 0) return {.failure = directory.failure, .is_served = directory.is_served};
  if (const int error = NewFile(directory.directory.get(), settings_.readers).error(); error != 0) {
    return {.failure = {.error = error}};
  }
  // This also finds a name that is too long. A name with a time need not replace anything.
  Failure refusal = refusal_to_replace(directory, first.name);
  if (pattern_.is_timed() && !refusal.why.empty()) refusal = {};
  return {.failure = std::move(refusal)};
}

std::string SeriesFiles::path(std::uint64_t unix_ns, std::uint64_t again) const {
  return pattern_.expand(unix_ns, written_ + 1, again).whole();
}

// Opens the directory again for every file, because it may have been replaced.
Place SeriesFiles::open_directory(const std::string& path) const {
  DirectoryNeeds needs{.stops_at_served = !may_wait_};
  if (pattern_.directory_varies()) {
    needs.made_from = pattern_.fixed_directory().size();
  } else if (settings_.makes_directory) {
    needs.made_from = path.rfind('/', path.size() - 2) + 1;
  }
  return find_directory(path, needs);
}

SeriesFiles::Outcome SeriesFiles::attempt(std::uint64_t unix_ns,
                                          const std::function<void(std::ostream&)>& print) const {
  const Place directory = open_directory(pattern_.expand(unix_ns, written_ + 1).directory);
  if (directory.failure.error != 0) return {.failure = directory.failure, .is_served = directory.is_served};
  NewFile file(directory.directory.get(), settings_.readers);
  if (file.error() != 0) return failed(file.error());
  try {
    FdBuffer buffer(file.fd());
    std::ostream out(&buffer);
    print(out);
    out.flush();
    if (buffer.error() != 0) return failed(buffer.error());
  } catch (const Error& error) {  // for example, no memory for a picture
    return {.failure = {.error = ECANCELED, .why = error.what()}};
  }
  if (const int error = file.finish(); error != 0) return failed(error);

  // A film may overwrite the frames of an earlier one. A name with a time may be taken, by another run or because the
  // clock was set back.
  const auto if_taken = pattern_.is_timed() ? NewFile::IfTaken::fail : NewFile::IfTaken::replace;
  for (std::uint64_t again = path(unix_ns) == last_name_ ? last_again_ + 1 : 1;; ++again) {
    const std::string name = pattern_.expand(unix_ns, written_ + 1, again).name;
    if (if_taken == NewFile::IfTaken::replace) {
      if (Failure refusal = refusal_to_replace(directory, name); refusal.error != 0) return {.failure = refusal};
    }
    const int error = file.publish(name, if_taken);
    if (error != EEXIST || again >= most_again) return {.failure = {.error = error}, .again = again};
  }
}

SeriesFiles::Outcome SeriesFiles::write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print) const {
  Outcome outcome = attempt(unix_ns, print);
  // The oldest files would be removed soon anyway. But at least one file must stay until there is another.
  const int error = outcome.failure.error;
  const bool is_full = error == ENOSPC || error == EDQUOT;
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
  const Place place = open_directory(directory);
  if (place.failure.error != 0) return 0;
  const Listing listing = list(place.directory);
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
