// Makes ticks of samples, on the thread of the run, and gives them to the writer.
#include <sys/utsname.h>

#include <algorithm>
#include <memory>
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
  for (const auto count : {&Account::asked, &Account::taken, &Account::taken_idle, &Account::recorded,
                           &Account::recorded_by_ring, &Account::idle, &Account::filtered}) {
    subtract(count);
  }
  for (const LossReason& reason : loss_reasons) subtract(reason.count);
  return difference;
}

class SqliteRecorder final : public Recorder {
 public:
  SqliteRecorder(const std::string& path, const RecordingLimits& limits)
      : file_(path, is_recording), writer_(path, limits) {}

  void begin(const RunInfo& run, const std::string& headline, AskFacts facts) override {
    utsname machine{};
    ::uname(&machine);
    began_ns_ = monotonic_ns();
    numbers_ = std::make_unique<Numbers>(std::move(facts));
    writer_.begin(run, {.headline = headline,
                        .host = machine.nodename,
                        .kernel = machine.release,
                        .began_unix_ns = began_ns_ + unix_offset_ns()});
  }

  void add(const std::shared_ptr<const Profile>& profile, const std::vector<Sample>& samples) override {
    for (const Sample& sample : samples) numbers_->add(profile, sample, began_ns_, *tick_);
  }

  void commit(const Account& account) override { commit_until(account, monotonic_ns(), false); }

  void finish(const Account& account, std::uint64_t ended_ns) override {
    commit_until(account, ended_ns, true);
    writer_.finish();
    file_.close();
  }

  [[nodiscard]] std::size_t behind() const override {
    const std::size_t waiting = writer_.waiting_samples();
    return waiting < most_waiting ? 0 : waiting;
  }
  [[nodiscard]] std::uint64_t lost() const override { return writer_.lost(); }
  [[nodiscard]] std::optional<std::string> error() const override { return writer_.error(); }
  [[nodiscard]] std::uint64_t bytes() const override { return writer_.bytes(); }
  [[nodiscard]] std::uint64_t removed() const override { return writer_.removed(); }

 private:
  void commit_until(const Account& account, std::uint64_t now_ns, bool is_last) {
    numbers_->update_processes(*tick_);
    Account& of_tick = tick_->account = since(account, std::exchange(account_, account));
    // Some samples are still on their way here, and are of a later tick.
    of_tick.recorded = static_cast<std::uint64_t>(
        std::ranges::count_if(tick_->samples, [](const Tick::Sample& sample) { return sample.event == whole_event; }));
    of_tick.taken = of_tick.recorded + of_tick.idle + of_tick.filtered + of_tick.lost();
    tick_->end_us = (now_ns - std::min(now_ns, began_ns_)) / 1000;
    // Not the time of the commit: the next tick may have samples from before it.
    ticked_us_ = std::max(ticked_us_ + 1, tick_->samples.empty() ? 0 : tick_->samples.back().time_us + 1);
    tick_->ticked_us = ticked_us_;
    tick_->is_last = is_last;
    writer_.add(std::exchange(tick_, std::make_unique<Tick>()));
    if (writer_.wants_chapter() || numbers_->size() > most_numbers) tick_->chapter = numbers_->begin_chapter();
  }

  DatabaseFile file_;
  TickWriter writer_;
  std::unique_ptr<Numbers> numbers_;
  std::unique_ptr<Tick> tick_ = std::make_unique<Tick>();
  Account account_;
  std::uint64_t began_ns_ = 0;
  std::uint64_t ticked_us_ = 0;
};

}  // namespace

std::unique_ptr<Recorder> make_recorder(const std::string& path, const RecordingLimits& limits) {
  return std::make_unique<SqliteRecorder>(path, limits);
}

}  // namespace profile
