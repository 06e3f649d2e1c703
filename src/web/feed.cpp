#include "web/feed.h"

#include <exception>
#include <utility>

#include "model/wakers.h"
#include "support/blocked_signals.h"
#include "support/clock.h"

namespace profile {
namespace {

// The limits of the queue to the thread: the number of ticks, and the sum of their size_of().
constexpr std::size_t longest_queue = 12;
constexpr std::size_t largest_queue = 300'000;
// Ticks that are still in the queue at this time after the end of the run are ignored.
constexpr std::uint64_t patience_at_end_ns = ns_per_s;
// The longest time without an event; then a comment is sent, because proxies and browsers take a silent connection for
// dead.
constexpr std::uint64_t comment_after_ns = 15 * ns_per_s;
constexpr auto look_around = std::chrono::seconds(1);

std::size_t size_of(const Profile& profile) {
  return profile.frames().size() + profile.stack_count() + profile.rows().size();
}

}  // namespace

LiveFeed::LiveFeed(const RunInfo& run, std::uint64_t longest_silence_ns)
    : history_(run, monotonic_ns(), unix_offset_ns(), {}),
      events_({}),
      longest_silence_ns_(longest_silence_ns),
      heard_ns_(monotonic_ns()) {
  published_ns_ = heard_ns_;
  events_.on_wanted([this] {
    const std::scoped_lock lock(mutex_);
    is_woken_ = true;
    changed_.notify_one();
  });
  // The threads of the live view must not receive signals, because the session waits for Ctrl-C.
  const BlockedSignals blocked(BlockedSignals::all());
  thread_ = std::thread([this] { this->run(); });
}

void LiveFeed::close() {
  end();
  if (thread_.joinable()) thread_.join();
  events_.close();
}

// The caller holds `mutex_`.
void LiveFeed::count(const Profile& profile, const StackEndCounts& ends) {
  if (profile.run.is_state) {
    figures_.value = 0;
    figures_.user_stacks = StackEndCounts();
  }
  figures_.value += profile.total();
  figures_.user_stacks.add(ends);
}

void LiveFeed::add(std::shared_ptr<const Profile> profile, const LiveView::Status& status) {
  const std::scoped_lock lock(mutex_);
  figures_.status = status;
  heard_ns_ = monotonic_ns();
  ++figures_.ticks;
  const std::size_t size = size_of(*profile);
  // It takes the place of a state that waits.
  if (profile->run.is_state) {
    queue_.clear();
    queue_size_ = 0;
  }
  if (queue_.empty() || (queue_.size() < longest_queue && queue_size_ + size <= largest_queue)) {
    queue_size_ += size;
    queue_.push_back({.profile = std::move(profile), .status = status});
  } else {
    newly_skipped_ += profile->total();
    StackEndCounts ends;
    ends.add(*profile);
    count(*profile, ends);
    skipped_account_ += profile->account;
  }
  changed_.notify_one();
}

void LiveFeed::end() {
  const std::scoped_lock lock(mutex_);
  if (!has_ended_) ended_ns_ = monotonic_ns();
  has_ended_ = true;
  changed_.notify_one();
}

void LiveFeed::wait_for_answers(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return has_answered_; });
}

LiveFigures LiveFeed::figures() const {
  const LiveEvents::Counts clients = events_.counts();
  const std::size_t captures = captures_.count();
  const std::scoped_lock lock(mutex_);
  LiveFigures figures = figures_;
  figures.clients = clients;
  figures.captures = captures;
  figures.silence_ns = monotonic_ns() - heard_ns_;
  return figures;
}

bool LiveFeed::is_healthy() const {
  const std::scoped_lock lock(mutex_);
  return !has_ended_ && monotonic_ns() - heard_ns_ < longest_silence_ns_;
}

void LiveFeed::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait_for(lock, look_around, [this] { return !queue_.empty() || is_woken_ || has_ended_; });
    is_woken_ = false;
    if (has_ended_ && (queue_.empty() || monotonic_ns() - ended_ns_ > patience_at_end_ns)) break;
    const std::uint64_t skipped = std::exchange(newly_skipped_, 0);
    const Account of_skipped = std::exchange(skipped_account_, {});
    figures_.skipped += skipped;
    Tick tick;
    if (!queue_.empty()) {
      tick = std::move(queue_.front());
      queue_.pop_front();
      queue_size_ -= size_of(*tick.profile);
    }
    const bool is_last = has_ended_;
    lock.unlock();
    // If there is no memory, something is not shown. That must not end the run, whose reports do not need this thread.
    try {
      if (skipped != 0) history_.skip(skipped);
      captures_.skip(of_skipped);
      if (tick.profile) take(tick);
      if (!is_last) serve();
    } catch (const std::exception&) {
      events_.reset();
    }
    tick = {};  // freeing a large profile takes long, so it is done without the mutex
    lock.lock();
  }
  lock.unlock();
  captures_.end();
  events_.end();
  lock.lock();
  has_answered_ = true;
  changed_.notify_all();
}

void LiveFeed::take(const Tick& tick) {
  const bool is_woken = has_wakers(*tick.profile);
  const std::string text =
      history_.add(is_woken ? with_wakers_appended(*tick.profile) : *tick.profile, tick.status.account);
  if (text.empty()) {
    events_.reset();
  } else {
    events_.publish(text);
  }
  published_ns_ = monotonic_ns();
  captures_.add(*tick.profile);
  const FlameHistory& stacks = history_.stacks();
  StackEndCounts ends;
  ends.add(*tick.profile);
  const std::scoped_lock lock(mutex_);
  count(*tick.profile, ends);
  figures_.nodes = stacks.table().nodes().size();
  figures_.owners = stacks.table().owners().size();
  figures_.text_bytes = stacks.text_bytes();
  figures_.folded_nodes = stacks.folded_nodes();
}

void LiveFeed::serve() {
  const std::uint64_t now_ns = monotonic_ns();
  captures_.tidy();
  if (events_.wants_snapshot()) events_.set_snapshot(history_.snapshot(now_ns));
  if (now_ns - published_ns_ >= comment_after_ns) {
    events_.publish_comment();
    published_ns_ = now_ns;
  }
}

}  // namespace profile
