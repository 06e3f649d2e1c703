#include "app/watching.h"

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

Watching::Watching(const Options& options, const RunInfo& run)
    : terminal_(options.top_view ? &load_module<TopViewModule>() : nullptr), run_(run) {
  if (options.live) live_ = load_module<LiveViewModule>().make(*options.live, run);
}

void Watching::open_terminal() {
  if (terminal_ != nullptr) top_ = terminal_->make(run_);
}

void Watching::add(std::shared_ptr<const Profile> profile, const Account& account, const BpfCost& cost) {
  if (top_) top_->add(*profile);
  if (!live_) return;
  live_->add(std::move(profile), {.account = account,
                                  .cpu_s = own_cpu_s(),
                                  .rss_bytes = own_rss_bytes(),
                                  .bpf_ns = cost.run_time_ns,
                                  .bpf_runs = cost.runs});
}

void Watching::end() {
  close_terminal();
  if (live_) live_->end();
}

}  // namespace profile
