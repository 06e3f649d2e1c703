// Makes ticks of samples, on the thread of the run, and gives them to the writer.
#include <sys/utsname.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "files/database_file.h"
#include "recording/numbers.h"
#include "recording/recording.h"
#include "recording/schema.h"
#include "recording/writer.h"
#include "support/clock.h"

namespace profile {
namespace {

// So many samples may wait for the disk, some megabytes. The rest waits in the kernel's ring.
constexpr std::size_t most_waiting = 1 << 18;
// A chapter begins at the latest when this many numbers are kept, because each takes some 40 bytes of memory.
constexpr std::size_t most_numbers = 1 << 20;

// The file's header has the number of its application at byte 68.
bool is_recording(std::string_view start) {
  if (!is_database(start) || start.size() < 72) return false;
  std::uint32_t id = 0;
  for (const char byte : start.substr(68, 4)) id = id << 8 | static_cast<unsigned char>(byte);
  return id == recording::application_id;
}

Account since(const Account& now, const Account& before) {
  Account difference = now;
  const auto subtract = [&](std::uint64_t Account::*count) {
    difference.*count -= std::min(before.*count, now.*count);
  };
  for (const auto count : {&Account::asked, &Account::skipped, &Account::taken, &Account::taken_idle,
                           &Account::recorded, &Account::recorded_by_ring, &Account::idle, &Account::filtered}) {
    subtract(count);
  }
  for (const LossReason& reason : loss_reasons) subtract(reason.count);
  return difference;
}

class SqliteRecorder final : public SampleRecorder {
 public:
  SqliteRecorder(const std::string& path, const RecordingLimits& limits)
      : file_(path.empty() ? nullptr : std::make_unique<DatabaseFile>(path, is_recording)),
        writer_(path.empty() ? ":memory:" : path, limits) {}

  void begin(const std::vector<RecordedEvent>& events, std::uint64_t began_ns, AskFacts facts) override {
    utsname machine{};
    ::uname(&machine);
    began_ns_ = began_ns;
    accounts_.resize(events.size());
    numbers_ = std::make_unique<Numbers>(std::move(facts));
    writer_.begin(events,
                  {.host = machine.nodename, .kernel = machine.release, .began_unix_ns = began_ns_ + unix_offset_ns()});
  }

  void add(std::size_t event, const std::shared_ptr<const Profile>& profile,
           const std::vector<Sample>& samples) override {
    for (const Sample& sample : samples) numbers_->add(event, profile, sample, began_ns_, *tick_);
  }

  void commit(const std::vector<Account>& accounts) override { commit_until(accounts, monotonic_ns(), false); }

  void finish(const std::vector<Account>& accounts, std::uint64_t ended_ns) override {
    commit_until(accounts, ended_ns, true);
    writer_.finish();
    if (file_) file_->close();
  }

  void save(double last_s, SavedRecording done) override { writer_.save(last_s, std::move(done)); }

  [[nodiscard]] std::size_t behind() const override {
    const std::size_t waiting = writer_.waiting_samples();
    return waiting < most_waiting ? 0 : waiting;
  }
  [[nodiscard]] std::uint64_t lost() const override { return writer_.lost(); }
  [[nodiscard]] std::optional<std::string> error() const override { return writer_.error(); }
  [[nodiscard]] std::uint64_t bytes() const override { return writer_.bytes(); }
  [[nodiscard]] std::uint64_t removed() const override { return writer_.removed(); }

 private:
  void commit_until(const std::vector<Account>& accounts, std::uint64_t now_ns, bool is_last) {
    numbers_->update_processes(*tick_);
    tick_->end_us = (now_ns - std::min(now_ns, began_ns_)) / 1000;
    tick_->is_last = is_last;
    auto next = std::make_unique<Tick>();
    next->samples = writer_.take_spare();
    std::ranges::stable_sort(tick_->samples, {}, &Tick::Sample::time_us);
    if (accounts_.size() > 1 && !is_last) hold_back(*next);
    // Not the time of the commit: the next tick may have samples from before it.
    tick_->begin_us = ticked_us_;
    ticked_us_ = std::max(ticked_us_ + 1, tick_->samples.empty() ? 0 : tick_->samples.back().time_us + 1);
    tick_->ticked_us = ticked_us_;
    account_for(accounts);
    // Samples that were held back refer to content from before a chapter that begins now.
    next->chapter = std::exchange(chapter_, std::nullopt);
    if (writer_.wants_chapter() || numbers_->size() > most_numbers) {
      (next->samples.empty() ? next->chapter : chapter_) = numbers_->begin_chapter();
    }
    writer_.add(std::exchange(tick_, std::move(next)));
  }

  // Leaves the samples since the last commit to the next tick: older ones of another event may still come, and a sample
  // that comes late costs the writer several times as much.
  void hold_back(Tick& next) {
    const std::uint64_t until_us = std::exchange(committed_us_, tick_->end_us);
    const auto first = std::ranges::lower_bound(tick_->samples, until_us, {}, &Tick::Sample::time_us);
    next.samples.assign(first, tick_->samples.end());
    tick_->samples.erase(first, tick_->samples.end());
  }

  void account_for(const std::vector<Account>& accounts) {
    tick_->accounts.resize(accounts.size());
    for (std::size_t event = 0; event < accounts.size(); ++event) {
      Account& account = tick_->accounts[event];
      account = since(accounts[event], std::exchange(accounts_[event], accounts[event]));
      // Some samples are still on their way here, and are of a later tick.
      account.recorded =
          static_cast<std::uint64_t>(std::ranges::count_if(tick_->samples, [&](const Tick::Sample& sample) {
            return sample.event == event_number(event, false) && sample.time_us >= tick_->begin_us;
          }));
      account.taken = account.recorded + account.idle + account.filtered + account.lost();
    }
  }

  std::unique_ptr<DatabaseFile> file_;  // nullptr: in memory
  TickWriter writer_;
  std::unique_ptr<Numbers> numbers_;
  std::unique_ptr<Tick> tick_ = std::make_unique<Tick>();
  std::vector<Account> accounts_;
  std::optional<Tick::Chapter> chapter_;  // begins one tick later
  std::uint64_t began_ns_ = 0;
  std::uint64_t ticked_us_ = 0;
  std::uint64_t committed_us_ = 0;
};

}  // namespace

std::unique_ptr<SampleRecorder> make_recorder(const std::string& path, const RecordingLimits& limits) {
  return std::make_unique<SqliteRecorder>(path, limits);
}

}  // namespace profile
