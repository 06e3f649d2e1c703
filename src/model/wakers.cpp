#include "model/wakers.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace profile {
namespace {

FrameId named_frame(Profile& profile, std::string_view name) {
  Frame frame;
  frame.kind = FrameKind::kernel;
  frame.unnamed = Unnamed::named;
  frame.symbol = profile.strings.intern(name);
  frame.offset = unknown_offset;
  return profile.frame(frame);
}

// Appends the frames of the stack to `to`, the innermost last.
void add_root_first(Profile& profile, StackId stack, std::string_view missed, std::vector<FrameId>& to) {
  if (stack == StackId::missed) to.push_back(named_frame(profile, missed));
  const auto leaf_first = profile.stack(stack);
  to.insert(to.end(), leaf_first.rbegin(), leaf_first.rend());
}

StackId with_waker(Profile& profile, const Row& row) {
  std::vector<FrameId> leaf_first{named_frame(profile, profile.strings.view(row.waker))};
  add_root_first(profile, row.waker_user, missed_user_stack, leaf_first);
  add_root_first(profile, row.waker_kernel, missed_kernel_stack, leaf_first);
  leaf_first.push_back(named_frame(profile, waker_delimiter));
  if (row.kernel == StackId::missed) leaf_first.push_back(named_frame(profile, missed_kernel_stack));
  const auto own = profile.stack(row.kernel);
  leaf_first.insert(leaf_first.end(), own.begin(), own.end());
  return profile.stack(leaf_first);
}

}  // namespace

bool has_wakers(const Profile& profile) {
  return std::ranges::any_of(profile.rows(), [](const Row& row) { return row.waker != StringId::empty; });
}

void append_wakers(Profile& profile) {
  std::map<std::tuple<StackId, StringId, StackId, StackId>, StackId> woken;
  profile.change_rows([&](Row& row) {
    if (row.waker == StringId::empty) return;
    const std::tuple key(row.kernel, row.waker, row.waker_user, row.waker_kernel);
    const auto [found, is_new] = woken.try_emplace(key, StackId::none);
    if (is_new) found->second = with_waker(profile, row);
    row.kernel = found->second;
    row.waker = StringId::empty;
    row.waker_user = StackId::none;
    row.waker_kernel = StackId::none;
  });
}

Profile with_wakers_appended(const Profile& profile) {
  Profile appended = profile;
  append_wakers(appended);
  return appended;
}

}  // namespace profile
