#include "process/proc_survey.h"

#include <algorithm>

namespace profile {
namespace {

constexpr int most_attempts = 3;
// While records are lost all the time, repairing may take this share of our time and no more.
constexpr std::uint64_t repair_pause_factor = 10;
constexpr std::uint64_t least_repair_pause_ns = 100'000'000;

}  // namespace

// The snapshot was taken between two moments. If, once all records up to the second are applied, no new image has begun
// since the first, the snapshot is of the image the table has, and only adds to it. If one has, the snapshot may be of
// either: it is thrown away, and read again if the new image needs one.
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
      table_.correct(tgid, snapshot_, *loss_since);
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
  settle();
}

void ProcSurvey::settle() {
  std::vector<std::uint32_t> unread = table_.take_unread();
  std::sort(unread.begin(), unread.end());
  unread.erase(std::unique(unread.begin(), unread.end()), unread.end());
  for (const std::uint32_t tgid : unread) {
    // It turned up in a record, so another look may be worth it later on.
    looked_at_.erase(tgid);
    if (table_.needs_snapshot(tgid)) look(tgid, std::nullopt);
  }
  if (const auto since = table_.take_loss()) loss_since_ = std::min(loss_since_.value_or(*since), *since);
  if (loss_since_ && source_.now_ns() >= next_repair_ns_) repair();
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

void ProcSurvey::look_once(std::uint32_t tgid) {
  if (tgid == 0 || !looked_at_.insert(tgid).second) return;
  table_.want_also(tgid);
  look(tgid, std::nullopt);
}

}  // namespace profile
