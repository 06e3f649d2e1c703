#include "web/saves.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace profile {
namespace {

// Each takes as much memory as the recording, for as long as its client reads.
constexpr std::size_t most_saves = 2;

}  // namespace

struct LiveSaves::Waiting {
  std::mutex mutex;
  std::vector<std::shared_ptr<Save>> saves;
  bool has_ended = false;
};

LiveSaves::LiveSaves(SaveRecording save) : save_(std::move(save)), waiting_(std::make_shared<Waiting>()) {}

std::shared_ptr<LiveSaves::Save> LiveSaves::begin(double last_s, const std::function<void()>& pause,
                                                  std::function<void()> go_on) {
  auto save = std::make_shared<Save>();
  save->go_on = std::move(go_on);
  {
    const std::scoped_lock lock(waiting_->mutex);
    if (!save_ || waiting_->has_ended || waiting_->saves.size() >= most_saves) return nullptr;
    waiting_->saves.push_back(save);
    pause();
  }
  save_(last_s, [waiting = waiting_, save](std::string bytes) {
    const std::scoped_lock lock(waiting->mutex);
    const auto at = std::ranges::find(waiting->saves, save);
    if (at == waiting->saves.end()) return;
    waiting->saves.erase(at);
    save->answer = std::move(bytes);
    save->go_on();
  });
  return save;
}

void LiveSaves::end() {
  const std::scoped_lock lock(waiting_->mutex);
  waiting_->has_ended = true;
  for (const auto& save : waiting_->saves) save->go_on();
  waiting_->saves.clear();
}

}  // namespace profile
