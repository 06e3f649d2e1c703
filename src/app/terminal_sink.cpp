#include "app/terminal_sink.h"

#include <utility>

#include "support/module.h"

namespace profile {

TerminalSink::TerminalSink(std::function<void()> on_quit)
    : module_(load_module<TopViewModule>()), on_quit_(std::move(on_quit)) {}

void TerminalSink::watch(EventLoop& loop) {
  if (!view_) return;
  loop_ = &loop;
  loop.add(view_->poll_fd(), [this] {
    if (view_ && !view_->on_ready()) on_quit_();
  });
}

void TerminalSink::add(const std::shared_ptr<const Profile>& profile, const RunStatus& /*status*/) {
  if (view_) view_->add(*profile);
}

void TerminalSink::close() {
  if (!view_) return;
  if (loop_ != nullptr) loop_->remove(view_->poll_fd());
  loop_ = nullptr;
  view_.reset();
}

void TerminalSink::resize() {
  if (view_) view_->on_resize();
}

}  // namespace profile
