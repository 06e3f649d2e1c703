#include "app/live_page.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

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

LivePage::LivePage(const LiveOptions& options, const RunInfo& run)
    : view_(load_module<LiveViewModule>().make(options, run)) {}

void LivePage::add(const std::shared_ptr<const Profile>& profile, const RunStatus& status) {
  view_->add(profile, {.account = status.account,
                       .cpu_s = own_cpu_s(),
                       .rss_bytes = own_rss_bytes(),
                       .bpf_ns = status.cost.run_time_ns,
                       .bpf_runs = status.cost.runs});
}

}  // namespace profile
