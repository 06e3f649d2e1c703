// The sinks that feed the live views: the page of -T and the terminal view of --top.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cpu_limit.h"
#include "app/messages.h"
#include "app/sink.h"
#include "terminal/view.h"
#include "web/view.h"

namespace profile {

// The options of the page. nullopt: none is asked for. Throws a usage Error.
[[nodiscard]] std::optional<LiveOptions> live_options_of(const ParsedOptions& parsed);

class LivePage : public ProfileSink {
 public:
  // Loads the module and starts to listen. Throws Error when that fails. `save` may be empty: see make_live_view().
  // `pushes` tells, for /metrics, what was pushed so far. `say` prints where the page is.
  LivePage(const LiveOptions& options, SaveRecording save, std::function<std::vector<PushCounts>()> pushes,
           std::function<void(const std::string&)> say);

  void begin(const RunInfo& run) override;
  void add(const std::shared_ptr<const Profile>& profile, const RunStatus& status) override;
  void end() override { view_->end(); }
  [[nodiscard]] bool is_open() const override { return true; }

 private:
  std::unique_ptr<LiveView> view_;
  std::function<std::vector<PushCounts>()> pushes_;
  std::function<void(const std::string&)> say_;
  OwnCpuTime cpu_time_;
};

// It has the terminal from begin() until the user quits or the run ends. It also gives the view its keys.
class TerminalSink : public ProfileSink {
 public:
  // Loads the module and checks the terminal. Throws Error when it cannot be used. `messages` are held while the view
  // has the terminal. `on_quit` is called when the user has quit or the terminal was closed.
  TerminalSink(Messages& messages, std::function<void()> on_quit);

  void begin(const RunInfo& run) override;
  void watch(EventLoop& loop) override;
  void add(const std::shared_ptr<const Profile>& profile, const RunStatus& status) override;
  void end() override { give_terminal_back(); }
  void on_resize() override;
  void give_terminal_back() override;
  [[nodiscard]] bool is_open() const override { return view_ != nullptr; }

 private:
  const TopViewModule& module_;
  Messages& messages_;
  std::function<void()> on_quit_;
  EventLoop* loop_ = nullptr;      // while it watches the terminal
  std::unique_ptr<TopView> view_;  // nullptr: the terminal is as it was
};

}  // namespace profile
