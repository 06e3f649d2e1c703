#include "children/patience.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "support/end_request.h"
#include "support/text_file.h"

namespace profile {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds step{100};
// A process that has a CPU is never late by this much.
constexpr milliseconds late{100};
constexpr int most_more = 300;

// The state stands behind the name, and the name may have any character in it.
char state_in(const std::string& stat) {
  const auto end = stat.rfind(") ");
  return end != std::string::npos && end + 2 < stat.size() ? stat[end + 2] : '?';
}

}  // namespace

bool waits_for_cpu(pid_t process) {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(process) + "/task", error);
  for (auto task = begin(tasks); !error && task != end(tasks); task.increment(error)) {
    if (const auto line = read_first_line(task->path() / "stat"); line && state_in(*line) == 'R') return true;
  }
  return false;
}

bool is_stopped(pid_t process) {
  const auto line = read_first_line("/proc/" + std::to_string(process) + "/stat");
  return line && (state_in(*line) == 'T' || state_in(*line) == 't');
}

Patience::Patience(pid_t child, milliseconds patience)
    : child_(child), over_at_(Clock::now() + patience), asked_at_(Clock::now()), more_(most_more) {}

milliseconds Patience::next() {
  const auto now = Clock::now();
  if (now - asked_at_ > step + late) over_at_ += now - asked_at_ - step;
  asked_at_ = now;
  const auto left = std::chrono::ceil<milliseconds>(over_at_ - now);
  if (is_end_pressing()) return milliseconds(0);
  if (left.count() > 0) return std::min(left, step);
  if (more_ == 0 || !waits_for_cpu(child_)) return milliseconds(0);
  --more_;
  return step;
}

}  // namespace profile
