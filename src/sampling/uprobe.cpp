// The user side of bpf/uprobe.bpf.c.
#include "abi/uprobe.h"

#include <utility>

#include "parse/children.h"
#include "sampling/perf_event.h"
#include "sampling/recorder.h"
#include "sampling/traced.h"
#include "sampling/uprobe_target.h"
#include "sampling/walk.h"
#include "support/error.h"
#include "uprobe.skel.h"
#include "uprobe_lean.skel.h"

namespace profile {
namespace {

// The kernel's frames are always the same, those of the probe itself, so they are left out beside user stacks.
SamplingOptions user_part(SamplingOptions options) {
  options.kernel_stacks = !options.user_stacks;
  return within_kernel_depth(std::move(options));
}

TracedPrograms::Plan plan_for(const SamplingOptions& options, const UprobeTarget& target) {
  const std::uint64_t period = options.period_events.value_or(1);
  const bool at_entry = target.at_entry;
  const bool narrow = !target.file.is_64bit;
  return {.name = "uprobe",
          .elf_bytes = needs_kernel_types(options) ? uprobe__elf_bytes : uprobe_lean__elf_bytes,
          .attached = {},
          .loaded = {period == 1 ? "on_hit" : "on_counted_hit"},
          .recording = {.weighted = period != 1, .filter_cpu = true, .without_self = true},
          .prepare =
              [=](bpf_object& object) {
                auto* config =
                    static_cast<uprobe_config*>(bpf_section_memory(object, ".rodata.uprobe", sizeof(uprobe_config)));
                config->period = period;
                config->at_entry = at_entry;
                config->narrow = narrow;
              },
          .use = period == 1 ? "uprobe" : "uprobe -c"};
}

class Uprobe final : public Source {
 public:
  explicit Uprobe(const SamplingOptions& options)
      : options_(user_part(options)),
        target_(find_uprobe_target(options)),
        programs_(plan_for(options_, target_), options_),
        recorder_(programs_.object(), options_) {}

  void describe(RunInfo& run) const override {
    run.unit = "hits";
    run.frequency_hz = 0;
    run.period_events = options_.period_events.value_or(1);
    run.title = options_.period_events ? "Sampling " + options_.event + " " + rate_text(0, run.period_events)
                                       : "Counting " + options_.event;
    run.kernel_stacks = options_.kernel_stacks;
  }

  void start() override {
    recorder_.pause();  // the run begins when the probe is attached at every place
    const char* const program = options_.period_events.value_or(1) == 1 ? "on_hit" : "on_counted_hit";
    for (const FileOffset offset : target_.offsets) {
      UserProbe probe{.offset = offset};
      // A probe for one process costs the other processes nothing. For several processes the BPF program filters.
      if (options_.tgids.size() == 1) probe.tgid = options_.tgids.front();
      programs_.keep(attach_probe(options_.children->probes(), bpf_program_named(programs_.object(), program),
                                  target_.file, probe, 0, "-e " + options_.event));
    }
    recorder_.resume();
  }

  void stop() override { programs_.detach(); }
  void set_cpus(const CpuList&) override {}
  [[nodiscard]] BpfCost cost() const override { return programs_.cost(); }
  [[nodiscard]] bool has_tracing_frames() const override { return true; }
  [[nodiscard]] std::vector<std::string> notes() const override { return programs_.notes(); }

 private:
  Recorder& recorder() override { return recorder_; }

  const SamplingOptions options_;
  UprobeTarget target_;
  TracedPrograms programs_;
  Recorder recorder_;
};

}  // namespace

std::unique_ptr<Source> make_uprobe(const SamplingOptions& options) {
  if (options.frequency_hz) {
    throw usage_error("-F is not for -e uprobe: every hit is a sample, or each Nth with -c N");
  }
  return std::make_unique<Uprobe>(options);
}

}  // namespace profile
