// The sinks that feed the live views: the page of -T and the terminal view of --top.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/profile_sink.h"
#include "terminal/view.h"
#include "web/view.h"

namespace profile {

class LivePage : public ProfileSink {
 public:
  // Loads the module and starts to listen. Throws Error when that fails.
  LivePage(const LiveOptions& options, const RunInfo& run);

  [[nodiscard]] std::string url() const { return view_->url(); }
  void add(const std::shared_ptr<const Profile>& profile, const RunStatus& status) override;
  void end() override { view_->end(); }
  [[nodiscard]] bool is_open() const override { return true; }
  [[nodiscard]] std::optional<double> pace_s() const override { return live_tick_s; }

 private:
  std::unique_ptr<LiveView> view_;
};

// It also gives the terminal view its keys.
class TerminalSink : public ProfileSink {
 public:
  // Loads the module. Throws Error when that fails. `on_quit` is called when the user quits or the terminal is closed.
  explicit TerminalSink(std::function<void()> on_quit);

  // Takes over the terminal. Throws Error when that fails. Messages before it are printed on the normal terminal.
  void open(const RunInfo& run) { view_ = module_.make(run); }
  // Restores the terminal.
  void close();
  // The terminal may have another size now.
  void resize();

  void watch(EventLoop& loop) override;
  void add(const std::shared_ptr<const Profile>& profile, const RunStatus& status) override;
  void end() override { close(); }
  [[nodiscard]] bool is_open() const override { return view_ != nullptr; }
  [[nodiscard]] std::optional<double> pace_s() const override {
    return is_open() ? std::optional<double>(live_tick_s) : std::nullopt;
  }

 private:
  const TopViewModule& module_;
  std::function<void()> on_quit_;
  EventLoop* loop_ = nullptr;      // while it watches the terminal
  std::unique_ptr<TopView> view_;  // nullptr: the terminal is as it was
};

}  // namespace profile
