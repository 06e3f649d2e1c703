// The sinks of --push and --store: one for each event of the run, and what they share: the child that pushes, and which
// process belongs to which service.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/process_labels.h"
#include "app/push_options.h"
#include "app/sink.h"
#include "output/output.h"
#include "push/pusher.h"
#include "store/batch.h"

namespace profile {

class SharedPush {
 public:
  // Starts the child. `say` prints a line for the person. Throws Error.
  SharedPush(const PushOptions& options, std::size_t events, AskFacts facts,
             std::function<void(const std::string&)> say);

  void begin(std::size_t event, const RunInfo& run) { names_[event] = profile_name_of(run.event); }
  void watch(EventLoop& loop);
  // Cuts the profile by service and pushes the parts.
  void add(std::size_t event, const Profile& profile);
  // The last of the events waits until the server has all.
  void end();
  [[nodiscard]] bool is_open() const { return !pusher_.is_gone(); }
  // Whether there are samples that no server and no spool has.
  [[nodiscard]] bool has_failed() const;
  [[nodiscard]] std::vector<std::string> answer() const;
  [[nodiscard]] std::vector<PushCounts> counts() const { return pusher_.counts(); }

 private:
  struct Part {
    std::vector<Row> rows;
    std::uint64_t samples = 0;
  };
  void look();
  [[nodiscard]] std::map<PushLabels, Part> parts_of(const Profile& profile);
  [[nodiscard]] std::string version_of(const Profile& profile, const Part& part) const;
  // What the server of a store is known to have.
  void note_stored();

  PushOptions options_;
  Services services_;
  std::function<void(const std::string&)> say_;
  Output pprof_;
  std::vector<std::string> names_;  // of the profiles of each event
  struct Store {
    std::size_t target = 0;
    StoreBatches batches;
    // As far as they were noted.
    std::uint64_t lost_samples = 0;
    std::uint64_t missing_tables = 0;
  };
  std::vector<Store> stores_;
  bool pushes_profiles_ = false;  // there are other servers
  std::size_t ended_ = 0;         // events
  Pusher pusher_;
};

class PushSink : public ProfileSink {
 public:
  PushSink(std::shared_ptr<SharedPush> push, std::size_t event) : push_(std::move(push)), event_(event) {}

  void begin(const RunInfo& run) override { push_->begin(event_, run); }
  void watch(EventLoop& loop) override {
    if (is_first()) push_->watch(loop);
  }
  void add(const std::shared_ptr<const Profile>& profile, const RunStatus& /*status*/) override {
    push_->add(event_, *profile);
  }
  void end() override { push_->end(); }
  [[nodiscard]] bool is_open() const override { return push_->is_open(); }
  // What can no longer be sent is counted.
  [[nodiscard]] bool wants_more() const override { return true; }
  [[nodiscard]] bool has_failed() const override { return push_->has_failed(); }
  [[nodiscard]] std::vector<std::string> answer() const override {
    return is_first() ? push_->answer() : std::vector<std::string>();
  }

 private:
  [[nodiscard]] bool is_first() const { return event_ == 0; }

  std::shared_ptr<SharedPush> push_;
  std::size_t event_;
};

}  // namespace profile
