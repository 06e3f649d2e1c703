// Connections are resumed only after mutex_ is released: the HTTP library takes its own lock to resume, and it calls
// readers while it holds other locks. A paused connection cannot disappear in between.
#include "web/events.h"

#include <algorithm>
#include <cstring>

namespace profile {
namespace {

// A snapshot stays in use for this many further texts, for clients that come at about the same time.
constexpr std::uint64_t snapshot_texts = 2;
constexpr std::string_view end_of_event = "\n\n";

std::string head_of(std::string_view event, std::uint64_t number) {
  return "event: " + std::string(event) + "\nid: " + std::to_string(number) + "\ndata: ";
}

}  // namespace

void LiveEvents::push(std::string text) {
  bytes_ += text.size();
  texts_.push_back(std::make_shared<const std::string>(std::move(text)));
  while (texts_.size() > 1 && (texts_.size() > limits_.texts || bytes_ > limits_.bytes)) {
    bytes_ -= texts_.front()->size();
    texts_.pop_front();
    ++first_number_;
  }
  if (end_number() > snapshot_number_ + snapshot_texts) snapshot_.reset();
}

template <class Change>
void LiveEvents::wake_after(const Change& change) {
  std::vector<std::function<void()>> paused;
  {
    const std::scoped_lock lock(mutex_);
    change();
    paused.reserve(readers_.size());  // push_back() must not fail after is_paused_ was cleared
    for (Reader* reader : readers_) {
      if (std::exchange(reader->is_paused_, false)) paused.push_back(reader->go_on_);
    }
  }
  for (const auto& go_on : paused) go_on();
}

void LiveEvents::publish(std::string_view json) {
  wake_after([&] { push(head_of("tick", end_number()).append(json).append(end_of_event)); });
}

void LiveEvents::publish_comment() {
  wake_after([this] { push(":\n\n"); });
}

void LiveEvents::reset() {
  wake_after([this] {
    // One number is left out, so that readers that have read all texts are behind, too.
    first_number_ = end_number() + 1;
    texts_.clear();
    bytes_ = 0;
    snapshot_.reset();
  });
}

bool LiveEvents::wants_snapshot() {
  const std::scoped_lock lock(mutex_);
  std::erase_if(snapshots_, [](const auto& one) { return one.expired(); });
  return is_wanted_ && !has_ended_ && snapshots_.size() < limits_.snapshots;
}

void LiveEvents::set_snapshot(std::string json) {
  wake_after([&] {
    snapshot_ = std::make_shared<const std::string>(json.append(end_of_event));
    snapshot_number_ = end_number();
    snapshots_.emplace_back(snapshot_);
    is_wanted_ = false;
  });
}

void LiveEvents::end() {
  wake_after([this] {
    if (!has_ended_) push(head_of("end", end_number()).append("{}").append(end_of_event));
    has_ended_ = true;
  });
}

void LiveEvents::close() {
  wake_after([this] { has_ended_ = is_closed_ = true; });
}

LiveEvents::Counts LiveEvents::counts() const {
  const std::scoped_lock lock(mutex_);
  Counts counts = counts_;
  counts.readers = readers_.size();
  return counts;
}

LiveEvents::Reader::Reader(LiveEvents& events, std::function<void()> pause, std::function<void()> go_on)
    : events_(events), pause_(std::move(pause)), go_on_(std::move(go_on)) {
  const std::scoped_lock lock(events_.mutex_);
  is_admitted_ = !events_.has_ended_ && events_.readers_.size() < events_.limits_.readers;
  if (is_admitted_) {
    events_.readers_.push_back(this);
  } else {
    ++events_.counts_.refused;
  }
}

LiveEvents::Reader::~Reader() {
  const std::scoped_lock lock(events_.mutex_);
  std::erase(events_.readers_, this);
}

// The caller holds the mutex.
bool LiveEvents::Reader::take_snapshot() {
  if (!events_.snapshot_ || events_.snapshot_number_ < events_.first_number_) return false;
  if (has_had_one_) ++events_.counts_.resets;
  position_ = events_.snapshot_number_;
  head_ = head_of(has_had_one_ ? "reset" : "hello", position_ - 1);
  text_ = events_.snapshot_;
  needs_snapshot_ = false;
  has_had_one_ = true;
  give_up_ns_ = events_.now_ns_() + to_ns(events_.limits_.patience_s);
  return true;
}

LiveEvents::Reader::State LiveEvents::Reader::next() {
  head_.clear();
  text_.reset();
  done_ = 0;
  give_up_ns_ = 0;
  const std::scoped_lock lock(events_.mutex_);
  if (events_.is_closed_) return State::over;
  needs_snapshot_ = needs_snapshot_ || position_ < events_.first_number_;
  if (needs_snapshot_ && take_snapshot()) return State::some;
  // There will be no more snapshots, so only the last text, the end event, is read.
  if (needs_snapshot_ && events_.has_ended_) {
    position_ = std::max(position_, events_.end_number() - 1);
    needs_snapshot_ = false;
  }
  if (!needs_snapshot_ && position_ < events_.end_number()) {
    text_ = events_.texts_[position_ - events_.first_number_];
    ++position_;
    return State::some;
  }
  if (events_.has_ended_) return State::over;
  is_paused_ = true;
  pause_();
  if (needs_snapshot_) {
    events_.is_wanted_ = true;
    if (events_.wanted_) events_.wanted_();
  }
  return State::paused;
}

LiveEvents::Reader::State LiveEvents::Reader::read(char* buffer, std::size_t& size) {
  const std::size_t most = std::exchange(size, 0);
  if (!is_admitted_) return State::over;
  while (size < most) {
    const std::size_t whole = head_.size() + (text_ ? text_->size() : 0);
    if (done_ == whole) {
      // Return the bytes in the buffer before the next event begins.
      if (size != 0) break;
      if (const State state = next(); state != State::some) return state;
      continue;
    }
    if (give_up_ns_ != 0 && events_.now_ns_() > give_up_ns_) {
      const std::scoped_lock lock(events_.mutex_);
      ++events_.counts_.dropped;
      return State::over;
    }
    const bool in_head = done_ < head_.size();
    const std::string_view from =
        in_head ? std::string_view(head_).substr(done_) : std::string_view(*text_).substr(done_ - head_.size());
    const std::size_t part = std::min(from.size(), most - size);
    std::memcpy(buffer + size, from.data(), part);
    size += part;
    done_ += part;
  }
  return State::some;
}

}  // namespace profile
