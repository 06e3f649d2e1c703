// Attaches the BPF program to a tracepoint through one perf event on one CPU. That is enough, because the kernel runs
// the program on every hit on every CPU.
#include "sampling/tracepoint.h"

#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <tuple>

#include "abi/perf_event.h"
#include "abi/record.h"
#include "model/run_words.h"
#include "sampling/kernel_needs.h"
#include "sampling/perf_events.h"
#include "sampling/rest_of_hits.h"
#include "sampling/traced.h"
#include "sampling/tracefs.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/nearest_names.h"
#include "support/privilege.h"
#include "tracepoint.skel.h"
#include "tracepoint_lean.skel.h"

namespace profile {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

std::uint64_t id_of(const std::string& typed) {
  const auto colon = typed.find(':');
  const std::string system = typed.substr(0, colon);
  const std::string event = typed.substr(colon + 1);
  if (system == "ftrace")
    throw Error("-e " + typed + ": the events of ftrace are no tracepoints, only records of its own");
  if (system == "kprobe" || system == "kretprobe" || system == "fentry" || system == "fexit")
    throw Error("-e " + typed +
                ": functions of the kernel are not probed; there are its tracepoints, and uprobe:FILE:SYMBOL");
  const Tracefs tracefs;
  if (!tracefs.has_system(system)) {
    throw Error("-e " + typed + ": no tracepoint system " + system + " in this kernel" +
                suggestion("; ", nearest_names(system, tracefs.systems())));
  }
  const auto id = tracefs.id_of(system, event);
  if (id) return *id;
  throw Error("-e " + typed + ": no tracepoint " + event + " in " + system +
              suggestion("; ", nearest_names(event, tracefs.events(system))));
}

hit_rate wanted_hits(const SamplingOptions& options) {
  return {.period = options.period_events.value_or(0),
          .interval_ns = options.frequency_hz ? ns_per_s / *options.frequency_hz : 0};
}

bool leaves_out_hits(const hit_rate& rate) { return rate.period != 0 || rate.interval_ns != 0; }

void prepare(bpf_object& object, const SamplingOptions& options) {
  auto* rate = static_cast<hit_rate*>(bpf_section_memory(object, ".rodata.rate", sizeof(hit_rate)));
  *rate = wanted_hits(options);
  want_map(object, "hits", leaves_out_hits(*rate));
}

TracedPrograms::Plan plan_for(const SamplingOptions& options) {
  std::ignore = id_of(options.event);  // throws before anything is loaded if there is no such tracepoint
  return {.name = "tracepoint",
          .elf_bytes = needs_kernel_types(options) ? tracepoint__elf_bytes : tracepoint_lean__elf_bytes,
          .loaded = {"on_hit"},
          .reads_few_types = true,
          .recording = {.weighted = leaves_out_hits(wanted_hits(options)), .filter_cpu = true},
          .prepare = prepare,
          .use = every_event};
}

class TracepointSource final : public Source {
 public:
  explicit TracepointSource(const SamplingOptions& options)
      : Source(std::make_unique<TracedPrograms>(plan_for(options), options)) {}

  void describe(RunInfo& run) const override {
    const std::string& event = options().event;
    run.unit = event;
    run.frequency_hz = options().frequency_hz.value_or(0);
    run.period_events = options().period_events.value_or(run.frequency_hz == 0 ? 1 : 0);
    run.title = options().frequency_hz || options().period_events
                    ? sampling_title(event, run.frequency_hz, run.period_events)
                    : counting_title(event);
  }

  void start() override { programs().keep(attach_tracepoint(programs().program("on_hit"), options().event)); }

  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> lines = Source::notes();
    add_note_of_rest(programs().object(), "hit", "hits", lines);
    return lines;
  }
};

}  // namespace

BpfLink attach_tracepoint(bpf_program& program, const std::string& name) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_TRACEPOINT;
  attr.config = id_of(name);
  const auto fail = [&name](int error) {
    if (const auto missing = missing_for_perf(error)) return Error(*missing);
    return system_error(name + ": cannot attach to the tracepoint", error);
  };
  Fd fd(static_cast<int>(::syscall(SYS_perf_event_open, &attr, -1, online_cpus().front(), -1, PERF_FLAG_FD_CLOEXEC)));
  if (!fd) throw fail(errno);
  BpfLink link(bpf_program__attach_perf_event(&program, fd.get()));
  if (!link) throw fail(errno);
  std::ignore = fd.release();  // the link owns it now
  return link;
}

std::unique_ptr<Source> make_tracepoint(const SamplingOptions& options) {
  return std::make_unique<TracepointSource>(options);
}

std::optional<std::string> missing_tracepoints(std::string_view) {
  try {
    if (!Tracefs().systems().empty()) return std::nullopt;
    return "this kernel lists none";
  } catch (const Error&) {
    return "the kernel's list of them cannot be read (run as root, or mount tracefs)";
  }
}

bool is_tracepoint_name(std::string_view event) {
  // This is a perf event's name with a typing error, because no tracepoint is called u or k.
  const ModifiedName modified = split_modifiers(event);
  if (modified.has_colon && modified.is_good()) return false;
  const auto colon = event.find(':');
  return colon != std::string_view::npos && is_name(event.substr(0, colon)) && is_name(event.substr(colon + 1));
}

bool is_tracepoint_system(std::string_view word) {
  if (!is_name(word)) return false;
  try {
    const std::vector<std::string> systems = Tracefs().systems();
    return std::find(systems.begin(), systems.end(), word) != systems.end();
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::string> tracepoint_names() {
  std::vector<std::string> names;
  try {
    const Tracefs tracefs;
    for (const std::string& system : tracefs.systems()) {
      for (const std::string& event : tracefs.events(system))
        names.push_back(std::string(system).append(":").append(event));
    }
  } catch (const Error&) {
    // The names are only for a suggestion. A user who asks for a tracepoint by name gets this error from id_of().
  }
  return names;
}

}  // namespace profile
