// The order is that of the user stack as a whole, then of the kernel stack: stacks that begin alike are neighbours, and
// only distinct stacks are compared frame by frame, not rows.
#include "output/speedscope_stacks.h"

#include <algorithm>

#include "output/clean_text.h"
#include "output/code_file_name.h"
#include "output/stream_text.h"

namespace profile {

// The numbers of one stack's frames, root first, one after the other, so that nothing is built for a comparison.
class SpeedscopeStacks::Walk {
 public:
  Walk(const SpeedscopeStacks& stacks, std::span<const FrameId> leaf_first) : stacks_(stacks), left_(leaf_first) {}

  static constexpr std::int64_t end = -1;  // below every number

  // The next number, or `end`.
  std::int64_t next() {
    while (shown_.size == 0) {
      if (left_.empty()) return end;
      shown_ = stacks_.shown_of_[static_cast<std::size_t>(left_.back())];
      left_ = left_.first(left_.size() - 1);
    }
    --shown_.size;
    return stacks_.shown_[shown_.begin + shown_.size];
  }

 private:
  const SpeedscopeStacks& stacks_;
  std::span<const FrameId> left_;
  Slice shown_;  // those of the frame under way that are still to come
};

SpeedscopeStacks::SpeedscopeStacks(const Profile& profile) : profile_(profile) {
  missed_user_ = intern_text(missed_user_stack);
  missed_kernel_ = intern_text(missed_kernel_stack);
  for (std::size_t i = 0; i < profile.frames().size(); ++i) show(static_cast<FrameId>(i));
  for (const Row& row : profile.rows()) {
    owners_.push_back({.process = intern_process(row), .thread = intern_thread(row)});
    if (row.tag == StringId::empty || tags_.contains(row.tag)) continue;
    scratch_.clear();
    append_clean(scratch_, profile.strings.view(row.tag), Semicolon::keep);
    tags_[row.tag] = intern_text(scratch_);
  }
  number_by_text();
  rank_stacks();
}

// The texts of `shown` must be those of texts_.
SpeedscopeStacks::Number SpeedscopeStacks::intern(const Shown& shown) {
  const auto [found, is_new] = numbers_.try_emplace(shown, static_cast<Number>(frames_.size()));
  if (is_new) frames_.push_back(shown);
  return found->second;
}

SpeedscopeStacks::Number SpeedscopeStacks::intern_text(std::string_view name) {
  return intern({.name = texts_.view(texts_.intern(name)), .file = {}});
}

SpeedscopeStacks::Number SpeedscopeStacks::intern_thread(const Row& row) {
  scratch_.clear();
  append_name(scratch_, profile_.strings.view(row.thread_name), Semicolon::keep);
  return intern_text(scratch_);
}

SpeedscopeStacks::Number SpeedscopeStacks::intern_process(const Row& row) {
  const Process& process = profile_.process(row.process);
  scratch_.clear();
  append_name(scratch_, profile_.strings.view(process.name), Semicolon::keep);
  scratch_ += " (" + std::to_string(process.tgid) + ")";
  return intern_text(scratch_);
}

void SpeedscopeStacks::show(FrameId frame) {
  const std::size_t begin = shown_.size();
  const std::string code_file = code_file_name(profile_, profile_.frame(frame));
  for_each_shown(profile_, frame, [&](const ShownFrame& one) {
    scratch_.clear();
    append_function(scratch_, profile_, one, Semicolon::keep);
    Shown shown{.name = texts_.view(texts_.intern(scratch_)), .file = {}, .line = one.at.line};
    scratch_.clear();
    const bool has_source = one.at.file != StringId::empty;
    append_clean(scratch_, has_source ? profile_.strings.view(one.at.file) : code_file, Semicolon::keep);
    if (!has_source || !profile_.run.frames_by_line) shown.line = 0;
    shown.file = texts_.view(texts_.intern(scratch_));
    shown_.push_back(intern(shown));
  });
  shown_of_.push_back({.begin = begin, .size = shown_.size() - begin});
}

void SpeedscopeStacks::number_by_text() {
  std::vector<Number> by_old(frames_.size());
  frames_.clear();
  for (const auto& [shown, old] : numbers_) {  // in the order of the texts
    by_old[old] = static_cast<Number>(frames_.size());
    frames_.push_back(shown);
  }
  numbers_.clear();
  const auto renumber = [&by_old](Number& number) { number = by_old[number]; };
  renumber(missed_user_);
  renumber(missed_kernel_);
  for (auto& [tag, number] : tags_) renumber(number);
  for (Owners& owners : owners_) {
    renumber(owners.process);
    renumber(owners.thread);
  }
  for (Number& number : shown_) renumber(number);
}

void SpeedscopeStacks::rank_stacks() {
  std::vector<StackId> order(profile_.stack_count() + 1);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<StackId>(i);
  std::sort(order.begin(), order.end(), [this](StackId a, StackId b) { return compare(a, b) < 0; });
  stack_ranks_.resize(order.size());
  std::uint32_t rank = 1;  // 0 is that of the missed ones
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i != 0 && compare(order[i - 1], order[i]) != 0) ++rank;
    stack_ranks_[static_cast<std::size_t>(order[i])] = rank;
  }
}

std::strong_ordering SpeedscopeStacks::compare(StackId a, StackId b) const {
  std::span<const FrameId> frames_a = profile_.stack(a);
  std::span<const FrameId> frames_b = profile_.stack(b);
  // Most begin with the same frames, at the root, not only with ones that read the same.
  while (!frames_a.empty() && !frames_b.empty() && frames_a.back() == frames_b.back()) {
    frames_a = frames_a.first(frames_a.size() - 1);
    frames_b = frames_b.first(frames_b.size() - 1);
  }
  Walk walk_a(*this, frames_a);
  Walk walk_b(*this, frames_b);
  while (true) {
    const std::int64_t number_a = walk_a.next();
    const std::int64_t number_b = walk_b.next();
    if (number_a != number_b || number_a == Walk::end) return number_a <=> number_b;
  }
}

std::uint32_t SpeedscopeStacks::rank_of(StackId id) const {
  return id == StackId::missed ? 0 : stack_ranks_[static_cast<std::size_t>(id)];
}

SpeedscopeStacks::Rank SpeedscopeStacks::rank_of(const Row& row) const {
  const Number tag = row.tag == StringId::empty ? 0 : tags_.at(row.tag) + 1;
  return {.user = rank_of(row.user), .kernel = rank_of(row.kernel), .tag = tag};
}

void SpeedscopeStacks::sort_and_merge(std::vector<Weighed>& rows) const {
  const auto compare = [this](const Weighed& a, const Weighed& b) {
    const auto by_owner = a.owner <=> b.owner;
    return by_owner != 0 ? by_owner : rank_of(profile_.rows()[a.row]) <=> rank_of(profile_.rows()[b.row]);
  };
  std::sort(rows.begin(), rows.end(), [&](const Weighed& a, const Weighed& b) { return compare(a, b) < 0; });
  std::size_t kept = 0;
  for (const Weighed& row : rows) {
    if (kept > 0 && compare(rows[kept - 1], row) == 0) {
      rows[kept - 1].value += row.value;
    } else {
      rows[kept++] = row;
    }
  }
  rows.resize(kept);
}

void SpeedscopeStacks::append(std::uint32_t index, std::vector<Number>& out) const {
  const Row& row = profile_.rows()[index];
  const auto append_stack = [&](StackId id, Number if_missed) {
    if (id == StackId::missed) out.push_back(if_missed);
    Walk walk(*this, profile_.stack(id));
    for (std::int64_t number; (number = walk.next()) != Walk::end;) out.push_back(static_cast<Number>(number));
  };
  append_stack(row.user, missed_user_);
  append_stack(row.kernel, missed_kernel_);
  if (row.tag != StringId::empty) out.push_back(tags_.at(row.tag));
}

}  // namespace profile
