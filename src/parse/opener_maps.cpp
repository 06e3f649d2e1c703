// How the opener's side in the main process gets what run-times tell about their code: perf maps, and jitdumps, which
// are mapped. Perf maps are opened when they are needed; maps of processes whose /tmp goes away with them are held.
#include <signal.h>

#include <algorithm>
#include <cerrno>

#include "parse/opener.h"

namespace profile {
namespace {

// For processes in containers: the longest time between two looks for a map, and for how many processes maps are held.
constexpr std::chrono::milliseconds most_map_patience{10'000};
constexpr std::size_t most_held_maps = 256;
// Of them, for one user who is not root.
constexpr std::ptrdiff_t most_held_by_user = 64;

bool is_gone_process(std::uint32_t tgid) { return ::kill(static_cast<pid_t>(tgid), 0) != 0 && errno == ESRCH; }

}  // namespace

void Opener::hold_perf_map(std::uint32_t tgid, std::optional<std::uint32_t> user) {
  if (!held_maps_.contains(tgid)) {
    const auto is_of_user = [user](const auto& held) { return held.second.user == user; };
    if (held_maps_.size() >= most_held_maps) return;
    if (user != 0U && std::ranges::count_if(held_maps_, is_of_user) >= most_held_by_user) return;
  }
  HeldMap& map = held_maps_[tgid];
  map.user = user;
  if (map.number == FileNumber::none) map.number = new_number();
  ask_for_map(tgid, map);
}

void Opener::ask_for_map(std::uint32_t tgid, HeldMap& map) {
  const auto now = std::chrono::steady_clock::now();
  if (map.is_open || is_exhausted_ || now < map.ask_again) return;
  // Most processes never write a map, so the time between looks grows.
  map.ask_again = now + map.patience;
  map.patience = std::min(2 * map.patience, most_map_patience);
  const std::uint64_t id = send(OpenerCall::perf_map, map.number, tgid, std::optional<std::uint32_t>());
  asked_maps_[id] = {.tgid = tgid, .number = map.number};
}

void Opener::ask_for_maps() {
  for (auto& [tgid, map] : held_maps_) ask_for_map(tgid, map);
}

FileNumber Opener::open_perf_map(std::uint32_t tgid, std::optional<std::uint32_t> last_user,
                                 std::uint64_t& size_bytes) {
  pump();
  const auto held = held_maps_.find(tgid);
  const auto is_held = [&] { return held != held_maps_.end() && held->second.is_open; };
  // While the process lives, its map may be another file by now.
  if (!is_held() || !is_gone_process(tgid)) {
    const FileNumber number = new_number();
    std::uint64_t owner = 0;
    const FileFault reason = ask(std::tie(size_bytes, owner), OpenerCall::perf_map, number, tgid, last_user);
    if (opened_as(number, reason) == FileFault::none) {
      note_owner(number, owner);
      return number;
    }
    if (!is_held()) return FileNumber::none;
  }
  size_bytes = held->second.size_bytes;
  return held->second.number;
}

std::optional<std::uint64_t> Opener::size_of(FileNumber number) {
  std::uint64_t size_bytes = 0;
  const FileFault reason = ask(std::tie(size_bytes), OpenerCall::size, number);
  return reason == FileFault::none ? std::optional(size_bytes) : std::nullopt;
}

void Opener::leave_perf_map(std::uint32_t tgid, FileNumber number) {
  const auto held = held_maps_.find(tgid);
  if (held == held_maps_.end() || held->second.number != number) return close(number);
  if (is_gone_process(tgid)) drop_perf_map(tgid);
}

void Opener::drop_perf_map(std::uint32_t tgid) {
  const auto held = held_maps_.find(tgid);
  if (held == held_maps_.end()) return;
  if (held->second.is_open) close(held->second.number);
  held_maps_.erase(held);
}

}  // namespace profile
