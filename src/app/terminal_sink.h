// The sink that feeds the terminal view of --top, and gives the view its keys.
#pragma once

#include <functional>
#include <memory>

#include "app/profile_sink.h"
#include "terminal/view.h"

namespace profile {

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
  [[nodiscard]] bool is_live() const override { return is_open(); }

 private:
  const TopViewModule& module_;
  std::function<void()> on_quit_;
  EventLoop* loop_ = nullptr;      // while it watches the terminal
  std::unique_ptr<TopView> view_;  // nullptr: the terminal is as it was
};

}  // namespace profile
