#include "output/frame_report.h"

#include <algorithm>
#include <string_view>

#include "model/stack_roots.h"
#include "output/text_table.h"

namespace profile {
namespace {

// Below this share nothing is reported about stacks without a root. Some samples are always in a prologue, before the
// frame pointer is set.
constexpr double rootless_share_said = 0.05;
constexpr std::size_t most_suspects = 4;

constexpr std::string_view reasons[] = {
    "",  // named
    "",  // pending
    "no symbol in their file",
    "file gone",
    "file changed since it was mapped",
    "file damaged or no ELF file",
    "JIT code without a perf map",
    "in no mapping (probably a broken frame-pointer chain)",
    "of a process gone or out of sight",
    "kernel addresses hidden",
    "in a file that only its user may open",
    "on a file system that does not answer",
    "reading their file was given up",
    "in a file too large to be read (--symbol-budget raises the bound)",
    "not read before the report was due (after the signal)",
    "in a file that was not opened, because the process for that had ended or did not get to it",
    "in code that was mapped too fast to be followed",
    "of functions of scripts whose names found no room in the ring buffer",
};
static_assert(std::size(reasons) == static_cast<std::size_t>(Unnamed::count));

std::string per_cent(std::uint64_t part, std::uint64_t whole) {
  constexpr double least = 0.05;  // a smaller share would be printed as "0.0 %"
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (part != 0 && share < least) return "<0.1 %";
  return decimal(share) + " %";
}

}  // namespace

void FrameReport::add(const Profile& profile) {
  for (const Row& row : profile.rows()) add(profile, row);
}

void FrameReport::add(const Profile& profile, const Row& row) {
  for (const StackId stack : {row.user, row.kernel}) {
    for (const FrameId id : profile.stack(stack)) {
      frames_ += row.samples;
      unnamed_[static_cast<std::size_t>(profile.frame(id).unnamed)] += row.samples;
    }
  }
  add_user_stack(profile, row);
}

void FrameReport::add_user_stack(const Profile& profile, const Row& row) {
  ends_.add(profile, row);
  const std::span<const FrameId> leaf_first = profile.stack(row.user);
  const StackEnd end = profile.end_of(row.user);
  if (leaf_first.empty() || (end != StackEnd::unknown && end != StackEnd::no_cfi)) return;
  const StackExtent extent = extent_of(profile, leaf_first);
  if (end == StackEnd::unknown) {
    if (extent.has_root) return;
    rootless_ += row.samples;
  }
  if (extent.trusted == 0) return;
  const std::string_view module = profile.strings.view(profile.frame(leaf_first[extent.trusted - 1]).module);
  if (module.empty()) return;
  (end == StackEnd::unknown ? without_root_ : without_cfi_)[std::string(module)] += row.samples;
}

// "libfoo.so (40), a.out (4)"
std::string FrameReport::worst_of(const Suspects& suspects) {
  std::vector<std::pair<std::uint64_t, std::string>> worst;
  for (const auto& [module, samples] : suspects) worst.emplace_back(samples, module);
  std::sort(worst.rbegin(), worst.rend());
  std::string text;
  for (std::size_t i = 0; i < std::min(worst.size(), most_suspects); ++i) {
    text += (i == 0 ? "" : ", ") + worst[i].second + " (" + std::to_string(worst[i].first) + ")";
  }
  return text;
}

// The reason that lists modules comes last, so that the modules are not mistaken for the next reason.
std::string FrameReport::incomplete_line() const {
  std::string line = per_cent(ends_.incomplete(), ends_.all()) + " of the user stacks are incomplete:";
  const char* separator = " ";
  const auto say = [&](StackEnd end, std::uint64_t samples) {
    if (samples == 0) return;
    line += separator + std::to_string(samples) + " " + std::string(words_of(end).words);
    separator = ", ";
  };
  ends_.each([&](StackEnd end, std::uint64_t samples) {
    if (is_incomplete(end) && end != StackEnd::no_cfi) say(end, samples);
  });
  say(StackEnd::no_cfi, ends_.of(StackEnd::no_cfi));
  if (!without_cfi_.empty()) line += " in: " + worst_of(without_cfi_);
  return line;
}

std::vector<std::string> FrameReport::lines() const {
  std::vector<std::string> lines;
  const std::uint64_t named = unnamed(Unnamed::named);
  if (named != frames_) {
    std::string line = per_cent(named, frames_) + " of " + std::to_string(frames_) + " frames have a function name;";
    const char* separator = " ";
    for (std::size_t i = 0; i < unnamed_.size(); ++i) {
      if (unnamed_[i] == 0 || reasons[i].empty()) continue;
      line += separator + std::to_string(unnamed_[i]) + " " + std::string(reasons[i]);
      separator = ", ";
    }
    lines.push_back(line);
  }
  if (ends_.incomplete() != 0) lines.push_back(incomplete_line());
  if (static_cast<double>(rootless_) > rootless_share_said * static_cast<double>(ends_.all())) {
    std::string line = per_cent(rootless_, ends_.all()) + " of the user stacks end before a root function";
    if (!without_root_.empty()) line += "; built without frame pointers, it seems: " + worst_of(without_root_);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace profile
