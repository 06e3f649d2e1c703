// Puts the parts together: side-band records into the process table, /proc where they do not suffice.
#include "process/timeline.h"

#include <algorithm>

#include "process/code_files.h"
#include "process/file_opener.h"
#include "process/proc_source.h"
#include "process/proc_survey.h"
#include "process/process_table.h"
#include "process/side_band.h"
#include "support/fd_limit.h"

namespace profile {
namespace {

// Files held open at most, and descriptors left to everybody else in this program.
constexpr std::size_t most_open_files = 16384;
constexpr std::size_t other_descriptors = 1024;

std::size_t file_room() {
  const std::size_t limit = raise_fd_limit(most_open_files + other_descriptors);
  return limit > 2 * other_descriptors ? std::min(limit - other_descriptors, most_open_files) : limit / 2;
}

}  // namespace

struct ProcessTimeline::State {
  State(const TimelineOptions& options, const CpuList& cpus)
      : files(opener, file_room()),
        table(files, source),
        side_band(cpus),
        survey(source, table, [this] { catch_up(); }) {
    for (const std::uint32_t id : options.tgids) {
      const std::uint32_t tgid = source.tgid_of(id);
      only.push_back(tgid != 0 ? tgid : id);
      table.want(only.back());
    }
  }

  void catch_up() {
    applied_before_ns = side_band.read([this](const SideBandRecord& record) { table.apply(record); });
  }
  void update() {
    files.begin_batch();
    catch_up();
    survey.settle();
  }

  KernelProcSource source;
  KernelFileOpener opener;
  CodeFiles files;
  ProcessTable table;
  SideBand side_band;
  ProcSurvey survey;
  std::vector<std::uint32_t> only;
  std::uint64_t applied_before_ns = 0;
};

ProcessTimeline::ProcessTimeline(const TimelineOptions& options, const CpuList& cpus)
    : state_(std::make_unique<State>(options, cpus)) {}
ProcessTimeline::~ProcessTimeline() = default;

void ProcessTimeline::set_cpus(const CpuList& online) {
  update();
  if (state_->side_band.set_cpus(online)) state_->table.note_loss(state_->applied_before_ns);
}

int ProcessTimeline::poll_fd() const { return state_->side_band.poll_fd(); }

void ProcessTimeline::update() { state_->update(); }

void ProcessTimeline::scan_proc() { state_->survey.scan(state_->only); }

std::uint32_t ProcessTimeline::image_at(std::uint32_t tgid, std::uint64_t time_ns) {
  if (time_ns >= state_->applied_before_ns) update();
  if (tgid != 0 && state_->table.needs_snapshot(tgid)) state_->survey.look_once(tgid);
  return state_->table.image_at(tgid, time_ns);
}

std::string_view ProcessTimeline::name_of(std::uint32_t tgid, std::uint32_t image) const {
  return state_->table.name_of(tgid, image);
}

CodeLocation ProcessTimeline::locate(std::uint32_t tgid, std::uint32_t image, RuntimeAddress address) {
  return state_->table.locate(tgid, image, address);
}

void ProcessTimeline::forget_before(std::uint64_t time_ns) {
  state_->table.forget_before(time_ns, [this](std::uint32_t tgid) { return state_->source.is_alive(tgid); });
}

TimelineStatus ProcessTimeline::status() const {
  TimelineStatus status;
  status.records = state_->table.record_count();
  status.lost_records = state_->table.lost_count();
  status.processes = state_->table.process_count();
  status.files = state_->files.size();
  status.open_files = state_->files.open_count();
  status.repairs = state_->survey.repairs();
  return status;
}

}  // namespace profile
