// The work of the child that pushes: takes orders, queues them, sends the oldest of each target, and tells how it goes.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "children/channel.h"
#include "push/child.h"
#include "push/exchange.h"
#include "push/http/client.h"
#include "push/queue.h"

namespace profile {

class PushWorker {
 public:
  PushWorker(const PushSettings& settings, std::vector<Fd> spools, WaitingChannel main_process);
  // Works until the main process is gone.
  void run();

 private:
  using Clock = std::chrono::steady_clock;

  struct Target {
    RequestQueue queue;
    std::optional<RequestQueue::Request> sending;  // without its body
    std::unique_ptr<Exchange> exchange;            // for it
    StoreServer server;
    unsigned failures = 0;  // in a row
    Clock::time_point not_before;
    TargetState state;
  };

  void take_orders();
  void take_order(Message message);
  void send_oldest();
  void settle(const HttpClient::Result& result);
  void tell();
  [[nodiscard]] std::chrono::milliseconds time_to_wait() const;
  [[nodiscard]] double chance();

  const PushSettings& settings_;
  WaitingChannel main_process_;
  HttpClient client_;
  std::vector<Target> targets_;
  std::minstd_rand random_;
  std::uint64_t orders_ = 0;
  bool is_finishing_ = false;
  bool is_stopping_ = false;
  bool is_alone_ = false;  // the main process is gone
  bool has_news_ = false;  // that were not told
  Clock::time_point told_at_;
};

}  // namespace profile
