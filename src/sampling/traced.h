// The BPF side of every source: one BPF object, of which only the wanted programs are loaded, and the recorder that
// drains its maps. The programs are attached together and detached together.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sampling/probed_file.h"
#include "sampling/record_maps.h"
#include "sampling/recorder.h"
#include "sampling/script_program.h"
#include "sampling/source.h"
#include "support/bpf.h"
#include "support/fd.h"

namespace profile {

// Throws a usage Error when the user asks for a rate although every event counts. `what` is the noun for one event:
// "wait".
void refuse_rate(const SamplingOptions& options, const char* what);

class TracedPrograms {
 public:
  struct Plan {
    const char* name;                        // of the object
    const void* (*elf_bytes)(std::size_t*);  // of its skeleton
    std::vector<const char*> attached = {};  // programs that attach() attaches where their sections say
    std::vector<const char*> loaded = {};    // other programs to load
    bool reads_few_types = false;            // of the kernel's types it reads only those in ReadTypes
    RecorderConfig recording;
    // Sets the source's constants and sizes, between opening and loading.
    std::function<void(bpf_object& object, const SamplingOptions& options)> prepare;
    std::string_view use;     // its name in the table of kernel_needs.h, which says what the kernel must have
    bool has_probes = false;  // its programs are for user probes
    std::optional<ScriptProgram::Source> script_program = {};  // for an object that shows no functions of scripts
  };

  // Opens, prepares and loads the object, and follows the command's processes when `options` say so. Throws Error.
  TracedPrograms(const Plan& plan, const SamplingOptions& options, const ValueConversion& conversion = {});

  // The options of the constructor, within the limits of the kernel and of the rate.
  [[nodiscard]] const SamplingOptions& options() const { return options_; }
  [[nodiscard]] bpf_object& object() const { return *object_; }
  [[nodiscard]] Recorder& recorder() { return recorder_; }
  [[nodiscard]] bpf_program& program(const char* name) const { return bpf_program_named(*object_, name); }
  [[nodiscard]] int map_fd(const char* name) const { return bpf_map_fd(*object_, name); }
  void attach();
  // Keeps links that were made elsewhere; detach() undoes them with the others.
  void keep(BpfLink link) { links_.push_back(std::move(link)); }
  // Attaches a program to user probes; detach() undoes it, too. Throws Error, whose text begins with `what`.
  void attach(FileProbes& probes, const char* name, const ProbedFile& file, const ProbeGroup& group,
              const std::string& what);
  // Detaches all programs except those that follow the command. When it returns, none of the detached programs runs.
  void detach();
  // Runs a raw tracepoint program once, on this CPU. Throws Error when the kernel refuses.
  void run(const char* program);
  // The cost of all programs together, except those that run() has run: they take no samples.
  [[nodiscard]] BpfCost cost() const;
  // How often the kernel skipped a program, because it or another BPF program was running on that CPU. Kernels before
  // 5.12 do not count this; some later kernels do not count it for tracepoints.
  [[nodiscard]] std::uint64_t missed_runs() const;
  // Lines for the summary: about missed runs, missing tables, and why stacks are not walked in the preferred way.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  SamplingOptions options_;
  std::optional<std::string> fallback_;
  bool has_probe_links_;
  BpfObject object_;
  std::optional<ScriptProgram> script_program_;
  std::vector<const char*> attached_;
  std::vector<BpfLink> followers_;
  std::vector<BpfLink> links_;
  std::vector<Fd> probe_links_;
  std::vector<std::string> run_;  // programs that run() has run
  ProgramBarrier barrier_;
  Recorder recorder_;
};

}  // namespace profile
