// Counts where every sample went. Promise 1: `taken = recorded + idle + filtered + lost`, in every report.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace profile {

struct Account {
  // False if a file has no account, or if one part of a sum has none. Then no other field has a meaning.
  bool is_known = true;

  std::uint64_t asked = 0;             // by the rate; 0: unknown. `taken` is smaller when the timer ticks less often
  std::uint64_t skipped = 0;           // ticks that were not taken (--cpu-limit); samples stand for them
  std::uint64_t taken = 0;             // the BPF program ran
  std::uint64_t taken_idle = 0;        // the part of `taken` on an idle CPU, with or without --include-idle
  std::uint64_t recorded = 0;          // counted in a row of the profile
  std::uint64_t recorded_by_ring = 0;  // the part of `recorded` that went through the ring (collision, full map)
  std::uint64_t idle = 0;              // on an idle CPU, without --include-idle
  std::uint64_t filtered = 0;          // of a process, thread or group that the user did not ask for
  std::uint64_t lost_ring_full = 0;    // a collision or a full map, and the ring was full, too
  std::uint64_t lost_spans_full = 0;   // something began that lasts, and the table of spans was full
  std::uint64_t lost_unwritten = 0;    // of a stream: the reader did not take it in time
  std::uint64_t lost_unread = 0;       // counted by the kernel, but not found in the maps by the drain

  [[nodiscard]] std::uint64_t lost() const;
  [[nodiscard]] bool balanced() const { return taken == recorded + idle + filtered + lost(); }

  // For a sum of states (RunInfo::is_state): each state counts again what is still there.
  void forget_recorded() {
    taken -= recorded;
    recorded = recorded_by_ring = 0;
  }

  Account& operator+=(const Account& other);
  friend bool operator==(const Account&, const Account&) = default;
};

// Why samples are lost. This is the only table of reasons: the summary, JSON, pprof, the metrics and the reader of
// pprof use it.
struct LossReason {
  std::uint64_t Account::*count;
  std::string_view key;    // in the metrics, and in JSON after "lost_"
  std::string_view words;  // for the user; the reader of pprof finds the reason by them
  bool only_of_streams;    // a profile never has it
};
inline constexpr std::array loss_reasons{
    LossReason{&Account::lost_ring_full, "ring_full", "ring buffer full", false},
    LossReason{&Account::lost_spans_full, "spans_full", "begun without a place to note it", false},
    LossReason{&Account::lost_unwritten, "unwritten", "not read in time", true},
    LossReason{&Account::lost_unread, "unread", "not found in the maps", false},
};

inline std::uint64_t Account::lost() const {
  std::uint64_t sum = 0;
  for (const LossReason& reason : loss_reasons) sum += this->*reason.count;
  return sum;
}

inline Account& Account::operator+=(const Account& other) {
  is_known = is_known && other.is_known;
  asked += other.asked;
  skipped += other.skipped;
  taken += other.taken;
  taken_idle += other.taken_idle;
  recorded += other.recorded;
  recorded_by_ring += other.recorded_by_ring;
  idle += other.idle;
  filtered += other.filtered;
  for (const LossReason& reason : loss_reasons) this->*reason.count += other.*reason.count;
  return *this;
}

}  // namespace profile
