#include "app/waker_frames.h"

#include <map>
#include <tuple>
#include <vector>

#include "app/tracing_frames.h"

namespace profile {
namespace {

constexpr std::string_view delimiter = "--";

FrameId named_frame(Profile& profile, StringId name) {
  Frame frame;
  frame.space = ProcessId::kernel;
  frame.kind = FrameKind::kernel;
  frame.unnamed = Unnamed::named;
  frame.symbol = name;
  frame.offset = unknown_offset;
  return profile.frame(frame);
}
FrameId named_frame(Profile& profile, std::string_view name) {
  return named_frame(profile, profile.strings.intern(name));
}

// Appends the frames of the stack to `to`, the innermost last.
void add_root_first(Profile& profile, StackId stack, std::string_view missed, std::vector<FrameId>& to) {
  if (stack == StackId::missed) to.push_back(named_frame(profile, missed));
  const auto leaf_first = profile.stack(stack);
  to.insert(to.end(), leaf_first.rbegin(), leaf_first.rend());
}

StackId with_waker(Profile& profile, const Row& row) {
  const StackId kernel = without_tracing_frames(profile, row.waker_kernel);
  std::vector<FrameId> leaf_first{named_frame(profile, row.waker)};
  add_root_first(profile, row.waker_user, missed_user_stack, leaf_first);
  add_root_first(profile, kernel, missed_kernel_stack, leaf_first);
  leaf_first.push_back(named_frame(profile, delimiter));
  if (row.kernel == StackId::missed) leaf_first.push_back(named_frame(profile, missed_kernel_stack));
  const auto own = profile.stack(row.kernel);
  leaf_first.insert(leaf_first.end(), own.begin(), own.end());
  return profile.stack(leaf_first);
}

}  // namespace

void append_wakers(Profile& profile) {
  std::map<std::tuple<StackId, StringId, StackId, StackId>, StackId> known;
  profile.change_rows([&](Row& row) {
    if (row.waker == StringId::empty) return;
    const auto [found, is_new] =
        known.try_emplace(std::tuple(row.kernel, row.waker, row.waker_user, row.waker_kernel), StackId::none);
    if (is_new) found->second = with_waker(profile, row);
    row.kernel = found->second;
    row.waker = StringId::empty;
    row.waker_user = StackId::none;
    row.waker_kernel = StackId::none;
  });
}

}  // namespace profile
