#include "push/spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <thread>

#include "files/caller.h"
#include "files/place.h"
#include "support/ascii.h"
#include "support/deadline.h"
#include "support/error.h"
#include "support/hash.h"

namespace profile {
namespace {

constexpr std::size_t most_spooled_name_bytes = 100;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error("--spool " + path + ": " + why);
}

Fd open_directory(int parent, const std::string& name) {
  return Fd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Made if it is missing. Nobody but this user and root may be able to put another directory into its place, or files
// into it.
Fd open_parent(const std::string& path) {
  const std::size_t end = path.find_last_not_of('/') + 1;
  const std::size_t slash = path.find_last_of('/', end == 0 ? 0 : end - 1);
  const Place place = find_directory(path, {.made_from = slash == std::string::npos ? 0 : slash + 1});
  if (place.failure.error != 0) refuse(path, words_of(place.failure));
  Fd parent = open_directory(place.directory.get(), ".");
  struct stat found {};
  if (!parent || ::fstat(parent.get(), &found) != 0) throw system_error("--spool " + path, errno);
  if (!current_caller().trusts(found.st_uid)) refuse(path, "it belongs to another user");
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) refuse(path, "others may write in this directory");
  return parent;
}

// The child of a run that was just ended may still wait for an answer.
bool lock(const Fd& directory) {
  constexpr std::chrono::milliseconds patience{2000};
  constexpr std::chrono::milliseconds look_every{20};
  const Deadline deadline(patience);
  while (::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) {
    if (deadline.is_over()) return false;
    std::this_thread::sleep_for(look_every);
  }
  return true;
}

Fd open_spool(const std::string& path, const Fd& parent, const std::string& name, uid_t owner) {
  if (::mkdirat(parent.get(), name.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    throw system_error("--spool " + path + ": cannot make a directory in it", errno);
  }
  Fd directory = open_directory(parent.get(), name);
  if (!directory) throw system_error("--spool " + path + ": cannot open " + name, errno);
  if (::geteuid() == 0 && ::fchown(directory.get(), owner, owner) != 0) {
    throw system_error("--spool " + path + ": cannot give " + name + " to the process that pushes", errno);
  }
  if (::fchmod(directory.get(), S_IRWXU) != 0) throw system_error("--spool " + path + ": " + name, errno);
  if (!lock(directory)) refuse(path, "another run uses it");
  return directory;
}

}  // namespace

std::string spool_name_of(const PushTarget& target) {
  const auto is_plain = [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-'; };
  std::string name = target.name.substr(0, most_spooled_name_bytes);
  std::ranges::replace_if(
      name, [&](char c) { return !is_plain(c); }, '_');
  std::uint64_t hash = 0;  // the same in each run
  for (const char c : target.name) hash = hash_of(hash, static_cast<unsigned char>(c));
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr;
  return name.append(1, '-').append(digits.data(), end);
}

std::vector<Fd> open_spools(const std::string& path, const std::vector<PushTarget>& targets, uid_t owner) {
  const Fd parent = open_parent(path);
  std::vector<Fd> spools;
  spools.reserve(targets.size());
  for (const PushTarget& target : targets) spools.push_back(open_spool(path, parent, spool_name_of(target), owner));
  return spools;
}

}  // namespace profile
