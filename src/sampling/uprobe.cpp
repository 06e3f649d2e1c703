// The user side of bpf/uprobe.bpf.c.
#include "abi/uprobe.h"

#include <utility>

#include "model/run_words.h"
#include "parse/children.h"
#include "sampling/recorder.h"
#include "sampling/traced.h"
#include "sampling/uprobe_target.h"
#include "support/error.h"
#include "uprobe.skel.h"
#include "uprobe_lean.skel.h"

namespace profile {
namespace {

// The kernel's frames are always the same, those of the probe itself, so they are left out beside user stacks.
SamplingOptions user_part(SamplingOptions options) {
  options.kernel_stacks = !options.user_stacks;
  return options;
}

const char* program_for(const SamplingOptions& options) {
  return options.period_events.value_or(1) == 1 ? "on_hit" : "on_counted_hit";
}

TracedPrograms::Plan plan_for(const SamplingOptions& options, const UprobeTarget& target) {
  const std::uint64_t period = options.period_events.value_or(1);
  const bool at_entry = target.at_entry;
  const bool narrow = !target.file.is_64bit;
  return {.name = "uprobe",
          .elf_bytes = needs_kernel_types(options) ? uprobe__elf_bytes : uprobe_lean__elf_bytes,
          .loaded = {program_for(options)},
          .recording = {.weighted = period != 1, .filter_cpu = true, .without_self = true},
          .prepare =
              [=](bpf_object& object, const SamplingOptions&) {
                auto* config =
                    static_cast<uprobe_config*>(bpf_section_memory(object, ".rodata.uprobe", sizeof(uprobe_config)));
                config->period = period;
                config->at_entry = at_entry;
                config->narrow = narrow;
              },
          .use = period == 1 ? "uprobe" : "uprobe -c",
          .has_probes = true};
}

class Uprobe final : public Source {
 public:
  Uprobe(const SamplingOptions& options, UprobeTarget target)
      : Source(std::make_unique<TracedPrograms>(plan_for(options, target), user_part(options))),
        target_(std::move(target)) {}

  void describe(RunInfo& run) const override {
    const std::string& event = options().event;
    run.unit = Unit::hits;
    run.period_events = options().period_events.value_or(1);
    run.title = options().period_events ? sampling_title(event, 0, run.period_events) : counting_title(event);
    run.kernel_stacks = options().kernel_stacks;
  }

  void start() override {
    recorder().pause();  // the run begins when the probe is attached at every place
    ProbeGroup group;
    for (const FileOffset offset : target_.offsets) group.places.push_back({.offset = offset});
    // A probe for one process costs the other processes nothing. For several processes the BPF program filters.
    if (options().tgids.size() == 1) group.tgid = options().tgids.front();
    programs().attach(options().children->probes(), program_for(options()), target_.file, group,
                      "-e " + options().event);
    recorder().resume();
  }

 private:
  UprobeTarget target_;
};

}  // namespace

std::unique_ptr<Source> make_uprobe(const SamplingOptions& options) {
  if (options.frequency_hz && !options.is_rate_of_others) {
    throw usage_error("-F is not for -e uprobe: every hit is a sample, or each Nth with -c N");
  }
  return std::make_unique<Uprobe>(options, find_uprobe_target(options));
}

}  // namespace profile
