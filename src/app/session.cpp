#include "app/session.h"

#include <malloc.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ahead_schedule.h"
#include "app/command.h"
#include "app/cpu_limit.h"
#include "app/messages.h"
#include "app/print.h"
#include "app/process_facts.h"
#include "app/run.h"
#include "app/service_manager.h"
#include "app/signals.h"
#include "app/sink.h"
#include "app/sources.h"
#include "app/summary.h"
#include "app/targets.h"
#include "output/clean_text.h"
#include "output/nothing_recorded.h"
#include "parse/children.h"
#include "parse/file_reader.h"
#include "process/timeline.h"
#include "sampling/command_lines.h"
#include "sampling/source.h"
#include "support/bpf.h"
#include "support/clock.h"
#include "support/end_request.h"
#include "support/error.h"
#include "support/event_loop.h"
#include "support/fd.h"
#include "support/fd_limit.h"
#include "support/priority.h"
#include "support/privilege.h"
#include "support/read_pages.h"
#include "symbol/symboliser.h"

namespace profile {
namespace {

// How often targets are looked after and the progress line is drawn.
constexpr double tick_s = 0.25;
// Every so many ticks it is read which CPUs are online, which costs more than the rest of a tick.
constexpr std::uint32_t ticks_of_cpus = 4;
// The shortest time between two closings of expired files. Before each, the samples are read and named.
constexpr std::uint64_t close_expired_every_ns = 900'000'000;
// The delay before supply_tables(), so that the file of a table can be opened first.
constexpr double await_tables_s = 0.003;
// A report of more rows is made with an ordinary priority, because it takes more than some tenths of a second.
constexpr std::uint64_t most_urgent_rows = 200'000;
// The command may have got the signal too, through its group. It gets SIGTERM only after this time.
constexpr double command_grace_s = 1.0;
// How long naming may take after the user has asked for the end. Who asks for lines waits for the largest files.
constexpr std::chrono::seconds report_patience{2};
constexpr std::chrono::seconds report_patience_with_lines{20};

// Raises the limit of open files. Comes first, because the child processes need some, too.
const Options& with_files_for(const Options& options) {
  const std::size_t online = online_cpus().size();
  const std::size_t asked = options.sampling.cpus.size();
  require_fds(needed_fds(online, asked != 0 ? asked : online));
  return options;
}

// An event of the run: what measures it, and what receives the results. Runs have no moves, because the event loop has
// their addresses.
struct EventRun {
  RunInfo info;
  std::unique_ptr<Source> source;
  Sinks sinks;
  std::optional<Run> run;
};

class Session {
 public:
  Session(const Options& options, const std::function<void()>& check_again)
      : options_(with_files_for(options)),
        check_again_(check_again),
        children_(options.symbols.debug_directories, options.symbols.debuginfod, options.sources),
        signals_(options.reloads()),
        // Not with a command, whose lines would be appended to it.
        progress_(!options.quiet && !options.verbose && !options.takes_terminal() && options.command.empty()),
        messages_(progress_, options.quiet),
        ahead_(options.duration_s) {
    if (options.cpu_limit_percent) cpu_limit_.emplace(*options.cpu_limit_percent);
    check_targets(options, children_);
    for (const std::string& remark : options.remarks) messages_.note(remark);
    make_sinks_of_events();
    {
      const RaisedPriority quick;  // it takes some 30 ms of a CPU, and the command is not there yet
      for (std::size_t i = 0; i < events_.size(); ++i) make_source(events_[i], options.events[i]);
    }
    if (cpu_limit_ &&
        std::ranges::none_of(events_, [](const EventRun& event) { return event.source->can_skip_ticks(); })) {
      throw usage_error("--cpu-limit is for the clocks, and for events with -c: not for -e " +
                        options.events.front().name);
    }
    const bool wants_count =
        std::ranges::any_of(events_, [](const EventRun& event) { return event.source->wants_count_of_runs(); });
    if (wants_count || options.verbose) run_time_stats_ = bpf_run_time_stats();
    if (!options.command.empty()) command_ = std::make_unique<Command>(options.command, options.top_view);
    const bool counts_exec =
        std::ranges::any_of(events_, [](const EventRun& event) { return event.source->counts_exec(); });
    TimelineOptions interest = of_interest(options.sampling, command_.get(), counts_exec);
    interest.tick_ns = shortest_tick_ns();
    timeline_ = std::make_unique<ProcessTimeline>(interest, cpus_, children_.files());
    if (options.command_lines) {
      command_lines_.emplace([this](std::uint32_t tgid, std::uint64_t time_ns, std::string line) {
        timeline_->name_program(tgid, time_ns, std::move(line));
      });
      timeline_->set_command_lines([this] { command_lines_->read(); });
    }
    SymbolOptions symbols = options.symbols;
    symbols.repeated = std::ranges::any_of(options.sinks, &SinkRequest::is_served_during_run);
    symboliser_ = std::make_unique<Symboliser>(*timeline_, children_.reader(), symbols);
  }

  // The run was ended to begin again.
  [[nodiscard]] bool begins_again() const { return begins_again_; }

  int run() {
    start();
    manager_.tell("READY=1\nSTATUS=sampling");
    while (!is_over_) {
      loop_.run_once();
      await_tables();
      end_unless_wanted();
    }
    manager_.tell(begins_again_ ? ServiceManager::reloading() : "STOPPING=1");
    finish();
    const bool has_failed = std::ranges::any_of(events_, [](const EventRun& event) { return event.run->has_failed(); });
    return has_failed ? Error::could_not_profile : command_status_;
  }

 private:
  void make_sinks_of_events() {
    SinkNeeds needs{.options = options_,
                    .messages = messages_,
                    .say = [this](const std::string& text) { messages_.say(text); },
                    .on_quit = [this] { quit(); },
                    .facts = [this](std::uint32_t tgid, std::uint32_t image,
                                    bool is_new) { return facts_of(*timeline_, tgid, image, is_new); },
                    .sources = {},
                    .recording = {},
                    .push = {}};
    if (options_.sources) {
      needs.sources = [this](const Profile& profile) {
        return listings_for_page(profile, children_, [this](const std::string& line) { messages_.note(line); });
      };
    }
    for (Sinks& sinks : make_sinks(std::move(needs))) events_.emplace_back().sinks = std::move(sinks);
  }

  void make_source(EventRun& event, const EventOptions& options) {
    SamplingOptions sampling = options_.sampling;
    sampling.event = options.name;
    sampling.source = options.source;
    sampling.children = &children_;
    event.source = options.kind->make(sampling);
    event.info = options_.run_info(options);
    event.source->describe(event.info);
  }

  // nullopt: some event is no clock.
  [[nodiscard]] std::optional<std::uint64_t> shortest_tick_ns() const {
    std::uint64_t hertz = 0;
    for (const EventRun& event : events_) {
      if (event.info.frequency_hz == 0) return std::nullopt;
      hertz = std::max<std::uint64_t>(hertz, event.info.frequency_hz);
    }
    return hertz != 0 ? std::optional(to_ns(1) / hertz) : std::nullopt;
  }

  void each_sink(const std::function<void(Sink&)>& call) const {
    for (const EventRun& event : events_) {
      for (const auto& sink : event.sinks.all) call(*sink);
    }
  }

  void start() {
    each_sink([](Sink& sink) { sink.prepare(); });
    for (EventRun& event : events_) event.run.emplace(event.info, event.sinks, *event.source, *timeline_, *symboliser_);
    watch();
    priority_.emplace();  // after the fork of the command, which keeps its own priority
    for (EventRun& event : events_) event.source->set_meanwhile([this] { check_for_end(); });
    // A file that takes long to read, or a server that takes long to send it, must neither cost samples nor add any.
    children_.reader().set_meanwhile([this] {
      manager_.show_life();
      if (is_time_up()) end_sampling();
      for (EventRun& event : events_) event.source->keep_up();
    });
    const bool is_scanned = expect_scripts();
    for (EventRun& event : events_) event.source->start();
    started_ns_ = monotonic_ns();
    if (command_) {
      const auto tgid = static_cast<std::uint32_t>(command_->pid());
      // Until its exec, the child runs our own program. These samples do not count.
      const std::uint32_t image = timeline_->image_at(tgid, started_ns_);
      for (EventRun& event : events_) {
        if (!event.source->counts_exec()) event.source->leave_out(tgid, image);
      }
    }
    if (options_.duration_s) loop_.add_timer(*options_.duration_s, 0, [this] { is_over_ = true; });
    if (command_) command_->release();
    // From here on nothing can fail. So the output is never a header alone.
    priority_.reset();  // threads that a sink starts have an ordinary priority
    for (EventRun& event : events_) event.run->begin(started_ns_, loop_);
    priority_.emplace();
    end_unless_wanted();
    if (!is_scanned) timeline_->scan_proc();
    if (command_lines_ && !command_) command_lines_->read_running(children_.stacks(), options_.sampling.tgids);
    give_back_read_pages();
    const auto hidden = options_.sampling.kernel_stacks ? hidden_kernel_symbols() : std::nullopt;
    if (hidden) messages_.note(*hidden);
  }

  // Where few processes are sampled, their interpreters are known before the first sample. Returns whether they were
  // looked at.
  bool expect_scripts() {
    constexpr std::size_t few = 16;
    const std::vector<std::uint32_t>& tgids = options_.sampling.tgids;
    if (tgids.empty() || tgids.size() > few || options_.sampling.languages == 0) return false;
    timeline_->scan_proc();
    for (EventRun& event : events_) {
      for (const std::uint32_t tgid : tgids) event.source->expect_scripts(*timeline_, tgid);
    }
    return true;
  }

  void watch() {
    loop_.add(signals_.fd(), [this] { on_signal(); });
    for (EventRun& event : events_) event.run->watch(loop_, [this] { return is_over_ || is_time_up(); });
    // The delay is short, because the process and its file may soon be gone. It is not 0, because the start of a
    // program makes a dozen records.
    Timer& delay = loop_.add_timer(0, 0, [this] {
      timeline_->update();
      await_records_();
    });
    await_records_ =
        loop_.add_once(timeline_->poll_fd(), [this, &delay] { delay.set(timeline_->update_delay_s(), 0); });
    loop_.add(children_.poll_fd(), [this] {
      timeline_->take_file_answers();
      if (children_.has_lost_opener()) loop_.remove(children_.poll_fd());
    });
    table_timer_ = &loop_.add_timer(0, 0, [this] {
      awaits_tables_ = false;
      for (EventRun& event : events_) event.source->supply_tables(*timeline_);
    });
    loop_.add_timer(tick_s, tick_s, [this] { on_tick(); });
    if (const double every_s = manager_.sign_of_life_every_s(); every_s > 0) {
      loop_.add_timer(every_s, every_s, [this] { manager_.show_life(); });
    }
  }

  // A file that the walk of stacks has met has to be opened before its table can be made.
  void await_tables() {
    if (awaits_tables_) return;
    if (std::ranges::none_of(events_, [](EventRun& event) { return event.source->wants_tables(); })) return;
    awaits_tables_ = true;
    table_timer_->set(await_tables_s, 0);
  }

  void on_signal() {
    for (auto signal = signals_.next(); signal.number != 0; signal = signals_.next()) {
      if (signal.number == SIGCHLD) {
        note_command_exit();
      } else if (signal.number == SIGWINCH) {
        each_sink([](Sink& sink) { sink.on_resize(); });
      } else if (signal.number == SIGHUP && options_.reloads()) {
        reload();
      } else {
        end_on_request(signal);
      }
    }
  }

  // What is wrong in the file must not end a run that works.
  void reload() {
    try {
      check_again_();
    } catch (const Error& error) {
      return messages_.say(std::string("profile: SIGHUP: the run goes on as it was: ") + error.what());
    }
    begins_again_ = true;
    is_over_ = true;
  }

  // Ctrl-C also reaches the command, and its remaining work is part of the run. If only this process got the signal,
  // the command gets SIGTERM.
  void end_on_request(const Signals::Received& signal) {
    give_terminal_back();
    signals_.let_second_kill();
    if (signal.from_terminal) messages_.begin_line();
    if (!command_) {
      is_over_ = true;
    } else if (signal.number == SIGTERM) {
      command_->signal(SIGTERM);
    } else if (!signal.from_terminal) {
      loop_.add_timer(command_grace_s, 0, [this] { command_->signal(SIGTERM); });
    }
  }

  // A command goes on to its end, as after Ctrl-C; only the view is gone.
  void quit() {
    if (command_) {
      messages_.note("the command goes on; Ctrl-C ends it");
    } else {
      is_over_ = true;
    }
  }

  void note_command_exit() {
    const auto status = command_ ? command_->exit_status() : std::nullopt;
    if (!status) return;
    command_status_ = *status;
    is_over_ = true;
  }

  void on_tick() {
    if (ticks_++ % ticks_of_cpus == 0) look_at_cpus();
    // Nothing else may come that makes these go on with what they have put off.
    timeline_->take_file_answers();
    if (timeline_->is_behind()) timeline_->update();
    for (EventRun& event : events_) {
      event.source->supply_tables(*timeline_);
      event.run->relieve();
    }
    close_expired();
    work_ahead();
    if (!any_target_alive(options_.sampling)) {
      is_over_ = true;
      messages_.note("all targets have exited");
    }
    if (cpu_limit_) keep_cpu_limit();
    if (progress_.is_shown()) progress_.show(elapsed_s(), options_.duration_s, sum(&Run::samples), sum(&Run::rows));
  }

  void look_at_cpus() {
    const CpuList online = online_cpus();
    if (online == cpus_) return;
    cpus_ = online;
    timeline_->set_cpus(cpus_);
    for (EventRun& event : events_) event.source->set_cpus(cpus_);
  }

  void keep_cpu_limit() {
    std::uint64_t cost_ns = own_cpu_time_.total_ns();
    for (const EventRun& event : events_) cost_ns += event.source->cost().run_time_ns;
    const std::uint32_t ticks = cpu_limit_->look(monotonic_ns(), cost_ns);
    for (EventRun& event : events_) event.source->skip_ticks(ticks);
  }

  void close_expired() {
    const std::uint64_t now_ns = monotonic_ns();
    if (now_ns - closed_expired_ns_ < close_expired_every_ns || !timeline_->any_expired()) return;
    for (EventRun& event : events_) {
      if (!event.run->name_expired()) return;
    }
    timeline_->close_expired();
    closed_expired_ns_ = monotonic_ns();
  }

  void work_ahead() {
    if (is_over_ || !ahead_.is_due(elapsed_s())) return;
    for (EventRun& event : events_) {
      event.run->work_ahead([this] {
        check_for_end();
        return !is_over_;
      });
    }
  }

  // While samples come faster than they are read, the loop does not reach the events that end the run. So reading calls
  // this.
  void check_for_end() {
    manager_.show_life();
    on_signal();
    if (is_time_up()) is_over_ = true;
    if (is_over_) end_sampling();
  }

  void end_sampling() {
    if (ended_ns_ != 0 || started_ns_ == 0) return;
    for (EventRun& event : events_) event.source->pause();
    ended_ns_ = monotonic_ns();
  }

  void finish() {
    end_sampling();
    for (EventRun& event : events_) event.source->stop();
    // The user waits. What is left grows with the rows: the parser, whose work may be long, has an ordinary priority.
    if (sum(&Run::rows) > most_urgent_rows) priority_.reset();
    give_terminal_back();
    signals_.let_second_kill();
    note_last_report(options_.symbols.lines || options_.symbols.debuginfod ? report_patience_with_lines
                                                                           : report_patience);
    progress_.clear();
    for (EventRun& event : events_) event.run->finish(ended_ns_);
    priority_.reset();
    summarise();
  }

  void summarise() {
    for (const EventRun& event : events_) summarise(event);
    for (const auto& lines : {children_.notes(), symboliser_->notes()}) {
      for (const std::string& line : lines) messages_.note(clean_text(line));
    }
    if (command_lines_) messages_.note(command_lines_->notes());
    messages_.note(notes_of(timeline_->status()));
    if (options_.verbose) {
      messages_.note(symboliser_->details());
      for (const EventRun& event : events_) messages_.note(details_of(timeline_->status(), event.run->account()));
    }
    each_sink([this](Sink& sink) { messages_.note(sink.answer()); });  // nearest to the prompt
  }

  // Of several events each line about one begins with its name.
  void summarise(const EventRun& event) {
    const std::string of = events_.size() == 1 ? "" : event.info.event + ": ";
    const auto note = [&](const std::string& line) { messages_.note(of + line); };
    const RunCost cost{.duration_s = to_seconds(ended_ns_ - started_ns_),
                       .cpus = sampled_cpus(),
                       .bpf = event.source->cost(),
                       .unfollowed = event.source->unfollowed()};
    note(summary_of(event.run->account(), cost));
    if (const std::string why = why_nothing(event.info, event.run->account()); !why.empty()) note(why);
    if (const std::string of_whom = what_was_filtered(event.info, event.run->account()); !of_whom.empty()) {
      note(of_whom);
    }
    for (const auto& lines :
         {losses_of(event.run->account(), event.source->lost_with_full_maps()), event.run->notes()}) {
      for (const std::string& line : lines) note(line);
    }
    for (const std::string& line : event.source->notes()) note(clean_text(line));
  }

  [[nodiscard]] std::uint64_t sum(std::uint64_t (Run::*count)() const) const {
    std::uint64_t all = 0;
    for (const EventRun& event : events_) all += ((*event.run).*count)();
    return all;
  }

  // A run without outputs and views is pointless, but a command runs to its end.
  void end_unless_wanted() {
    const bool is_wanted = std::ranges::any_of(events_, [](const EventRun& event) { return event.run->is_wanted(); });
    is_over_ = is_over_ || (!is_wanted && !command_);
  }

  void give_terminal_back() {
    each_sink([](Sink& sink) { sink.give_terminal_back(); });
  }

  [[nodiscard]] bool is_time_up() const { return options_.duration_s && elapsed_s() >= *options_.duration_s; }
  // 0 until sampling begins.
  [[nodiscard]] double elapsed_s() const { return started_ns_ == 0 ? 0 : to_seconds(monotonic_ns() - started_ns_); }

  [[nodiscard]] int sampled_cpus() const {
    const std::size_t asked = options_.sampling.cpus.size();
    return static_cast<int>(asked != 0 ? asked : cpus_.size());
  }

  const Options& options_;
  const std::function<void()>& check_again_;
  ServiceManager manager_;
  Children children_;  // before anything else is there that a child could inherit
  Signals signals_;
  Progress progress_;
  Messages messages_;
  Fd run_time_stats_;
  std::deque<EventRun> events_;
  std::unique_ptr<Command> command_;
  CpuList cpus_ = online_cpus();
  std::unique_ptr<ProcessTimeline> timeline_;
  std::optional<CommandLines> command_lines_;
  std::unique_ptr<Symboliser> symboliser_;
  std::optional<RaisedPriority> priority_;
  EventLoop loop_;
  std::uint64_t started_ns_ = 0;
  std::uint64_t ended_ns_ = 0;  // 0: not yet
  std::uint32_t ticks_ = 0;
  std::uint64_t closed_expired_ns_ = 0;
  AheadSchedule ahead_;
  std::optional<CpuLimit> cpu_limit_;
  OwnCpuTime own_cpu_time_;
  std::function<void()> await_records_;
  Timer* table_timer_ = nullptr;
  bool awaits_tables_ = false;
  bool is_over_ = false;
  bool begins_again_ = false;
  int command_status_ = 0;  // 0 without a command
};

// malloc keeps more free memory after it has freed large blocks, and a run frees its largest blocks at the start. A
// fixed limit gives the memory back to the system.
void give_back_free_memory() {
#ifdef M_TRIM_THRESHOLD
  ::mallopt(M_TRIM_THRESHOLD, 128 * 1024);
#endif
}

}  // namespace

int run_session(const Options& options, const std::function<void()>& check_again) {
  if (options.is_check) {
    say("profile: the options" + (options.config_path.empty() ? "" : ", and those in " + options.config_path) +
        " are right");
    return 0;
  }
  set_bpf_log(options.verbose);
  give_back_free_memory();
  give_back_read_pages();
  int status = 0;
  bool begins_again = false;
  {
    Session session(options, check_again);
    status = session.run();
    begins_again = session.begins_again();
  }
  if (begins_again) begin_again();
  return status;
}

}  // namespace profile
