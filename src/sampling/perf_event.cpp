// Opens an event of perf_event_open() on every CPU and runs the BPF program on each overflow.
#include "sampling/perf_event.h"

#include <bpf/libbpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include "abi/perf_event.h"
#include "abi/record.h"
#include "abi/walk.h"
#include "model/run_words.h"
#include "perf_event.skel.h"
#include "perf_event_lean.skel.h"
#include "perf_event_native.skel.h"
#include "sampling/asked_ticks.h"
#include "sampling/cpu_events.h"
#include "sampling/kernel_needs.h"
#include "sampling/map_walk.h"
#include "sampling/perf_events.h"
#include "sampling/recorder.h"
#include "sampling/rest_of_hits.h"
#include "sampling/traced.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/privilege.h"

namespace profile {
namespace {

constexpr const char* no_counters = "this machine has no hardware counters (a virtual one?)";
constexpr const char* not_counted = "these CPUs do not count it";

// The event does not count yet: it starts when the BPF program is attached.
perf_event_attr attr_of(const PerfEvent& event, const SamplingRate& rate) {
  perf_event_attr attr = sampled_attr(event.type, event.config, rate);
  attr.disabled = 1;
  attr.exclude_user = event.exclude_user;
  attr.exclude_kernel = event.exclude_kernel;
  return attr;
}

// Opens the event on one CPU and closes it again. Returns 0, or the errno of the kernel's refusal.
int try_event(const PerfEvent& event, const SamplingRate& rate) {
  perf_event_attr attr = attr_of(event, rate);
  const int cpu = online_cpus().front();
  const Fd fd(static_cast<int>(::syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
  return fd ? 0 : errno;
}

constexpr SamplingRate one_at_a_time{.frequency_hz = 0, .period_events = 1};

bool has_hardware_counters() {
  const PerfEvent cycles{
      .name = "cycles", .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .instead = {}};
  return try_event(cycles, one_at_a_time) == 0;
}

// Why the event is missing here, if `error` can mean that it is missing; nullopt when the error means something else.
std::optional<std::string> missing_for(const PerfEvent& event, int error) {
  if (error != ENOENT && error != EOPNOTSUPP && error != ENODEV && error != EINVAL && error != ENXIO)
    return std::nullopt;
  if (event.type == PERF_TYPE_SOFTWARE) {
    return missing_in_kernel(event.name).value_or("this kernel does not have it");
  }
  if (has_hardware_counters()) return not_counted;
  return no_counters;
}

Error cannot_open(const SamplingOptions& options, const PerfEvent& event, int cpu, int error) {
  // The kernel checks the rate before the event, so EINVAL may mean that the rate is too high.
  const bool may_be_rate = error == EINVAL && rate_of(options).frequency_hz != 0;
  const auto missing = may_be_rate && try_event(event, one_at_a_time) == 0 ? std::nullopt : missing_for(event, error);
  if (!missing) return cannot_sample(rate_of(options).frequency_hz, cpu, error);
  const std::string instead = event.instead.empty() ? "" : "; use -e " + std::string(event.instead);
  return Error("-e " + options.event + ": " + *missing + instead);
}

PerfEvent event_of(const SamplingOptions& options) {
  auto event = parse_perf_event(options.event);
  if (!event) throw usage_error("-e " + options.event + ": no perf event of that name");
  // A missing event fails here, before anything is loaded. Every kernel has the clocks.
  if (!event->is_clock()) {
    const int error = try_event(*event, rate_of(options));
    if (error != 0) throw cannot_open(options, *event, online_cpus().front(), error);
  }
  return *event;
}

// Given a rate, the kernel chooses bad periods for software events that come in bursts: the next sample may never come.
// So the BPF program sees every event. They are few enough, and the weight of a sample is then exact for the wanted
// process.
bool sees_every_event(const PerfEvent& event, const SamplingRate& rate) {
  return event.type == PERF_TYPE_SOFTWARE && !event.is_clock() && rate.frequency_hz != 0;
}

perf_event_weight weight_of(const PerfEvent& event, const SamplingRate& rate) {
  if (event.is_clock()) return WEIGHT_ONE;
  if (sees_every_event(event, rate)) return WEIGHT_OF_HIT;
  return rate.period_events != 0 ? WEIGHT_PERIOD : WEIGHT_COUNTED;
}

// Each tick must stand for the same. Where the CPU counts, that of an idle one would have the events of skipped ones.
bool may_skip_ticks(perf_event_weight weight, const SamplingOptions& options) {
  return options.may_skip_ticks && (weight == WEIGHT_ONE || weight == WEIGHT_PERIOD);
}

void set_weight(bpf_object& object, perf_event_weight weight, const SamplingRate& rate,
                const SamplingOptions& options) {
  auto* config =
      static_cast<perf_event_config*>(bpf_section_memory(object, ".rodata.perf_event", sizeof(perf_event_config)));
  config->weight = weight;
  config->may_skip_ticks = may_skip_ticks(weight, options) ? 1 : 0;
  size_map(object, "counts", static_cast<std::size_t>(possible_cpu_count()), "size the counters");
  want_map(object, "counts", weight == WEIGHT_COUNTED);
  want_map(object, "hits", weight == WEIGHT_OF_HIT);
  if (weight == WEIGHT_OF_HIT) {
    auto* hits = static_cast<hit_rate*>(bpf_section_memory(object, ".rodata.rate", sizeof(hit_rate)));
    hits->interval_ns = ns_per_s / rate.frequency_hz;
  }
}

TracedPrograms::Plan plan_for(const PerfEvent& event, const SamplingOptions& options) {
  const SamplingRate rate = rate_of(options);
  const perf_event_weight weight = weight_of(event, rate);
  TracedPrograms::Plan plan{
      .name = "perf_event",
      .elf_bytes = perf_event__elf_bytes,
      .loaded = {"on_sample"},
      .reads_few_types = true,
      .recording = {.weighted = weight != WEIGHT_ONE || may_skip_ticks(weight, options), .rate_hz = rate.frequency_hz},
      .prepare = [weight, rate](bpf_object& object,
                                const SamplingOptions& used) { set_weight(object, weight, rate, used); },
      .use = every_event};
  if (needs_kernel_types(options)) return plan;
  plan.elf_bytes = perf_event_native__elf_bytes;
  plan.loaded.push_back("on_event");
  plan.script_program = {
      .name = "perf_event", .elf_bytes = perf_event_lean__elf_bytes, .program = "on_sample", .place = "sampler"};
  return plan;
}

// Those for which a sample stands that was taken.
std::uint64_t skipped_ticks(bpf_object& object) {
  std::uint64_t all = 0;
  for (const run_cost& cost : values_by_cpu<run_cost>(bpf_map_named(object, "costs"))) {
    all += cost.all_skipped - std::min(cost.all_skipped, cost.skipped);
  }
  return all;
}

BpfCost cost_of_runs(bpf_object& object) {
  BpfCost total;
  for (const run_cost& cost : values_by_cpu<run_cost>(bpf_map_named(object, "costs"))) {
    total.runs += cost.runs;
    total.run_time_ns += cost.run_time_ns;
  }
  return total;
}

// "page-fault", "context-switch": the names of software events are plurals.
std::string_view singular(std::string_view event) {
  if (event.ends_with("ches")) event.remove_suffix(1);
  if (event.ends_with('e') || event.ends_with('s')) event.remove_suffix(1);
  return event;
}

class PerfEventSource final : public Source {
 public:
  PerfEventSource(const SamplingOptions& options, PerfEvent event)
      : Source(std::make_unique<TracedPrograms>(plan_for(event, options), options)),
        event_(std::move(event)),
        events_(programs().program(needs_kernel_types(options) ? "on_sample" : "on_event"),
                attr_of(event_, opened_rate()), options.cpus,
                [this](int cpu, int error) { return cannot_open(Source::options(), event_, cpu, error); }),
        asked_(tick_ns(), [cpus = options.cpus] { return idle_times(cpus.empty() ? online_cpus() : cpus); }) {}

  void describe(RunInfo& run) const override {
    const SamplingRate rate = rate_of(options());
    run.unit = unit_of_event(event_.name);
    run.frequency_hz = rate.frequency_hz;
    run.period_events = rate.period_events;
    if (options().event != source_kinds().front().name) {
      // The name and not the alias, because the unit in a counted report is read from this title.
      const ModifiedName typed = split_modifiers(options().event);
      const std::string modifiers = typed.has_colon ? ":" + std::string(typed.modifiers) : "";
      run.title = sampling_title(event_.name + modifiers, rate.frequency_hz, rate.period_events);
    }
  }

  void start() override {
    asked_.note_idle();
    events_.set_cpus(online_cpus());
  }
  void pause() override {
    Source::pause();
    events_.disable();
  }
  void stop() override {
    enabled_ns_ = events_.enabled_ns(recorder().counts_until_ns());
    asked_.note_idle();
    events_.stop();
  }

  void set_cpus(const CpuList& online) override {
    start_at_zero_without(online);
    events_.set_cpus(online);
    asked_.note_idle();
  }

  void collect(ProcessTimeline& timeline, Profile& into, bool stopped) override {
    if (!stopped) {
      enabled_ns_ = events_.enabled_ns(recorder().counts_until_ns());
      asked_.note_idle();
    }
    const std::uint64_t idle_before = into.account.taken_idle;
    drain(timeline, into, stopped);
    const std::uint64_t asked = asked_.take(enabled_ns_, into.account.taken_idle - idle_before);
    const std::uint64_t skipped = can_skip_ticks() ? skipped_ticks(programs().object()) : 0;
    const std::uint64_t fresh = skipped - std::exchange(skipped_, skipped);
    into.account.asked += asked - std::min(asked, fresh);
    into.account.skipped += fresh;
  }

  [[nodiscard]] bool can_skip_ticks() const override {
    return may_skip_ticks(weight_of(event_, rate_of(options())), options());
  }
  void skip_ticks(std::uint32_t ticks_a_sample) override {
    if (!state_) state_.emplace(programs().map_fd(".data.perf_event"));
    std::atomic_ref((*state_)->ticks_a_sample).store(ticks_a_sample, std::memory_order_relaxed);
  }

  [[nodiscard]] BpfCost cost() const override { return cost_of_runs(programs().object()); }
  [[nodiscard]] bool wants_count_of_runs() const override { return false; }
  [[nodiscard]] bool has_tracing_frames() const override { return false; }
  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> lines = Source::notes();
    add_note_of_rest(programs().object(), singular(event_.name), event_.name, lines);
    return lines;
  }

 private:
  // The time from one tick to the next; 0: the event is no clock.
  [[nodiscard]] std::uint64_t tick_ns() const {
    const SamplingRate rate = rate_of(options());
    if (!event_.is_clock()) return 0;
    return rate.period_events != 0 ? rate.period_events : ns_per_s / rate.frequency_hz;
  }

  [[nodiscard]] SamplingRate opened_rate() const {
    const SamplingRate rate = rate_of(options());
    return sees_every_event(event_, rate) ? one_at_a_time : rate;
  }

  // A CPU that comes back gets a new event, which counts from zero.
  void start_at_zero_without(const CpuList& online) {
    const bpf_map& counts = bpf_map_named(programs().object(), "counts");
    if (!bpf_map__autocreate(&counts)) return;
    for (int cpu = 0; cpu < possible_cpu_count(); ++cpu) {
      const __u64 zero = 0;
      if (!std::binary_search(online.begin(), online.end(), cpu)) {
        check_bpf(bpf_map__update_elem(&counts, &cpu, sizeof cpu, &zero, sizeof zero, BPF_ANY), "reset a counter");
      }
    }
  }

  PerfEvent event_;
  CpuEvents events_;
  AskedTicks asked_;
  std::optional<SharedValues<perf_event_state>> state_;  // none: no ticks have been skipped
  std::uint64_t skipped_ = 0;                            // ticks, as of the last report
  std::uint64_t enabled_ns_ = 0;  // CpuEvents::enabled_ns() at stop(), or at the last report before it
};

}  // namespace

std::unique_ptr<Source> make_perf_event(const SamplingOptions& options) {
  PerfEvent event = event_of(options);
  if (event.is_clock()) refuse_short_period(rate_of(options));
  return std::make_unique<PerfEventSource>(options, std::move(event));
}

std::optional<std::string> missing_perf_event(std::string_view name) {
  const auto event = parse_perf_event(name);
  // `name` is a family of hardware events: it needs the counters, and the cache events need one that the CPUs count.
  if (!event) {
    if (!has_hardware_counters()) return no_counters;
    const auto counts = [](const std::string& one) { return !missing_perf_event(one); };
    if (name != cache_event_family || std::ranges::any_of(cache_event_names(), counts)) return std::nullopt;
    return not_counted;
  }
  const int error = try_event(*event, one_at_a_time);
  if (error == 0) return std::nullopt;
  if (missing_for_perf(error)) return "this process has not the privilege for it";
  const auto missing = missing_for(*event, error);
  return missing ? missing : std::string(system_error("the kernel refuses it", error).what());
}

}  // namespace profile
