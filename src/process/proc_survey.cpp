#include "process/proc_survey.h"

#include <algorithm>
#include <utility>

#include "support/clock.h"

namespace profile {
namespace {

constexpr int most_attempts = 3;
// While records are lost all the time, the pause after a repair is this factor times the time of the repair.
constexpr std::uint64_t repair_pause_factor = 10;
constexpr std::uint64_t least_repair_pause_ns = 100'000'000;
// The maps of processes that map code without end are read this often, in pieces of this CPU time.
constexpr std::uint64_t skipped_pause_ns = 100'000'000;
constexpr std::uint64_t skipped_at_once_ns = 20'000'000;
// Each process that may hold a file system is read at most once in this time. The reads are done in short pieces; the
// pause after a piece is this factor times the CPU time of the piece.
constexpr std::uint64_t least_round_ns = 1'000'000'000;
constexpr std::uint64_t holders_pause_factor = 300;
constexpr std::uint64_t holders_at_once_ns = 2'000'000;
constexpr std::uint64_t again_every_ns = 1'000'000'000;
constexpr std::size_t most_again = 20;

}  // namespace

// The snapshot is taken between two moments, and then all records up to the second moment are applied. If a new image
// has begun since the first moment, the snapshot may belong to either image: it is dropped, and read again if the new
// image needs one.
void ProcSurvey::look(std::uint32_t tgid, std::optional<std::uint64_t> loss_since) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const std::uint64_t before_ns = source_.now_ns();
    if (!source_.read(tgid, snapshot_)) return;
    catch_up_();
    if (table_.has_begun_since(tgid, before_ns)) {
      if (!table_.needs_snapshot(tgid)) return;
      continue;
    }
    if (loss_since) {
      table_.correct(tgid, snapshot_, *loss_since, before_ns);
    } else {
      table_.learn(tgid, snapshot_);
    }
    return;
  }
}

void ProcSurvey::scan(const std::vector<std::uint32_t>& only) {
  catch_up_();
  for (const std::uint32_t tgid : only.empty() ? source_.tgids() : only) {
    if (table_.needs_snapshot(tgid)) look(tgid, std::nullopt);
  }
  read_unknown();
}

void ProcSurvey::read_unknown(bool may_cost) {
  std::vector<std::uint32_t> unread = table_.take_unread();
  std::sort(unread.begin(), unread.end());
  unread.erase(std::unique(unread.begin(), unread.end()), unread.end());
  for (const std::uint32_t tgid : unread) {
    // A record named the process, so look_once() may look again.
    looked_at_.erase(tgid);
    if (table_.needs_snapshot(tgid)) look(tgid, std::nullopt);
  }
  if (const auto since = table_.take_loss()) loss_since_ = std::min(loss_since_.value_or(*since), *since);
  if (!may_cost) return;
  look_at_skipped();
  if (loss_since_ && source_.now_ns() >= next_repair_ns_) repair();
}

void ProcSurvey::look_at_skipped() {
  for (const auto& [tgid, since_ns] : table_.take_skipped()) skipped_.emplace(tgid, since_ns);
  if ((skipped_.empty() && skipped_now_.empty()) || source_.now_ns() < next_skipped_ns_) return;
  if (skipped_now_.empty()) skipped_now_ = std::exchange(skipped_, {});
  const std::uint64_t begin_ns = thread_cpu_ns();
  while (!skipped_now_.empty() && thread_cpu_ns() - begin_ns < skipped_at_once_ns) {
    const auto next = skipped_now_.extract(skipped_now_.begin());
    look(next.key(), next.mapped());
  }
  if (skipped_now_.empty()) next_skipped_ns_ = source_.now_ns() + skipped_pause_ns;
}

void ProcSurvey::repair() {
  const std::uint64_t since = *loss_since_;
  loss_since_.reset();
  ++repairs_;
  const std::uint64_t begin_ns = source_.now_ns();
  std::vector<std::uint32_t> alive = source_.tgids();
  std::sort(alive.begin(), alive.end());
  for (const std::uint32_t tgid : alive) {
    if (table_.is_wanted(tgid)) look(tgid, since);
  }
  table_.mark_exited_except(alive, begin_ns);
  const std::uint64_t end_ns = source_.now_ns();
  next_repair_ns_ = end_ns + std::max(least_repair_pause_ns, (end_ns - begin_ns) * repair_pause_factor);
}

void ProcSurvey::look_for_unmapped() {
  const std::uint64_t now_ns = source_.now_ns();
  if (now_ns < next_holders_ns_ || (holders_.empty() && now_ns < next_round_ns_)) return;
  const std::uint64_t begin_ns = thread_cpu_ns();
  if (holders_.empty()) {
    holders_ = table_.holders();
    next_round_ns_ = now_ns + least_round_ns;
  }
  std::uint64_t spent_ns = 0;
  while (!holders_.empty() && spent_ns < holders_at_once_ns) {
    look_for_unmapped(holders_.back());
    holders_.pop_back();
    spent_ns = thread_cpu_ns() - begin_ns;
  }
  next_holders_ns_ = now_ns + spent_ns * holders_pause_factor;
}

// Removes a mapping that was known before the read and is not in the snapshot, unless a record came in between.
void ProcSurvey::look_for_unmapped(std::uint32_t tgid) {
  catch_up_();
  const std::uint64_t count = table_.maps_count(tgid);
  const std::uint64_t before_ns = source_.now_ns();
  if (!source_.read(tgid, snapshot_)) return;
  catch_up_();
  if (table_.maps_count(tgid) == count) table_.note_unmapped(tgid, snapshot_, before_ns);
}

void ProcSurvey::look_again(std::uint32_t tgid) {
  const std::uint64_t now_ns = source_.now_ns();
  if (now_ns >= next_again_ns_) {
    next_again_ns_ = now_ns + again_every_ns;
    looked_again_.clear();
  }
  if (!table_.is_wanted(tgid) || looked_again_.size() >= most_again || !looked_again_.insert(tgid).second) return;
  look(tgid, now_ns);
}

void ProcSurvey::look_once(std::uint32_t tgid) {
  if (tgid == 0 || !looked_at_.insert(tgid).second) return;
  table_.want_also(tgid);
  look(tgid, std::nullopt);
}

}  // namespace profile
