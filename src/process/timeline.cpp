// Connects the parts: passes side-band records to the process table, and reads /proc where they are not enough.
#include "process/timeline.h"

#include <algorithm>
#include <utility>

#include "process/code_files.h"
#include "process/file_keeper.h"
#include "process/proc_source.h"
#include "process/proc_survey.h"
#include "process/process_table.h"
#include "process/side_band.h"
#include "support/clock.h"
#include "support/fd_limit.h"

namespace profile {
namespace {

// The most files that are held open, and the descriptors left for the rest of this program.
constexpr std::size_t most_open_files = 16384;
constexpr std::size_t other_descriptors = 1024;

// The reader waits this long for more records of the same moment: the process and its files may soon be gone. A walk
// that meets an unknown file does not wait for it, so this part of the time between two ticks is early enough, too.
constexpr std::uint64_t least_delay_ns = 2'000'000;
constexpr std::uint64_t least_part_of_tick = 3;
// An agent samples so seldom that it may wait for a whole tick.
constexpr std::uint64_t slow_tick_ns = 50'000'000;
// It waits up to this long while records tell only of threads that begin and end, or of processes of no interest.
constexpr std::uint64_t most_idle_delay_ns = 20'000'000;
// Following processes may cost this process one part in `cost_share` of a CPU. The opener's cost depends on it, too:
// together they take 5 %. CPU time that was not used is saved up to `most_saved_ns`.
constexpr std::uint64_t cost_share = 30;
constexpr std::int64_t most_saved_ns = 500'000'000;
// The names of short-lived processes are never later than this.
constexpr std::uint64_t most_delay_ns = 1'000'000'000;

std::size_t file_room() {
  const std::size_t limit = raise_fd_limit(most_open_files + other_descriptors);
  return limit > 2 * other_descriptors ? std::min(limit - other_descriptors, most_open_files) : limit / 2;
}

std::uint64_t delay_at(std::uint64_t tick_ns) {
  return tick_ns >= slow_tick_ns ? slow_tick_ns : std::max(tick_ns / least_part_of_tick, least_delay_ns);
}

}  // namespace

struct ProcessTimeline::State {
  State(const TimelineOptions& options, const CpuList& cpus, FileKeeper& keeper)
      : files(keeper, file_room()),
        table(files, source),
        side_band(cpus),
        survey(source, table, [this] { catch_up(); }),
        own_delay_ns(delay_at(options.tick_ns.value_or(0))),
        idle_delay_ns(own_delay_ns) {
    for (const std::uint32_t id : options.tgids) {
      const std::uint32_t tgid = source.tgid_of(id);
      only.push_back(tgid != 0 ? tgid : id);
      table.want(only.back());
    }
    if (options.command) {
      only.push_back(*options.command);
      table.follow(*options.command, options.command_from_exec);
    }
  }

  void catch_up() {
    applied_before_ns = side_band.read([this](const SideBandRecord& record) { table.apply(record); });
    if (!tell_command_lines) return;
    tell_command_lines();
    // The exec of a later one may not be applied yet.
    const auto later = std::stable_partition(told_lines.begin(), told_lines.end(),
                                             [this](const ToldLine& told) { return told.time_ns < applied_before_ns; });
    for (auto told = told_lines.begin(); told != later; ++told) {
      table.name_program(told->tgid, told->time_ns, std::move(told->line));
    }
    told_lines.erase(told_lines.begin(), later);
  }
  void update() {
    const std::uint64_t before_ns = thread_cpu_ns();
    save();
    files.begin_batch();
    const std::uint64_t records = table.record_count();
    const std::uint64_t news = table.news_count();
    catch_up();
    if (table.record_count() != records) {
      read_ns = monotonic_ns();
      const std::uint64_t longer_ns = std::max(own_delay_ns, std::min(2 * idle_delay_ns, most_idle_delay_ns));
      idle_delay_ns = table.news_count() != news ? own_delay_ns : longer_ns;
    }
    survey.read_unknown(saved_ns > 0);
    saved_ns -= static_cast<std::int64_t>(thread_cpu_ns() - before_ns);
  }

  // After a pause, a record may tell of anything.
  [[nodiscard]] std::uint64_t delay_ns() const {
    return monotonic_ns() - read_ns < 2 * most_idle_delay_ns ? idle_delay_ns : own_delay_ns;
  }

  // Adds to the CPU time that may be used for records, as time passes.
  void save() {
    const std::uint64_t now_ns = monotonic_ns();
    saved_ns += static_cast<std::int64_t>((now_ns - saved_at_ns) / cost_share);
    saved_ns = std::min(saved_ns, most_saved_ns);
    saved_at_ns = now_ns;
  }

  KernelProcSource source;
  CodeFiles files;
  ProcessTable table;
  SideBand side_band;
  ProcSurvey survey;
  struct ToldLine {
    std::uint32_t tgid = 0;
    std::uint64_t time_ns = 0;
    std::string line;
  };
  std::function<void()> tell_command_lines;
  std::vector<ToldLine> told_lines;  // not yet in the table
  std::vector<std::uint32_t> only;
  std::uint64_t applied_before_ns = 0;
  std::int64_t saved_ns = most_saved_ns;  // of CPU time
  std::uint64_t saved_at_ns = monotonic_ns();
  std::uint64_t own_delay_ns;   // while programs begin or map code
  std::uint64_t idle_delay_ns;  // while records of this kind come
  std::uint64_t read_ns = 0;    // when a record was read last
  std::uint64_t late_ns = 0;
};

ProcessTimeline::ProcessTimeline(const TimelineOptions& options, const CpuList& cpus, FileKeeper& keeper)
    : state_(std::make_unique<State>(options, cpus, keeper)) {}
ProcessTimeline::~ProcessTimeline() = default;

void ProcessTimeline::set_cpus(const CpuList& online) {
  update();
  if (state_->side_band.set_cpus(online)) state_->table.note_loss(state_->applied_before_ns);
}

int ProcessTimeline::poll_fd() const { return state_->side_band.poll_fd(); }

void ProcessTimeline::update() { state_->update(); }

bool ProcessTimeline::is_behind() const { return state_->survey.is_behind(); }

double ProcessTimeline::update_delay_s() {
  state_->save();
  if (state_->saved_ns >= 0) return to_seconds(state_->delay_ns());
  const std::uint64_t owed_ns = static_cast<std::uint64_t>(-state_->saved_ns) * cost_share;
  const std::uint64_t delay_ns = std::clamp(owed_ns, least_delay_ns, most_delay_ns);
  state_->late_ns += delay_ns;
  return to_seconds(delay_ns);
}

void ProcessTimeline::look_again(std::uint32_t tgid) { state_->survey.look_again(tgid); }

void ProcessTimeline::scan_proc() { state_->survey.scan(state_->only); }

std::uint32_t ProcessTimeline::image_at(std::uint32_t tgid, std::uint64_t time_ns) {
  if (time_ns >= state_->applied_before_ns) update();
  if (tgid != 0 && state_->table.needs_snapshot(tgid)) state_->survey.look_once(tgid);
  return state_->table.image_at(tgid, time_ns);
}

ProgramLife ProcessTimeline::life_of(std::uint32_t tgid, std::uint32_t image) const {
  return state_->table.life_of(tgid, image);
}

std::string_view ProcessTimeline::name_of(std::uint32_t tgid, std::uint32_t image) const {
  return state_->table.name_of(tgid, image);
}

std::uint32_t ProcessTimeline::living_ancestor_of(std::uint32_t tgid) const {
  return state_->table.living_ancestor_of(tgid);
}

std::string_view ProcessTimeline::comm_of(std::uint32_t tgid, std::uint32_t image) const {
  return state_->table.comm_of(tgid, image);
}

void ProcessTimeline::name_program(std::uint32_t tgid, std::uint64_t time_ns, std::string line) {
  state_->told_lines.push_back({.tgid = tgid, .time_ns = time_ns, .line = std::move(line)});
}

void ProcessTimeline::set_command_lines(std::function<void()> tell) { state_->tell_command_lines = std::move(tell); }

bool ProcessTimeline::has_command_lines() const { return state_->tell_command_lines != nullptr; }

CodeLocation ProcessTimeline::locate(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address) const {
  return state_->table.locate(tgid, image, address);
}

std::vector<MappedFile> ProcessTimeline::files_of(std::uint32_t tgid, std::uint32_t image) const {
  return state_->table.files_of(tgid, image);
}

std::vector<CodeCopy> ProcessTimeline::copies_since(std::uint64_t& noted) const {
  return state_->table.copies_since(noted);
}

std::vector<FileNumber> ProcessTimeline::take_replaced_numbers() { return state_->files.take_replaced(); }

CodeFile* ProcessTimeline::jit_dump_of(std::uint32_t tgid, std::uint32_t image) const {
  return state_->table.jit_dump_of(tgid, image);
}

std::optional<std::uint32_t> ProcessTimeline::jit_user_of(std::uint32_t tgid) const {
  return state_->table.jit_user_of(tgid);
}

bool ProcessTimeline::is_number_used_again(std::uint32_t tgid, std::uint32_t image) const {
  return state_->table.is_number_used_again(tgid, image);
}

bool ProcessTimeline::is_of_replaced_program(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address) const {
  return state_->table.is_of_replaced_program(tgid, image, address);
}

void ProcessTimeline::wait_for_states(std::chrono::milliseconds patience) { state_->files.wait_for_states(patience); }

void ProcessTimeline::wait_for_files(std::span<CodeFile* const> files, std::chrono::milliseconds patience) {
  state_->files.wait_for_files(files, patience);
}

void ProcessTimeline::take_file_answers() { state_->files.take_answers(); }

bool ProcessTimeline::any_expired() {
  state_->survey.look_for_unmapped();
  state_->table.note_mapped(state_->source.now_ns());
  return state_->files.any_expired();
}

bool ProcessTimeline::is_perf_map_expired(std::uint32_t tgid) const { return state_->files.is_perf_map_expired(tgid); }

void ProcessTimeline::close_expired() { state_->files.close_expired(); }

void ProcessTimeline::forget_before(std::uint64_t time_ns, const std::unordered_set<std::uint32_t>& but) {
  state_->table.forget_before(
      time_ns, [this](std::uint32_t tgid) { return state_->source.is_alive(tgid); }, but);
}

TimelineStatus ProcessTimeline::status() const {
  return {.records = state_->table.record_count(),
          .lost_records = state_->table.lost_count(),
          .processes = state_->table.process_count(),
          .files = state_->files.size(),
          .open_files = state_->files.open_count(),
          .repairs = state_->survey.repairs(),
          .skipped = state_->table.skipped_count(),
          .late_s = to_seconds(state_->late_ns)};
}

}  // namespace profile
