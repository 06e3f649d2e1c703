#include "parse/opener_files.h"

#include <algorithm>
#include <utility>

#include "support/clock.h"

namespace profile {
namespace {

constexpr unsigned most_forgiven = 3;
constexpr std::uint64_t first_distrust_ns = 30'000'000'000;
constexpr unsigned most_doublings = 7;  // an hour

}  // namespace

KeptFilePtr OpenerFiles::find(FileNumber number) {
  const std::lock_guard lock(mutex_);
  const auto at = kept_.find(number);
  return at == kept_.end() ? nullptr : at->second;
}

KeptFilePtr OpenerFiles::keep(FileNumber number, KeptFile file) {
  auto place = std::make_shared<const KeptFile>(std::move(file));
  KeptFilePtr before;  // it is closed without the lock
  const std::lock_guard lock(mutex_);
  before = std::exchange(kept_[number], place);
  return place;
}

void OpenerFiles::begin_close(FileNumber number, std::uint64_t question) {
  const std::lock_guard lock(mutex_);
  const auto at = kept_.find(number);
  if (at == kept_.end()) return;
  closing_[question] = std::move(at->second);
  kept_.erase(at);
}

KeptFilePtr OpenerFiles::find_closing(std::uint64_t question) {
  const std::lock_guard lock(mutex_);
  const auto at = closing_.find(question);
  return at == closing_.end() ? nullptr : at->second;
}

// The caller that found the file still holds it, so the descriptor is closed later, without the lock.
void OpenerFiles::close(std::uint64_t question) {
  const std::lock_guard lock(mutex_);
  closing_.erase(question);
}

std::map<FileOwner, std::uint64_t> OpenerFiles::closings() {
  std::map<FileOwner, std::uint64_t> one_of_each;
  const std::lock_guard lock(mutex_);
  for (const auto& [question, file] : closing_) one_of_each.try_emplace(file->owner, question);
  return one_of_each;
}

std::optional<std::uint64_t> OpenerFiles::closing_of(const FileOwner& owner) {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::find_if(closing_, [&](const auto& entry) { return entry.second->owner == owner; });
  return at == closing_.end() ? std::nullopt : std::optional(at->first);
}

void OpenerFiles::ban(const FileOwner& owner) {
  const std::lock_guard lock(mutex_);
  Ban& ban = bans_[owner];
  ban.holds = true;
  ++ban.times;
}

void OpenerFiles::distrust(const FileOwner& owner) {
  const std::lock_guard lock(mutex_);
  distrust_for_longer(bans_[owner]);
}

void OpenerFiles::distrust_for_longer(Ban& ban) {
  ban.until_ns = monotonic_ns() + (first_distrust_ns << std::min(ban.times_distrusted++, most_doublings));
}

void OpenerFiles::forgive(const FileOwner& owner) {
  const std::lock_guard lock(mutex_);
  const auto ban = bans_.find(owner);
  if (ban == bans_.end()) return;
  ban->second.holds = false;
  if (ban->second.times > most_forgiven) distrust_for_longer(ban->second);
}

bool OpenerFiles::is_banned(const FileOwner& owner) {
  const std::lock_guard lock(mutex_);
  const auto ban = bans_.find(owner);
  return ban != bans_.end() && (ban->second.holds || monotonic_ns() < ban->second.until_ns);
}

void OpenerFiles::set_way(WayNumber way, Fd link) {
  Way before;  // it is closed without the lock
  const std::lock_guard lock(mutex_);
  before = std::exchange(ways_[way % way_count], {way, std::make_shared<const WaitingChannel>(std::move(link))});
}

bool OpenerFiles::give(WayNumber way, FileNumber number, int fd) {
  std::unique_lock lock(mutex_);
  const Way found = ways_[way % way_count];
  lock.unlock();
  if (found.number != way || !found.link) return false;
  const std::lock_guard giving(giving_);
  return hand_over(*found.link, value_of(number), fd);
}

void OpenerFiles::answer(std::string_view message) {
  const std::lock_guard lock(answering_);
  questions_.send(message);
}

}  // namespace profile
