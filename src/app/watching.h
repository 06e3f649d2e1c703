// The live views of a run: the page of -T and the terminal view of --top.
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
  // Opens the page if the options ask for it, and loads the module of the terminal view. Throws Error when that fails.
  // `run` must outlive this object.
  Watching(const Options& options, const RunInfo& run);
  // Takes over the terminal if the options ask for it. Throws Error when that fails. Call it last, because messages
  // before it are printed on the normal terminal.
  void open_terminal();

  [[nodiscard]] bool any() const { return live_ != nullptr || top_ != nullptr; }
  [[nodiscard]] bool has_terminal() const { return top_ != nullptr; }
  // The address of the page; empty when there is none.
  [[nodiscard]] std::string url() const { return live_ ? live_->url() : ""; }
  // `profile` holds the samples since the last call. `account` and `cost` cover the run up to now.
  void add(std::shared_ptr<const Profile> profile, const Account& account, const BpfCost& cost);

  // The next three are for the terminal view; call them only if has_terminal().
  [[nodiscard]] int terminal_fd() const { return top_->poll_fd(); }
  [[nodiscard]] bool on_terminal_ready() { return top_->on_ready(); }
  void on_resize() { top_->on_resize(); }
  // Restores the terminal.
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
