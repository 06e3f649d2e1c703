#include "symbol/leaving_frames.h"

#include <algorithm>
#include <unordered_map>

#include "process/timeline.h"

namespace profile {

// Looks at each frame once: where an address lies does not change any more.
void LeavingFrames::sort(const Profile& profile, const ProcessTimeline& timeline) {
  const auto frames = profile.frames();
  std::unordered_map<ProcessId, const CodeFile*> dumps;
  for (; sorted_ < frames.size(); ++sorted_) {
    const Frame& frame = frames[sorted_];
    if (frame.unnamed != Unnamed::pending || frame.kind == FrameKind::kernel) continue;
    const Process& process = profile.process(frame.space);
    const CodeLocation location = timeline.locate(process.tgid, process.image, RuntimeAddress{call_address(frame)});
    if (location.kind == CodeLocation::Kind::file) by_file_[location.file].push_back(sorted_);
    if (location.kind != CodeLocation::Kind::jit) continue;
    by_process_[process.tgid].push_back(sorted_);
    const auto [known, is_new] = dumps.try_emplace(frame.space);
    if (is_new) known->second = timeline.jit_dump_of(process.tgid, process.image);
    if (known->second != nullptr) by_file_[known->second].push_back(sorted_);
  }
}

std::vector<Frame*> LeavingFrames::take(Profile& profile, const ProcessTimeline& timeline) {
  sort(profile, timeline);
  std::vector<Frame*> leaving;
  const auto take_all = [&](const Indices& frames) {
    for (const std::size_t i : frames) leaving.push_back(&profile.frames()[i]);
  };
  std::erase_if(by_file_, [&](const auto& one) {
    if (!one.first->is_leaving()) return false;
    take_all(one.second);
    return true;
  });
  std::erase_if(by_process_, [&](const auto& one) {
    if (!timeline.is_perf_map_leaving(one.first)) return false;
    take_all(one.second);
    return true;
  });
  // A frame is in the list twice when its jitdump and its perf map leave together.
  std::ranges::sort(leaving);
  leaving.erase(std::unique(leaving.begin(), leaving.end()), leaving.end());
  return leaving;
}

void LeavingFrames::clear() { *this = {}; }

}  // namespace profile
