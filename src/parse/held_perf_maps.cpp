#include "parse/held_perf_maps.h"

#include <algorithm>
#include <utility>

namespace profile {
namespace {

// The longest time between two looks for a map, and for how many processes maps are held.
constexpr std::chrono::milliseconds most_patience{10'000};
constexpr std::size_t most_held = 256;
// Of them, for one user who is not root.
constexpr std::ptrdiff_t most_held_by_user = 64;

}  // namespace

void HeldPerfMaps::want(std::uint32_t tgid, std::optional<std::uint32_t> user, FileNumber number) {
  if (!wanted_.contains(tgid)) {
    const auto is_of_user = [user](const auto& other) { return other.second.user == user; };
    if (wanted_.size() >= most_held) return;
    if (user != 0U && std::ranges::count_if(wanted_, is_of_user) >= most_held_by_user) return;
  }
  const auto [wanted, is_new] = wanted_.try_emplace(tgid);
  if (is_new) wanted->second.map.number = number;
  wanted->second.user = user;
}

void HeldPerfMaps::ask_where_due(const Ask& ask) {
  const auto now = std::chrono::steady_clock::now();
  for (auto& [tgid, wanted] : wanted_) {
    if (wanted.is_open || now < wanted.ask_again) continue;
    // Most processes never write a map, so the time between looks grows.
    wanted.ask_again = now + wanted.patience;
    wanted.patience = std::min(2 * wanted.patience, most_patience);
    asked_[ask(tgid, wanted.map.number)] = wanted.map.number;
  }
}

FileNumber HeldPerfMaps::take_asked(std::uint64_t question) {
  const auto asked = asked_.extract(question);
  return asked ? asked.mapped() : FileNumber::none;
}

bool HeldPerfMaps::note_open(const Held& map) {
  const auto wanted = std::ranges::find(wanted_, map.number, [](const auto& entry) { return entry.second.map.number; });
  if (wanted == wanted_.end()) return false;
  wanted->second.map = map;
  wanted->second.is_open = true;
  return true;
}

std::optional<HeldPerfMaps::Held> HeldPerfMaps::find(std::uint32_t tgid) const {
  const auto wanted = wanted_.find(tgid);
  return wanted != wanted_.end() && wanted->second.is_open ? std::optional(wanted->second.map) : std::nullopt;
}

std::optional<HeldPerfMaps::Held> HeldPerfMaps::drop(std::uint32_t tgid) {
  const auto map = find(tgid);
  wanted_.erase(tgid);
  return map;
}

}  // namespace profile
