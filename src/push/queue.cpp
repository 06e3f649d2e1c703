#include "push/queue.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "support/text_parts.h"

namespace profile {
namespace {

constexpr const char* unfinished_name = "new.request";
constexpr std::string_view ending = ".request";
constexpr std::size_t number_digits = 16;

std::string name_of(std::uint64_t number, std::uint64_t samples) {
  char name[64];
  std::snprintf(name, sizeof name, "%016" PRIu64 "-%" PRIu64 ".request", number, samples);
  return name;
}

struct Named {
  std::uint64_t number = 0;
  std::uint64_t samples = 0;
};
std::optional<Named> parse_name(std::string_view name) {
  if (!name.ends_with(ending)) return std::nullopt;
  name.remove_suffix(ending.size());
  const std::string_view digits = take_until(name, '-');
  const auto number = parse_number<std::uint64_t>(digits);
  const auto samples = parse_number<std::uint64_t>(name);
  if (!number || !samples || digits.size() < number_digits) return std::nullopt;
  return Named{.number = *number, .samples = *samples};
}

// Calls that are interrupted go on. False: errno says why.
template <class Way>
bool move_bytes(const Way& way, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t moved = way(done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved == 0) errno = EIO;
    if (moved <= 0) return false;
    done += static_cast<std::size_t>(moved);
  }
  return true;
}

}  // namespace

RequestQueue::RequestQueue(QueueBounds bounds, Fd directory) : bounds_(bounds), directory_(std::move(directory)) {
  if (!directory_) return;
  take_over();
  keep_bounds();
}

void RequestQueue::take_over() {
  ::unlinkat(directory_.get(), unfinished_name, 0);
  const int listed = ::openat(directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> names(listed < 0 ? nullptr : ::fdopendir(listed), ::closedir);
  if (!names) return;
  while (const dirent* const found = ::readdir(names.get())) {
    const auto named = parse_name(found->d_name);
    struct stat file {};
    if (!named || ::fstatat(directory_.get(), found->d_name, &file, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(file.st_mode)) continue;
    const auto bytes = static_cast<std::uint64_t>(file.st_size);
    entries_.push_back({.number = named->number,
                        .samples = named->samples,
                        .bytes = bytes,
                        .unix_s = static_cast<std::uint64_t>(file.st_mtim.tv_sec),
                        .body = std::nullopt,
                        .was_sent = true});
    bytes_ += bytes;
    samples_ += named->samples;
  }
  std::ranges::sort(entries_, {}, &Entry::number);
  if (!entries_.empty()) next_number_ = entries_.back().number + 1;
}

bool RequestQueue::write(const Entry& entry, const std::string& body) {
  const Fd file(::openat(directory_.get(), unfinished_name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                         S_IRUSR | S_IWUSR));
  const auto put = [&](std::size_t done) { return ::write(file.get(), body.data() + done, body.size() - done); };
  const std::string name = name_of(entry.number, entry.samples);
  if (file && move_bytes(put, body.size()) &&
      ::renameat(directory_.get(), unfinished_name, directory_.get(), name.c_str()) == 0) {
    trouble_.clear();
    return true;
  }
  trouble_ = std::generic_category().message(errno);
  ::unlinkat(directory_.get(), unfinished_name, 0);
  return false;
}

void RequestQueue::add(std::string body, std::uint64_t samples) {
  Entry entry{.number = next_number_++,
              .samples = samples,
              .bytes = body.size(),
              .unix_s = static_cast<std::uint64_t>(std::time(nullptr)),
              .body = std::nullopt};
  bytes_ += entry.bytes;
  samples_ += samples;
  if (!directory_ || !write(entry, body)) {
    bytes_in_memory_ += entry.bytes;
    samples_in_memory_ += samples;
    entry.body = std::move(body);
  }
  entries_.push_back(std::move(entry));
  keep_bounds();
}

std::optional<RequestQueue::Request> RequestQueue::oldest() {
  while (!entries_.empty()) {
    const Entry& first = entries_.front();
    sent_number_ = first.number;
    Request request{
        .number = first.number, .samples = first.samples, .body = first.body.value_or(""), .was_sent = first.was_sent};
    if (first.body) return request;
    const std::string name = name_of(first.number, first.samples);
    const Fd file(::openat(directory_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    request.body.resize(first.bytes);
    const auto get = [&](std::size_t done) {
      return ::read(file.get(), request.body.data() + done, request.body.size() - done);
    };
    if (file && move_bytes(get, request.body.size())) return request;
    lose(entries_.begin());
  }
  sent_number_ = 0;
  return std::nullopt;
}

void RequestQueue::put_back() {
  const auto entry = std::ranges::find(entries_, sent_number_, &Entry::number);
  if (entry != entries_.end()) entry->was_sent = true;
  sent_number_ = 0;
}

void RequestQueue::remove(const Request& request) {
  const auto entry = std::ranges::find(entries_, request.number, &Entry::number);
  if (entry != entries_.end()) erase(entry);
  sent_number_ = 0;
}

void RequestQueue::erase(const std::deque<Entry>::iterator& entry) {
  bytes_ -= entry->bytes;
  samples_ -= entry->samples;
  if (entry->body) {
    bytes_in_memory_ -= entry->bytes;
    samples_in_memory_ -= entry->samples;
  } else {
    ::unlinkat(directory_.get(), name_of(entry->number, entry->samples).c_str(), 0);
  }
  entries_.erase(entry);
}

void RequestQueue::lose(const std::deque<Entry>::iterator& entry) {
  lost_samples_ += entry->samples;
  erase(entry);
}

std::deque<RequestQueue::Entry>::iterator RequestQueue::oldest_idle(bool only_in_memory) {
  return std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.number != sent_number_ && (entry.body || !only_in_memory); });
}

void RequestQueue::keep_bounds() {
  const auto lose_oldest = [this](bool only_in_memory) {
    const auto entry = oldest_idle(only_in_memory);
    if (entry == entries_.end()) return false;
    lose(entry);
    return true;
  };
  while (bytes_ > bounds_.bytes && lose_oldest(false)) continue;
  while (bytes_in_memory_ > bounds_.bytes_in_memory && lose_oldest(true)) continue;
}

}  // namespace profile
