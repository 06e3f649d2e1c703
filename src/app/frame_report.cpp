#include "app/frame_report.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace profile {
namespace {

// Below these shares nothing is said: a few stacks are always caught in a prologue, before the frame pointer is set.
constexpr double rootless_worth_saying = 0.05;
constexpr std::size_t most_suspects = 4;

// Where the stacks of threads begin, as C libraries, language run-times and loaders call it.
constexpr std::string_view root_functions[] = {
    "_start",
    "__libc_start_main",
    "__libc_start_main_impl",
    "__libc_start_call_main",
    "clone",
    "clone3",
    "__clone",
    "__clone3",
    "start_thread",
    "_dl_start",
    "_dl_start_user",
    "runtime.goexit",
    "runtime.goexit.abi0",
    "runtime.mstart",
    "runtime.mstart.abi0",
    "runtime.rt0_go",
    "runtime.rt0_go.abi0",
    "_rt0_amd64_linux",
    "_rt0_arm64_linux",
    "__restore_rt",
};

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
};
static_assert(std::size(reasons) == static_cast<std::size_t>(Unnamed::count));

bool is_c_library(std::string_view module) {
  return module.starts_with("libc.so") || module.starts_with("libc-2.") || module.starts_with("libpthread") ||
         module.starts_with("ld-linux") || module.starts_with("ld-musl");
}

// Frames at the outer end that lie nowhere are what a broken chain leaves behind.
bool is_trusted(const Frame& frame) { return frame.unnamed != Unnamed::not_mapped; }

// `frame` is the outermost, `inner` what it called. A C library without a symbol table has no name for the function
// that calls main() or a thread's; that it called code outside of itself says so as well.
bool is_root(const Profile& profile, const Frame& frame, const Frame* inner) {
  const std::string_view name = profile.strings.view(frame.symbol);
  if (frame.unnamed == Unnamed::named)
    return std::find(std::begin(root_functions), std::end(root_functions), name) != std::end(root_functions);
  return inner != nullptr && is_c_library(profile.strings.view(frame.module)) &&
         !is_c_library(profile.strings.view(inner->module));
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

}  // namespace

void FrameReport::add(const Profile& profile) {
  for (const Row& row : profile.rows()) {
    for (const StackId stack : {row.user, row.kernel}) {
      for (const FrameId id : profile.stack(stack)) {
        frames_ += row.samples;
        unnamed_[static_cast<std::size_t>(profile.frame(id).unnamed)] += row.samples;
      }
    }
    if (const auto user = profile.stack(row.user); !user.empty()) add_user_stack(profile, user, row.samples);
  }
}

void FrameReport::add_user_stack(const Profile& profile, std::span<const FrameId> leaf_first, std::uint64_t samples) {
  user_stacks_ += samples;
  std::size_t trusted = leaf_first.size();
  while (trusted > 0 && !is_trusted(profile.frame(leaf_first[trusted - 1]))) --trusted;
  if (trusted > 0) {
    const Frame& outermost = profile.frame(leaf_first[trusted - 1]);
    const Frame* inner = trusted > 1 ? &profile.frame(leaf_first[trusted - 2]) : nullptr;
    if (is_root(profile, outermost, inner)) return;
    suspects_[std::string(profile.strings.view(outermost.module))] += samples;
  }
  rootless_ += samples;
}

std::vector<std::string> FrameReport::lines() const {
  std::vector<std::string> lines;
  const std::uint64_t named = unnamed(Unnamed::named);
  if (named != frames_) {
    std::string line = percent(named, frames_) + " of " + std::to_string(frames_) + " frames have a function name;";
    const char* separator = " ";
    for (std::size_t i = 0; i < unnamed_.size(); ++i) {
      if (unnamed_[i] == 0 || reasons[i].empty()) continue;
      line += separator + std::to_string(unnamed_[i]) + " " + std::string(reasons[i]);
      separator = ", ";
    }
    lines.push_back(line);
  }
  if (static_cast<double>(rootless_) > rootless_worth_saying * static_cast<double>(user_stacks_)) {
    std::vector<std::pair<std::uint64_t, std::string>> worst;
    for (const auto& [module, samples] : suspects_) {
      if (!module.empty()) worst.emplace_back(samples, module);
    }
    std::sort(worst.rbegin(), worst.rend());
    std::string line = percent(rootless_, user_stacks_) + " of the user stacks end before a root function";
    const char* separator = "; built without frame pointers, it seems: ";
    for (std::size_t i = 0; i < std::min(worst.size(), most_suspects); ++i) {
      line += separator + worst[i].second + " (" + std::to_string(worst[i].first) + ")";
      separator = ", ";
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace profile
