#include "sampling/syscall_programs.h"

#include <cstddef>
#include <optional>

#include "abi/syscalls.h"
#include "abi/walk.h"
#include "model/syscall_category.h"
#include "sampling/kernel_needs.h"
#include "sampling/syscall_names.h"
#include "syscalls.skel.h"

namespace profile {
namespace {

// Threads that are alive at the same time: each keeps its map entry from its first call on.
constexpr std::uint32_t most_threads = 65536;

std::uint8_t marks_of(std::uint32_t call, const std::optional<SyscallCategory>& category) {
  const std::string_view name = known_syscall_name(call);
  int marks = 0;
  if (!category || category_of_syscall(name) == *category) marks |= CALL_WANTED;
  if (name != "exit" && name != "exit_group" && name != "sigreturn" && name != "rt_sigreturn") marks |= CALL_RETURNS;
  return static_cast<std::uint8_t>(marks);
}

void prepare(bpf_object& object, const SamplingOptions& options) {
  const SourceOptions source = syscall_choice(options);
  const bool results = wants_syscall_results(source) || takes_failed_syscalls(options);
  auto* config = static_cast<syscalls_config*>(bpf_section_memory(object, ".rodata.syscalls", sizeof(syscalls_config)));
  config->some_calls = source.category.has_value();
  config->by_process = source.by_process;
  config->stacks = wants_syscall_stacks(options);
  config->results = results;
  config->latency = source.latency;
  config->failed = source.failed;
  config->failed_stacks = takes_failed_syscalls(options);

  auto* marks = static_cast<std::uint8_t*>(
      bpf_section_memory(object, ".rodata.marks", static_cast<std::size_t>(PROFILE_SYSCALLS)));
  for (std::uint32_t call = 0; call < PROFILE_SYSCALLS; ++call) marks[call] = marks_of(call, source.category);

  size_map(object, "counts", static_cast<std::size_t>(possible_cpu_count()), "size the counters");
  const auto use = [&](const char* name, bool wanted, std::uint32_t entries) {
    want_map(object, name, wanted);
    size_map(object, name, entries, "size a table of system calls");
  };
  use("uses", source.by_process, syscall_table_rows);
  use("results", keeps_syscall_results(options), syscall_table_rows);
  use("no_result", keeps_syscall_results(options), 1);
  use("failures", source.failed, syscall_table_rows);
  use("spans", results, most_threads);
}

}  // namespace

SourceOptions syscall_choice(const SamplingOptions& options) {
  SourceOptions choice = options.source;
  if (!options.rows) choice.by_process = choice.failed = false;
  return choice;
}

bool wants_syscall_results(const SourceOptions& choice) { return choice.latency || choice.failed; }

bool keeps_syscall_results(const SamplingOptions& options) {
  return options.rows && wants_syscall_results(syscall_choice(options));
}

bool wants_syscall_stacks(const SamplingOptions& options) {
  return options.user_stacks || options.kernel_stacks || options.each_sample;
}

bool takes_failed_syscalls(const SamplingOptions& options) {
  return options.source.failed && wants_syscall_stacks(options);
}

bool times_syscall_stacks(const SamplingOptions& options) {
  return options.source.latency && wants_syscall_stacks(options);
}

SamplingOptions syscall_recording(const SamplingOptions& options) {
  SamplingOptions recording = options;
  if (options.user_stacks) recording.kernel_stacks = false;
  if (!wants_syscall_stacks(options)) {
    recording.stack_entries = 1;
    recording.histogram_entries = 1;
  }
  return recording;
}

TracedPrograms::Plan syscall_plan(const SamplingOptions& options) {
  const SourceOptions source = syscall_choice(options);
  TracedPrograms::Plan plan{
      .name = "syscalls",
      .elf_bytes = syscalls__elf_bytes,
      .loaded = {"on_tick"},
      .recording = {.weighted = source.latency, .filter_cpu = !options.cpus.empty(), .without_self = true},
      .prepare = prepare,
      .use = "syscalls"};
  const bool events = counts_on_trace_events();
  if (times_syscall_stacks(options)) {
    plan.attached = {events ? "on_exit_of_span_event" : "on_exit_of_span", "on_thread_end_of_span", "on_exec_of_span"};
    plan.loaded.push_back("flush");
    plan.use = "syscalls --latency -f";
  } else if (wants_syscall_results(source) || takes_failed_syscalls(options)) {
    plan.attached = {events ? "on_exit_event" : "on_exit", "on_thread_end", "on_exec"};
  }
  plan.attached.push_back(events ? "on_enter_event" : "on_enter");
  return plan;
}

}  // namespace profile
