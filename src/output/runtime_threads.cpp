#include "output/runtime_threads.h"

#include <map>
#include <vector>

#include "output/library_code.h"

namespace profile {
namespace {

enum class RunBy : std::uint8_t { unknown, program, interpreter, script };

RunBy run_by(const Profile& profile, StackId user) {
  bool has_interpreter = false;
  for (const FrameId id : profile.stack(user)) {
    const Frame& frame = profile.frame(id);
    if (frame.kind == FrameKind::script) return RunBy::script;
    has_interpreter = has_interpreter || is_of_interpreter(profile, frame);
  }
  if (profile.end_of(user) != StackEnd::root) return RunBy::unknown;
  return has_interpreter ? RunBy::interpreter : RunBy::program;
}

}  // namespace

RuntimeThreads::RuntimeThreads(const Profile& profile) {
  std::map<StackId, RunBy> stacks;
  std::map<std::pair<std::uint32_t, StringId>, bool> threads;  // whether each stack is the interpreter's
  std::set<std::uint32_t> with_scripts;                        // tgids
  for (const Row& row : profile.rows()) {
    const std::uint32_t tgid = profile.process(row.process).tgid;
    const auto [known, is_new] = stacks.try_emplace(row.user);
    if (is_new) known->second = run_by(profile, row.user);
    if (known->second == RunBy::script) with_scripts.insert(tgid);
    bool& is_own = threads.try_emplace({tgid, row.thread_name}, true).first->second;
    is_own = is_own && known->second == RunBy::interpreter;
  }
  for (const auto& [thread, is_own] : threads) {
    if (is_own && with_scripts.contains(thread.first)) own_.insert(thread);
  }
}

}  // namespace profile
