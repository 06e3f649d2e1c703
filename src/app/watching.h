// Who looks on while a run goes on: the page of -T, the terminal of --top.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "terminal/view.h"
#include "web/view.h"

namespace profile {

class Watching {
 public:
  // Opens the page if the options ask for one, and loads what the terminal needs. Throws Error when it cannot; as the
  // next.
  // `run` must outlive it.
  Watching(const Options& options, const RunInfo& run);
  // Takes the terminal over if the options ask for that. The last: what there is to say before is said on it as it was.
  void open_terminal();

  [[nodiscard]] bool any() const { return live_ != nullptr || top_ != nullptr; }
  [[nodiscard]] bool has_terminal() const { return top_ != nullptr; }
  // Where the page is; empty when there is none.
  [[nodiscard]] std::string url() const { return live_ ? live_->url() : ""; }
  // What was sampled since the last call. `account` and `cost` are those of the run up to now.
  void add(std::shared_ptr<const Profile> profile, const Account& account, const BpfCost& cost);

  // Of the terminal; only with has_terminal().
  [[nodiscard]] int terminal_fd() const { return top_->poll_fd(); }
  [[nodiscard]] bool on_terminal_ready() { return top_->on_ready(); }
  void on_resize() { top_->on_resize(); }
  // Gives the terminal back.
  void close_terminal() { top_.reset(); }
  // The run is over.
  void end();

 private:
  const TopViewModule* terminal_;  // nullptr: not asked for
  const RunInfo& run_;
  std::unique_ptr<LiveView> live_;
  std::unique_ptr<TopView> top_;
};

}  // namespace profile
