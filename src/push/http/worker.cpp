#include "push/http/worker.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "children/wire.h"
#include "push/retry.h"

namespace profile {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds between_news{200};
// How long an answer may still take when the main process is gone: with it, the request is not sent again later.
constexpr milliseconds last_patience{1000};
constexpr milliseconds longest_rest{10'000};
// Without a spool. It is a few minutes of a busy machine, for each target.
constexpr std::uint64_t most_bytes_in_memory = std::uint64_t{32} << 20;

QueueBounds bounds_of(const PushSettings& settings, bool has_spool) {
  if (!has_spool) return {.bytes = most_bytes_in_memory, .bytes_in_memory = most_bytes_in_memory};
  return {.bytes = settings.spool_bytes / settings.targets.size(), .bytes_in_memory = most_bytes_in_memory};
}

bool is_readable(int fd) {
  pollfd awaited{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&awaited, 1, 0) > 0;
}

// Empty if the file does not have it.
std::string content_of(const Fd& file, std::uint64_t at, std::uint64_t bytes) {
  std::string content(bytes, '\0');
  std::size_t got = 0;
  while (got < content.size()) {
    const ssize_t part = ::pread(file.get(), content.data() + got, content.size() - got, static_cast<off_t>(at + got));
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) return {};
    got += static_cast<std::size_t>(part);
  }
  return content;
}

}  // namespace

PushWorker::PushWorker(const PushSettings& settings, std::vector<Fd> spools, WaitingChannel main_process)
    : settings_(settings), main_process_(std::move(main_process)), client_(settings), random_(std::random_device()()) {
  for (std::size_t i = 0; i < settings.targets.size(); ++i) {
    Fd spool = spools.empty() ? Fd() : std::move(spools[i]);
    const QueueBounds bounds = bounds_of(settings, !settings.spool.empty());
    targets_.push_back({.queue = RequestQueue(bounds, std::move(spool)),
                        .sending = {},
                        .exchange = {},
                        .server = {},
                        .not_before = {},
                        .state = {}});
  }
  has_news_ = true;
}

void PushWorker::run() {
  Clock::time_point alone_since;
  for (;;) {
    if (!is_alone_ && !is_stopping_) send_oldest();
    if (is_alone_ && (!client_.is_busy() || Clock::now() - alone_since > last_patience)) return;
    for (const HttpClient::Result& result : client_.wait(is_alone_ ? -1 : main_process_.fd(), time_to_wait())) {
      settle(result);
    }
    if (is_alone_) continue;
    take_orders();
    if (is_alone_) alone_since = Clock::now();
    tell();
  }
}

void PushWorker::take_orders() {
  while (is_readable(main_process_.fd())) {
    auto message = main_process_.receive();
    if (!message) {
      is_alone_ = true;
      return;
    }
    take_order(std::move(*message));
    ++orders_;
    has_news_ = true;
  }
}

void PushWorker::take_order(Message message) {
  WireReader in(message.bytes);
  const auto order = in.one_of(PushOrder::count);
  if (order == PushOrder::stop) is_stopping_ = true;
  if (order == PushOrder::finish) {
    is_finishing_ = true;
    for (Target& target : targets_) {
      target.failures = 0;
      target.not_before = {};
    }
  }
  if (order != PushOrder::push) return;
  const auto index = in.get<std::uint32_t>();
  std::vector<PushedRequest> requests;
  in.read(requests);
  if (!in.is_whole() || index >= targets_.size() || message.fds.size() != 1) return;
  Target& target = targets_[index];
  std::uint64_t at = 0;
  for (const PushedRequest& request : requests) {
    std::string body = content_of(message.fds[0], std::exchange(at, at + request.bytes), request.bytes);
    if (body.empty()) {
      target.state.counts.lost_samples += request.samples;
    } else {
      target.queue.add(std::move(body), request.samples);
    }
  }
  if (!target.queue.trouble().empty()) target.state.spool_trouble = target.queue.trouble();
}

void PushWorker::send_oldest() {
  const Clock::time_point now = Clock::now();
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    Target& target = targets_[i];
    if (client_.is_busy(i) || target.queue.empty() || now < target.not_before) continue;
    auto request = target.queue.oldest();
    if (!request) continue;
    target.exchange =
        exchange_of(settings_.targets[i], std::exchange(request->body, {}), request->was_sent, target.server);
    client_.post(i, target.exchange->request());
    target.sending = std::move(request);
  }
}

void PushWorker::settle(const HttpClient::Result& result) {
  Target& target = targets_[result.target];
  const auto settled = target.exchange->take(result.answer);
  if (!settled) {
    if (!is_stopping_ && !is_alone_) return client_.post(result.target, target.exchange->request());
    target.sending.reset();
    target.exchange.reset();
    target.queue.put_back();
    has_news_ = true;
    return;
  }
  const ServerAnswer& answer = *settled;
  const RequestQueue::Request request = std::exchange(target.sending, std::nullopt).value_or(RequestQueue::Request());
  target.exchange.reset();
  PushCounts& counts = target.state.counts;
  if (!answer.why.empty()) target.state.trouble = answer.why;
  if (answer.lacks_tables) ++counts.missing_tables;
  has_news_ = true;
  if (answer.fate == RequestFate::again) {
    target.queue.put_back();
    ++counts.failed_tries;
    ++target.failures;
    target.state.has_tried = is_finishing_;
    target.not_before = Clock::now() + wait_after(target.failures, chance(), result.answer.retry_after);
    return;
  }
  target.failures = 0;
  target.not_before = {};
  target.queue.remove(request);
  if (answer.fate == RequestFate::never) {
    counts.refused_samples += request.samples;
  } else {
    counts.sent_samples += request.samples;
    ++counts.sent_requests;
  }
}

void PushWorker::tell() {
  const Clock::time_point now = Clock::now();
  if (!has_news_ || (now - told_at_ < between_news && !is_finishing_)) return;
  PushState state{.orders = orders_, .is_resting = !client_.is_busy(), .targets = {}};
  for (const Target& target : targets_) {
    TargetState& told = state.targets.emplace_back(target.state);
    told.counts.lost_samples += target.queue.lost_samples();
    told.counts.waiting_requests = target.queue.requests();
    told.counts.waiting_samples = target.queue.samples();
    told.counts.waiting_bytes = target.queue.bytes();
    told.counts.oldest_unix_s = target.queue.oldest_unix_s();
    told.counts.unsaved_samples = target.queue.samples_in_memory();
  }
  told_at_ = now;
  if (!main_process_.send_at_once(message_of(state), {})) return;  // it is busy, and is told later
  has_news_ = false;
  for (Target& target : targets_) target.state.trouble = target.state.spool_trouble = {};
}

milliseconds PushWorker::time_to_wait() const {
  const Clock::time_point now = Clock::now();
  Clock::time_point until = now + longest_rest;
  if (is_alone_) until = now + last_patience;
  if (has_news_) until = std::min(until, told_at_ + between_news);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (!client_.is_busy(i) && !is_stopping_ && !targets_[i].queue.empty())
      until = std::min(until, targets_[i].not_before);
  }
  return std::max(std::chrono::ceil<milliseconds>(until - now), milliseconds(0));
}

double PushWorker::chance() { return std::uniform_real_distribution<>(0, 1)(random_); }

}  // namespace profile
