#include "symbol/expired_frames.h"

#include <algorithm>

#include "process/timeline.h"

namespace profile {

// Looks at each frame once: where an address lies does not change any more.
void ExpiredFrames::sort(const Profile& profile, const ProcessTimeline& timeline) {
  const auto frames = profile.frames();
  std::unordered_map<ProcessId, const CodeFile*> dumps;
  for (; sorted_ < frames.size(); ++sorted_) {
    const Frame& frame = frames[sorted_];
    if (frame.unnamed != Unnamed::pending || frame.kind == FrameKind::kernel) continue;
    const Process& process = profile.process(frame.space);
    const CodeLocation location =
        timeline.locate(process.tgid, process.image, call_address(frame.address, frame.is_return));
    if (location.kind == CodeLocation::Kind::file) by_file_[location.file].push_back(sorted_);
    if (location.kind != CodeLocation::Kind::jit) continue;
    by_process_[process.tgid].push_back(sorted_);
    const auto [known, is_new] = dumps.try_emplace(frame.space);
    if (is_new) known->second = timeline.jit_dump_of(process.tgid, process.image);
    if (known->second != nullptr) by_file_[known->second].push_back(sorted_);
  }
}

std::vector<Frame*> ExpiredFrames::take(Profile& profile, const ProcessTimeline& timeline) {
  sort(profile, timeline);
  std::vector<Frame*> expired;
  const auto take_from = [&](auto& frames_by_place, const auto& is_expired) {
    std::erase_if(frames_by_place, [&](const auto& one) {
      if (!is_expired(one.first)) return false;
      for (const std::size_t i : one.second) expired.push_back(&profile.frames()[i]);
      return true;
    });
  };
  take_from(by_file_, [](const CodeFile* file) { return file->is_expired(); });
  take_from(by_process_, [&](std::uint32_t tgid) { return timeline.is_perf_map_expired(tgid); });
  // A frame is in the list twice when its jitdump and its perf map expire together.
  std::ranges::sort(expired);
  expired.erase(std::unique(expired.begin(), expired.end()), expired.end());
  return expired;
}

void ExpiredFrames::clear() { *this = {}; }

}  // namespace profile
