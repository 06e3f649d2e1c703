// Reads /proc into the process table without a race against the side-band records. It does so at the start, for a
// process that is met in the middle of its life, and after records were lost.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "process/proc_source.h"
#include "process/process_table.h"

namespace profile {

class ProcSurvey {
 public:
  // `catch_up` must apply all records stamped before the moment it is called.
  ProcSurvey(ProcSource& source, ProcessTable& table, std::function<void()> catch_up)
      : source_(source), table_(table), catch_up_(std::move(catch_up)) {}

  // Makes one pass over `only`, or over all processes when that is empty.
  void scan(const std::vector<std::uint32_t>& only);
  // Call it after each batch of records. It reads processes whose mappings are unknown. If it `may_cost`, it also reads
  // those that map code without end, and repairs losses.
  void read_unknown(bool may_cost = true);
  // True while processes are still to be read for which read_unknown() had no time. No record may remind of them.
  [[nodiscard]] bool is_behind() const {
    return !skipped_.empty() || !skipped_now_.empty() || loss_since_ || table_.has_skipped();
  }
  // Reads a process of which nothing is known, and does not read it again unless a record names it.
  void look_once(std::uint32_t tgid);
  // Reads a process that has code where nothing is known, because no record reports that code was moved. Each process
  // is read at most once a second, and not many in a second.
  void look_again(std::uint32_t tgid);
  // Looks for code that processes have unmapped, because no record reports that. Call it a few times a second; each
  // call reads some of them.
  void look_for_unmapped();
  [[nodiscard]] std::uint64_t repairs() const { return repairs_; }

 private:
  void look(std::uint32_t tgid, std::optional<std::uint64_t> loss_since);
  void repair();
  void look_at_skipped();
  void look_for_unmapped(std::uint32_t tgid);

  ProcSource& source_;
  ProcessTable& table_;
  std::function<void()> catch_up_;
  ProcSnapshot snapshot_;
  std::unordered_set<std::uint32_t> looked_at_;
  std::unordered_set<std::uint32_t> looked_again_;  // in the second that ends at `next_again_ns_`
  std::uint64_t next_again_ns_ = 0;
  std::unordered_map<std::uint32_t, std::uint64_t> skipped_;      // as ProcessTable::take_skipped()
  std::unordered_map<std::uint32_t, std::uint64_t> skipped_now_;  // of those, the ones of this round
  std::uint64_t next_skipped_ns_ = 0;
  std::vector<std::uint32_t> holders_;  // from ProcessTable::holders(); not looked at yet in this round
  std::uint64_t next_holders_ns_ = 0;
  std::uint64_t next_round_ns_ = 0;
  std::optional<std::uint64_t> loss_since_;
  std::uint64_t next_repair_ns_ = 0;
  std::uint64_t repairs_ = 0;
};

}  // namespace profile
