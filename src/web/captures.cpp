// mutex_ is held only while the list is used: adding up and compressing take long, and new requests must not wait for
// that. The contents of a capture belong to the thread of the ticks until the capture is answered.
#include "web/captures.h"

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>

#include "output/output.h"
#include "support/clock.h"

namespace profile {
namespace {

std::string pprof_of(const Profile& profile) {
  std::ostringstream out;
  // Addresses are hidden: a client that may connect must not learn where the kernel lies in memory.
  find_output_format("pprof")->make({.hide_addresses = true})->report(out, profile);
  return std::move(out).str();
}

}  // namespace

std::shared_ptr<LiveCaptures::Capture> LiveCaptures::begin(std::uint32_t seconds, const std::function<void()>& pause,
                                                           std::function<void()> go_on, std::function<bool()> is_gone) {
  const std::scoped_lock lock(mutex_);
  if (has_ended_ || captures_.size() >= limits_.captures) return nullptr;
  auto capture = std::make_shared<Capture>();
  capture->began_ns_ = monotonic_ns();
  capture->wanted_ns_ = seconds * ns_per_s;
  capture->go_on_ = std::move(go_on);
  capture->is_gone_ = std::move(is_gone);
  captures_.push_back(capture);
  pause();
  return capture;
}

std::size_t LiveCaptures::count() const {
  const std::scoped_lock lock(mutex_);
  return captures_.size();
}

void LiveCaptures::answer(const std::function<bool(const Capture&)>& is_done) {
  std::vector<std::shared_ptr<Capture>> done;
  {
    const std::scoped_lock lock(mutex_);
    done.reserve(captures_.size());  // nothing may fail between removing a capture and resuming its connection
    std::erase_if(captures_, [&](const auto& capture) {
      const bool is_over = is_done(*capture);
      if (is_over) done.push_back(capture);
      return is_over;
    });
  }
  for (const auto& capture : done) {
    try {
      if (capture->profile_ && !capture->is_gone_()) capture->answer_ = pprof_of(*capture->profile_);
    } catch (const std::exception&) {  // no memory: the client still gets an answer, but without a file
      capture->answer_.clear();
    }
    capture->profile_.reset();
    capture->go_on_();
  }
}

void LiveCaptures::add(const Profile& tick) {
  std::vector<std::shared_ptr<Capture>> captures;
  {
    const std::scoped_lock lock(mutex_);
    captures = captures_;
  }
  for (const auto& capture : captures) {
    // Only whole ticks count: in a tick that began before the request, samples from before it cannot be separated.
    if (tick.began_ns < capture->began_ns_) continue;
    if (!capture->profile_) {
      capture->profile_ = std::make_unique<Profile>();
      capture->profile_->run = tick.run;
      capture->profile_->run.duration_s = to_seconds(capture->wanted_ns_);
    }
    capture->profile_->merge(tick);
  }
  answer([&](const Capture& capture) {
    if (!capture.profile_) return false;
    // Ticks are not exactly equally long, so a missing half tick does not matter.
    const bool has_enough = capture.profile_->duration_ns + tick.duration_ns / 2 >= capture.wanted_ns_;
    return has_enough || capture.profile_->frames().size() + capture.profile_->stack_count() > limits_.frames;
  });
}

void LiveCaptures::skip(const Account& account) {
  if (account.taken == 0) return;
  const std::scoped_lock lock(mutex_);
  for (const auto& capture : captures_) {
    if (!capture->profile_) continue;
    capture->profile_->account.asked += account.asked;
    capture->profile_->account.taken += account.taken;
    capture->profile_->account.idle += account.idle;
    capture->profile_->account.filtered += account.filtered;
    capture->profile_->account.lost_unread += account.taken - account.idle - account.filtered;
  }
}

void LiveCaptures::tidy() {
  const std::uint64_t now_ns = monotonic_ns();
  const auto patience_ns = to_ns(limits_.patience_s);
  answer([&](const Capture& capture) {
    return now_ns > capture.began_ns_ + capture.wanted_ns_ + patience_ns || capture.is_gone_();
  });
}

void LiveCaptures::end() {
  {
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
  }
  answer([](const Capture&) { return true; });
}

}  // namespace profile
