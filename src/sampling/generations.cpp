#include "sampling/generations.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "children/own_processes.h"
#include "support/cpu_list.h"

namespace profile {

Generations::Generations(bpf_object& object)
    : cpus_(static_cast<std::uint32_t>(possible_cpu_count())),
      state_(bpf_map_fd(object, ".data.record")),
      accounts_(bpf_map_fd(object, "accounts"), std::size_t{PROFILE_GENERATIONS} * cpus_) {}

void Generations::advance() {
  std::atomic_ref(state_->drain_count).fetch_add(1, std::memory_order_seq_cst);
  await_programs();
}

void Generations::clear(std::uint32_t generation) {
  std::memset(accounts_.data() + std::size_t{generation} * cpus_, 0, cpus_ * sizeof(cpu_account));
  state_->entries[generation] = 0;
  state_->half_full_sent[generation] = 0;
}

Account Generations::account_of(std::uint32_t generation) const {
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

std::uint64_t Generations::rows_of(std::uint32_t generation) const {
  return std::atomic_ref(state_->entries[generation]).load(std::memory_order_relaxed);
}

std::uint64_t Generations::unfollowed() const {
  return std::atomic_ref(state_->unfollowed).load(std::memory_order_relaxed);
}

void Generations::set_paused(bool paused) {
  if (paused && paused_ns_ != 0) return;
  paused_ns_ = paused ? monotonic_ns() : 0;
  std::atomic_ref(state_->paused_ns).store(paused_ns_, std::memory_order_relaxed);
}

void Generations::note_own_processes() {
  std::array<std::uint32_t, PROFILE_MOST_OWN> own{static_cast<std::uint32_t>(::getpid())};
  const std::vector<pid_t> others = own_processes();
  std::copy_n(others.begin(), std::min(others.size(), own.size() - 1), own.begin() + 1);
  for (std::size_t i = 0; i < own.size(); ++i) {
    std::atomic_ref(state_->own_tgids[i]).store(own[i], std::memory_order_relaxed);
  }
}

}  // namespace profile
