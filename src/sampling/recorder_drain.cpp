// Empties what the kernel side keeps of a generation: its account, its histogram and its stacks.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "process/timeline.h"
#include "sampling/held_spans.h"
#include "sampling/map_walk.h"
#include "sampling/recorder.h"
#include "sampling/table_supply.h"

namespace profile {

void Recorder::drain(ProcessTimeline& timeline, Profile& into, bool stopped) {
  const std::uint32_t generation = state_->drain_count & 1;
  note_own_processes(*state_, children_);
  if (!stopped) {
    std::atomic_ref(state_->drain_count).fetch_add(1, std::memory_order_seq_cst);
    barrier_.wait();
  }
  half_full_ = false;
  collided_ = 0;
  read_ring();
  timeline.update();
  count_inbox(generation, true, timeline, into);
  end_walks(generation, !stopped, timeline, into);
  count_inbox(generation, false, timeline, into);

  Account account = account_of(generation);
  const std::uint64_t read = drain_histogram(generation, timeline, into) + counted_from_ring_[generation];
  account.lost_unread = account.recorded - std::min(account.recorded, read);
  account.recorded -= account.lost_unread;
  const std::uint64_t left_out = std::min(std::exchange(left_out_, 0), account.recorded);
  account.recorded -= left_out;
  account.filtered += left_out;
  into.account += account;
  if (!stopped) {
    clear_stacks(generation);
    if (tables_) tables_->note_drained(generation);
  }

  std::memset(accounts_ + std::size_t{generation} * cpus_, 0, cpus_ * sizeof(cpu_account));
  state_->entries[generation] = 0;
  state_->half_full_sent[generation] = 0;
  counted_from_ring_[generation] = 0;
}

// Empties the histogram of `generation`; returns the number of samples its rows stood for.
std::uint64_t Recorder::drain_histogram(std::uint32_t generation, ProcessTimeline& timeline, Profile& into) {
  stacks_.forget();  // what was read for another profile
  std::uint64_t total = 0;
  const auto count_row = [&](const stack_key& key, const stack_key* waker, const std::uint64_t* words) {
    const auto& value = *reinterpret_cast<const stack_value*>(words);
    const std::uint64_t samples = value.samples != 0 ? value.samples : value.value;
    Row row = row_of(key, value.first_ns, timeline, into);
    row.user = stacks_.read_user(into, row.process, key);
    row.kernel = stacks_.read_kernel(into, key);
    if (waker != nullptr) add_waker(row, *waker, value.first_ns, timeline, into);
    hand_over(row, value.value, samples, 0, 0, into);
    total += samples;
  };
  for_each_entry<stack_key>(histogram_fds_[generation], sizeof(stack_value), true,
                            [&](const stack_key& key, const std::uint64_t* words) { count_row(key, nullptr, words); });
  if (reading_.waker_at != 0) {
    for_each_entry<woken_key>(
        woken_fds_[generation], sizeof(stack_value), true,
        [&](const woken_key& key, const std::uint64_t* words) { count_row(key.wait, &key.waker, words); });
  }
  return total;
}

// Deletes the stacks of `generation`, which is not the active one, but for the stacks of spans that began while it
// was: those are still wanted when the span ends. A span that ends meanwhile is found in the active histogram, because
// its place among the spans is looked at first.
void Recorder::clear_stacks(std::uint32_t generation) {
  StackMaps::Held held;
  const auto hold = [&](const stack_key& key) { StackMaps::hold(key, generation, held); };
  if (spans_fd_ >= 0) {
    const auto hold_span_of = [&](const auto&, const std::uint64_t* words) {
      const auto& under_way = *reinterpret_cast<const span*>(words);
      if (under_way.start_ns == 0) return;
      if (under_way.sent_ns == 0) hold(under_way.key);
      // Of somebody who ended the wait before, it holds what nobody wants any more, which is no harm.
      if (reading_.waker_at != 0) {
        hold(*reinterpret_cast<const stack_key*>(reinterpret_cast<const char*>(words) + reading_.waker_at));
      }
    };
    if (span_key_bytes_ == sizeof(std::uint32_t)) {
      for_each_entry<std::uint32_t>(spans_fd_, span_bytes_, false, hold_span_of);
    } else {
      for_each_entry<std::uint64_t>(spans_fd_, span_bytes_, false, hold_span_of);
    }
    barrier_.wait();
    for_each_entry<stack_key>(histogram_fds_[generation ^ 1], sizeof(stack_value), false,
                              [&](const stack_key& key, const std::uint64_t*) { hold(key); });
    if (reading_.waker_at != 0) {
      for_each_entry<woken_key>(woken_fds_[generation ^ 1], sizeof(stack_value), false,
                                [&](const woken_key& key, const std::uint64_t*) {
                                  hold(key.wait);
                                  hold(key.waker);
                                });
    }
    held_spans_->for_each([&](const ring_sample& begun) { hold(begun.key); });
    read_ring();
    for (std::size_t at = 0; at < inbox_.size(); at += inbox_[at] + 1) {
      const auto& end = *reinterpret_cast<const ring_span_end*>(&inbox_[at + 1]);
      if (end.header.type != RING_SPAN_END) continue;
      if ((end.flags & SPAN_BY_KEY) != 0) hold(end.key);
      if (const stack_key* const waker = waker_in(&inbox_[at + 1], inbox_[at])) hold(*waker);
    }
  }
  stacks_.clear(generation, held);
}

Account Recorder::account_of(std::uint32_t generation) const {
  Account account;
  for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu) {
    cpu_account& counters = accounts_[generation * cpus_ + cpu];
    const auto slot = [&](account_slot which) {
      return std::atomic_ref(counters.slot[which]).load(std::memory_order_relaxed);
    };
    account.taken += slot(ACCOUNT_TAKEN);
    account.recorded += slot(ACCOUNT_IN_MAP) + slot(ACCOUNT_IN_RING);
    account.recorded_by_ring += slot(ACCOUNT_IN_RING);
    account.idle += slot(ACCOUNT_IDLE);
    account.taken_idle += slot(ACCOUNT_TAKEN_IDLE);
    account.filtered += slot(ACCOUNT_FILTERED);
    account.lost_ring_full += slot(ACCOUNT_LOST_RING_FULL);
    account.lost_spans_full += slot(ACCOUNT_LOST_SPANS_FULL);
  }
  return account;
}

Account Recorder::pending_account() const { return account_of(state_->drain_count & 1); }

std::uint64_t Recorder::pending_rows() const {
  return std::atomic_ref(state_->entries[state_->drain_count & 1]).load(std::memory_order_relaxed);
}

std::uint64_t Recorder::unfollowed() const {
  return std::atomic_ref(state_->unfollowed).load(std::memory_order_relaxed);
}

}  // namespace profile
