#include "sampling/traced.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "sampling/kernel_needs.h"
#include "sampling/tracepoint.h"
#include "sampling/types_file.h"
#include "sampling/walk.h"
#include "support/error.h"
#include "support/memory_limit.h"
#include "support/plural.h"
#include "support/probe_link.h"

namespace profile {
namespace {

constexpr const char* followers[] = {"on_fork", "on_free"};

bool is_on_probe(const bpf_program& program) {
  const std::string_view section = bpf_program__section_name(&program);
  return section == "uprobe" || section == "uretprobe";
}

// Links for one process saw only its first thread before Linux 6.10.
bool use_probe_links(const TracedPrograms::Plan& plan, const SamplingOptions& options) {
  constexpr KernelVersion sees_processes{6, 10};
  if (!plan.has_probes || (options.tgids.size() == 1 && running_kernel() < sees_processes)) return false;
  return has_probe_links();
}

// `fallback` becomes a line for the user when stacks are not walked in the preferred way.
BpfObject load(const TracedPrograms::Plan& plan, const SamplingOptions& options, bool has_probe_links,
               std::optional<std::string>& fallback) {
  require_kernel(plan.use, options);
  std::size_t size = 0;
  const void* elf = plan.elf_bytes(&size);
  std::optional<ReadTypes> types;
  if (plan.reads_few_types && needs_kernel_types(options)) types.emplace();
  BpfObject object =
      open_bpf_object(elf, size, plan.name, types && !types->path().empty() ? types->path().c_str() : nullptr);
  prepare_recording(*object, options, plan.recording);
  fallback = prepare_walk(*object, options, plan.recording.rate_hz != 0);
  if (plan.prepare) plan.prepare(*object, options);
  const auto is_one_of = [](const auto& names, std::string_view name) {
    return std::any_of(std::begin(names), std::end(names), [&](const char* other) { return name == other; });
  };
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object.get()) {
    const std::string_view name = bpf_program__name(program);
    const bool wanted = is_one_of(plan.attached, name) || is_one_of(plan.loaded, name) ||
                        (options.follow_children && is_one_of(followers, name));
    check_bpf(bpf_program__set_autoload(program, wanted), "choose among the BPF programs");
    if (has_probe_links && is_on_probe(*program)) load_for_probe_link(*program);
  }
  load_bpf_object(*object);
  fill_filters(*object, options);
  return object;
}

BpfLink attach_program(bpf_object& object, const char* name) {
  bpf_program& program = bpf_program_named(object, name);
  constexpr std::string_view of_trace_events = "tracepoint/";
  std::string section = bpf_program__section_name(&program);
  if (section.starts_with(of_trace_events)) {
    section.erase(0, of_trace_events.size());
    std::ranges::replace(section, '/', ':');
    return attach_tracepoint(program, section);
  }
  BpfLink link(bpf_program__attach(&program));
  if (!link) throw system_error(std::string("cannot attach the BPF program ") + name, errno);
  return link;
}

std::vector<BpfLink> attach_followers(bpf_object& object) {
  std::vector<BpfLink> links;
  for (const char* name : followers) links.push_back(attach_program(object, name));
  return links;
}

}  // namespace

void refuse_rate(const SamplingOptions& options, const char* what) {
  if (!options.frequency_hz && !options.period_events) return;
  if (options.is_rate_of_others) return;
  throw usage_error("-F and -c are not for -e " + options.event + ": every " + what + " counts");
}

TracedPrograms::TracedPrograms(const Plan& plan, const SamplingOptions& options, const ValueConversion& conversion)
    : options_(
          sized_for_memory(sized_for_rate(within_kernel_depth(options), plan.recording.rate_hz, possible_cpu_count()),
                           memory_limit_bytes())),
      has_probe_links_(use_probe_links(plan, options_)),
      object_(load(plan, options_, has_probe_links_, fallback_)),
      attached_(plan.attached),
      followers_(options_.follow_children ? attach_followers(*object_) : std::vector<BpfLink>()),
      recorder_(*object_, options_, conversion) {
  if (!plan.script_program || options_.languages == 0) return;
  recorder_.begin_without_scripts(script_program_.emplace(*plan.script_program, *object_));
}

void TracedPrograms::attach() {
  for (const char* name : attached_) keep(attach_program(*object_, name));
}

void TracedPrograms::attach(FileProbes& probes, const char* name, const ProbedFile& file, const ProbeGroup& group,
                            const std::string& what) {
  AttachedProbes attached = attach_probes(probes, program(name), file, group, has_probe_links_, what);
  std::ranges::move(attached.links, std::back_inserter(links_));
  if (attached.link) probe_links_.push_back(std::move(attached.link));
}

void TracedPrograms::detach() {
  recorder_.pause();
  links_.clear();
  probe_links_.clear();
  barrier_.wait();
}

void TracedPrograms::run(const char* program) {
  if (std::find(run_.begin(), run_.end(), program) == run_.end()) run_.emplace_back(program);
  LIBBPF_OPTS(bpf_test_run_opts, options);
  const int error = -bpf_prog_test_run_opts(bpf_program__fd(&bpf_program_named(*object_, program)), &options);
  if (error != 0) throw system_error(std::string("cannot run the BPF program ") + program, error);
}

BpfCost TracedPrograms::cost() const {
  BpfCost total;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_.get()) {
    if (!bpf_program__autoload(program)) continue;
    if (std::find(run_.begin(), run_.end(), bpf_program__name(program)) != run_.end()) continue;
    const BpfCost cost = cost_of(*program);
    total.runs += cost.runs;
    total.run_time_ns += cost.run_time_ns;
  }
  return total;
}

std::uint64_t TracedPrograms::missed_runs() const {
  std::uint64_t missed = 0;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_.get()) {
    bpf_prog_info info{};
    __u32 size = sizeof info;
    if (!bpf_program__autoload(program)) continue;
    if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0) missed += info.recursion_misses;
  }
  return missed;
}

std::vector<std::string> TracedPrograms::notes() const {
  std::vector<std::string> lines;
  if (fallback_) lines.push_back(*fallback_);
  if (const std::uint64_t missed = missed_runs(); missed != 0) {
    lines.push_back(number_of(missed, "event was", "events were") +
                    " not seen: another BPF program was at work on that CPU");
  }
  if (const std::string why = script_program_ ? script_program_->refusal() : ""; !why.empty()) {
    lines.push_back("functions of scripts are not shown: " + why);
  }
  std::ranges::move(recorder_.notes(), std::back_inserter(lines));
  return lines;
}

}  // namespace profile
