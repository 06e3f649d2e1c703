#include "app/live_views.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "model/wakers.h"
#include "support/module.h"

namespace profile {
namespace {

double own_cpu_s() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// 0 when the kernel does not report it.
std::uint64_t own_rss_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

LivePage::LivePage(const LiveOptions& options, SaveRecording save, std::function<std::vector<PushCounts>()> pushes,
                   std::function<void(const std::string&)> say)
    : view_(load_module<LiveViewModule>().make(options, std::move(save))),
      pushes_(std::move(pushes)),
      say_(std::move(say)) {}

void LivePage::begin(const RunInfo& run) {
  view_->begin(run);
  say_("the page is at " + view_->url());
}

void LivePage::add(const std::shared_ptr<const Profile>& profile, const RunStatus& status) {
  view_->add(profile, {.account = status.account,
                       .cpu_s = own_cpu_s(),
                       .rss_bytes = own_rss_bytes(),
                       .bpf_ns = status.cost.run_time_ns,
                       .bpf_runs = status.cost.runs,
                       .pushes = pushes_()});
}

TerminalSink::TerminalSink(Messages& messages, std::function<void()> on_quit)
    : module_(load_module<TopViewModule>()), messages_(messages), on_quit_(std::move(on_quit)) {
  module_.check();
}

void TerminalSink::begin(const RunInfo& run) {
  view_ = module_.make(run);
  messages_.hold();
}

void TerminalSink::watch(EventLoop& loop) {
  loop_ = &loop;
  loop.add(view_->poll_fd(), [this] {
    if (!view_ || view_->on_ready()) return;
    give_terminal_back();
    on_quit_();
  });
}

void TerminalSink::add(const std::shared_ptr<const Profile>& profile, const RunStatus& /*status*/) {
  if (view_) view_->add(has_wakers(*profile) ? with_wakers_appended(*profile) : *profile);
}

void TerminalSink::give_terminal_back() {
  if (!view_) return;
  if (loop_ != nullptr) loop_->remove(view_->poll_fd());
  view_.reset();
  messages_.release();
}

void TerminalSink::on_resize() {
  if (view_) view_->on_resize();
}

}  // namespace profile
