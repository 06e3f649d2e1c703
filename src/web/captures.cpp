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

constexpr std::size_t most_captures = 4;
// The limit for frames plus stacks of one capture; beyond that it is answered early.
constexpr std::size_t most_frames = 500'000;
// The waiting time of a capture after its seconds, when no ticks come.
constexpr std::uint64_t patience_ns = 10 * ns_per_s;

std::string pprof_of(const Profile& profile) {
  std::ostringstream out;
  // Addresses are hidden: a client that may connect must not learn where the kernel lies in memory.
  find_output_format("pprof")->make({.hide_addresses = true}).report(out, profile);
  return std::move(out).str();
}

}  // namespace

std::shared_ptr<LiveCaptures::Capture> LiveCaptures::begin(CaptureQuery query, const std::function<void()>& pause,
                                                           std::function<void()> go_on, std::function<bool()> is_gone) {
  const std::scoped_lock lock(mutex_);
  if (has_ended_ || captures_.size() >= most_captures) return nullptr;
  auto capture = std::make_shared<Capture>();
  capture->began_ns = monotonic_ns();
  capture->wanted_ns = query.seconds * ns_per_s;
  capture->tgids = std::move(query.tgids);
  capture->go_on = std::move(go_on);
  capture->is_gone = std::move(is_gone);
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
      if (capture->profile && !capture->is_gone()) capture->answer = pprof_of(*capture->profile);
    } catch (const std::exception&) {  // no memory: the client still gets an answer, but without a file
      capture->answer.clear();
    }
    capture->profile.reset();
    capture->go_on();
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
    if (tick.began_ns < capture->began_ns) continue;
    if (!capture->profile) {
      capture->profile = std::make_unique<Profile>();
      capture->profile->run = tick.run;
      capture->profile->run.duration_s = to_seconds(capture->wanted_ns);
    }
    if (capture->tgids.empty()) {
      capture->profile->merge(tick);
    } else {
      Profile chosen = tick;
      chosen.keep_rows([&](const Row& row) {
        return std::ranges::find(capture->tgids, chosen.process(row.process).tgid) != capture->tgids.end();
      });
      capture->profile->merge(chosen);
    }
  }
  answer([&](const Capture& capture) {
    if (!capture.profile) return false;
    // Ticks are not exactly equally long, so a missing half tick does not matter.
    const bool has_enough = capture.profile->duration_ns + tick.duration_ns / 2 >= capture.wanted_ns;
    return has_enough || capture.profile->frames().size() + capture.profile->stack_count() > most_frames;
  });
}

void LiveCaptures::skip(const Account& account) {
  if (account.taken == 0) return;
  const std::scoped_lock lock(mutex_);
  for (const auto& capture : captures_) {
    if (!capture->profile) continue;
    capture->profile->account.asked += account.asked;
    capture->profile->account.skipped += account.skipped;
    capture->profile->account.taken += account.taken;
    capture->profile->account.idle += account.idle;
    capture->profile->account.filtered += account.filtered;
    capture->profile->account.lost_unread += account.taken - account.idle - account.filtered;
  }
}

void LiveCaptures::tidy() {
  const std::uint64_t now_ns = monotonic_ns();
  answer([&](const Capture& capture) {
    return now_ns > capture.began_ns + capture.wanted_ns + patience_ns || capture.is_gone();
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
