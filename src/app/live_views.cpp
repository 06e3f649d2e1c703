#include "app/live_views.h"

#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>

#include "app/options.h"
#include "app/parsed_options.h"
#include "app/push_sink.h"
#include "app/recording_sink.h"
#include "children/own_processes.h"
#include "model/wakers.h"
#include "support/clock.h"
#include "support/module.h"

namespace profile {
namespace {

// 0 when the kernel does not report it, or the process has ended.
std::uint64_t rss_bytes_of(const std::string& process) {
  std::ifstream statm("/proc/" + process + "/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t rss_bytes_of_children() {
  std::uint64_t sum = 0;
  for (const pid_t pid : own_processes()) sum += rss_bytes_of(std::to_string(pid));
  return sum;
}

}  // namespace

std::optional<LiveOptions> live_options_of(const ParsedOptions& parsed) {
  if (!parsed.is_on("serve")) {
    for (const char* const name : {"path", "port", "listen", "allow-host"}) {
      if (parsed.has(name)) throw usage_error("--" + std::string(name) + " is for the live page: not without -T");
    }
    return std::nullopt;
  }
  LiveOptions live;
  live.port = static_cast<std::uint16_t>(parsed.number("port", live.port, UINT16_MAX, 0));
  if (parsed.has("path")) live.path = parsed.text("path");
  if (parsed.has("listen")) live.address = parsed.text("listen");
  live.hosts = parsed.texts("allow-host", "a name");
  return live;
}

// Both views are of runs with one event.
std::vector<SinkRequest> request_live_page(const ParsedOptions& parsed, const Options& /*options*/) {
  const auto live = live_options_of(parsed);
  if (!live) return {};
  const auto make = [live = *live](std::size_t /*event*/, const SinkNeeds& needs) {
    SaveRecording save;
    if (needs.recording) {
      save = [recording = needs.recording](double last_s, auto done) { recording->save(last_s, std::move(done)); };
    }
    const auto pushes = [push = needs.push] { return push ? push->counts() : std::vector<PushCounts>(); };
    return std::make_unique<LivePage>(live, std::move(save), pushes, needs.say);
  };
  return {{.make = make, .pace_s = live_tick_s, .apart = true}};
}

std::vector<SinkRequest> request_top_view(const ParsedOptions& /*parsed*/, const Options& options) {
  if (!options.top_view) return {};
  const auto make = [](std::size_t /*event*/, const SinkNeeds& needs) {
    return std::make_unique<TerminalSink>(needs.messages, needs.on_quit);
  };
  return {{.make = make, .pace_s = live_tick_s}};
}

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
                       .cpu_s = to_seconds(OwnCpuTime::own_ns()),
                       .rss_bytes = rss_bytes_of("self"),
                       .children_cpu_s = to_seconds(cpu_time_.children_ns()),
                       .children_rss_bytes = rss_bytes_of_children(),
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
