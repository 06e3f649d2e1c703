// Where every sample went. Promise 1: `taken = recorded + idle + filtered + lost`, in every report.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace profile {

struct Account {
  // False of a profile from a file that does not tell, and of every sum with one: then the rest means nothing.
  bool is_known = true;

  std::uint64_t asked = 0;             // by the rate; 0: not known. The timer may come less often: taken is less then
  std::uint64_t taken = 0;             // the program ran
  std::uint64_t taken_idle = 0;        // of those, the ones on an idle CPU, with --include-idle or without
  std::uint64_t recorded = 0;          // counted in a row of the profile
  std::uint64_t recorded_by_ring = 0;  // of those, the ones that went through the ring buffer (collision, full map)
  std::uint64_t idle = 0;              // on an idle CPU, without --include-idle
  std::uint64_t filtered = 0;          // of a process, thread or group that was not asked for
  std::uint64_t lost_ring_full = 0;    // a collision or a full map, and the ring buffer full too
  std::uint64_t lost_spans_full = 0;   // something that lasts, and no place to note that it began
  std::uint64_t lost_unwritten = 0;    // of a stream: its reader did not take it in time
  std::uint64_t lost_unread = 0;       // counted by the kernel, and not found when the maps were drained

  [[nodiscard]] std::uint64_t lost() const;
  [[nodiscard]] bool balanced() const { return taken == recorded + idle + filtered + lost(); }

  Account& operator+=(const Account& other);
  friend bool operator==(const Account&, const Account&) = default;
};

// Why samples are lost. THE table: the summary, JSON, pprof, metrics and the reader of pprof go through it.
struct LossReason {
  std::uint64_t Account::*count;
  std::string_view key;    // of metrics, and of JSON behind "lost_"
  std::string_view words;  // for the user; a pprof file is read back by them
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
