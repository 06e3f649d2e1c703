#include "output/frame_report.h"

#include <algorithm>
#include <string_view>

#include "model/stack_roots.h"
#include "output/clean_text.h"
#include "output/text_table.h"

namespace profile {
namespace {

// Below this share nothing is reported about stacks without a root. Some samples are always in a prologue, before the
// frame pointer is set.
constexpr double rootless_share_said = 0.05;
constexpr std::size_t most_suspects = 4;
// Fewer unnamed frames of a kind are not worth a line about what helps.
constexpr double unnamed_share_said = 0.05;

// How a runtime is made to name its code. The beginning of the name of a file in the stack, or of the process, tells
// the runtime.
struct Runtime {
  std::string_view file;
  std::string_view remedy;
};
constexpr Runtime runtimes[] = {
    {"libjvm.so", "Java writes names with an agent such as perf-map-agent, and -XX:+PreserveFramePointer"},
    {"java", "Java writes names with an agent such as perf-map-agent, and -XX:+PreserveFramePointer"},
    {"libnode", "node --perf-basic-prof writes names"},
    {"node", "node --perf-basic-prof writes names"},
    {"libpython", "python3 -X perf writes names, from 3.12 on"},
    {"python", "python3 -X perf writes names, from 3.12 on"},
    {"libcoreclr.so", "DOTNET_PerfMapEnabled=1 has .NET write names"},
    {"dotnet", "DOTNET_PerfMapEnabled=1 has .NET write names"},
    {"libruby", "ruby --yjit-perf writes names, from 3.3 on"},
    {"ruby", "ruby --yjit-perf writes names, from 3.3 on"},
    {"llvmjit.so", "Postgres runs queries in functions with names after SET jit = off"},
    {"postgres", "Postgres runs queries in functions with names after SET jit = off"},
    {"beam.smp", "erl +JPperf true writes names"},
    {"libluajit", "LuaJIT can write /tmp/perf-PID.map only if it is built so"},
};
constexpr std::string_view other_remedy = "its runtime may be able to write /tmp/perf-PID.map";

std::string_view remedy_for(const Profile& profile, const Row& row) {
  const auto remedy_of = [](std::string_view name) -> std::string_view {
    const auto* const runtime =
        std::ranges::find_if(runtimes, [&](const Runtime& each) { return name.starts_with(each.file); });
    return runtime == std::end(runtimes) ? std::string_view() : runtime->remedy;
  };
  for (const FrameId id : profile.stack(row.user)) {
    const std::string_view remedy = remedy_of(profile.strings.view(profile.frame(id).module));
    if (!remedy.empty()) return remedy;
  }
  const std::string_view remedy = remedy_of(profile.strings.view(profile.process(row.process).name));
  return remedy.empty() ? other_remedy : remedy;
}

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
  for (const StackId stack : {row.user, row.kernel, row.waker_user, row.waker_kernel}) {
    for (const FrameId id : profile.stack(stack)) {
      frames_ += row.samples;
      const Frame& frame = profile.frame(id);
      unnamed_[static_cast<std::size_t>(frame.unnamed)] += row.samples;
      if (frame.unnamed != Unnamed::named) add_unnamed(profile, row, frame);
    }
  }
  add_user_stack(profile, row);
}

void FrameReport::add_unnamed(const Profile& profile, const Row& row, const Frame& frame) {
  if (frame.unnamed == Unnamed::no_symbol && frame.kind == FrameKind::user && frame.module != StringId::empty) {
    if (debuginfod_.empty()) debuginfod_ = clean_text(profile.run.debuginfod);
    without_symbol_[std::string(profile.strings.view(frame.module))] += row.samples;
  } else if (frame.unnamed == Unnamed::no_jit_map) {
    Suspects& processes = in_jit_[std::string(remedy_for(profile, row))];
    processes[std::string(profile.strings.view(profile.process(row.process).name))] += row.samples;
  }
}

void FrameReport::add_remedies(std::vector<std::string>& lines) const {
  const auto is_much = [this](Unnamed reason) {
    return static_cast<double>(unnamed(reason)) > unnamed_share_said * static_cast<double>(frames_);
  };
  if (is_much(Unnamed::no_symbol) && !without_symbol_.empty()) {
    const std::string remedy =
        debuginfod_.empty() ? "--debuginfod, or a -dbgsym or -debuginfo package, names the code of distributions"
                            : "debuginfod (" + debuginfod_ + ") did not name them; a -dbgsym or -debuginfo package may";
    lines.push_back("most frames without a symbol are in: " + worst_of(without_symbol_) + "; " + remedy);
  }
  if (!is_much(Unnamed::no_jit_map)) return;
  for (const auto& [remedy, processes] : in_jit_) {
    lines.push_back("JIT code without names is of: " + worst_of(processes) + "; " + remedy);
  }
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
    if (end == StackEnd::too_deep) line += " (--max-stack-depth takes more)";
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
  add_remedies(lines);
  return lines;
}

}  // namespace profile
