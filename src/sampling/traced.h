// What the sources that trace functions of the kernel or of programs share: one BPF object of which just the programs
// that are wanted are loaded, attached together and detached together.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sampling/record_maps.h"
#include "sampling/source.h"
#include "support/bpf.h"

namespace profile {

// Throws a usage Error when a rate is asked for with an event of which each single one counts; `what` it is: "wait".
void refuse_rate(const SamplingOptions& options, const char* what);

class TracedPrograms {
 public:
  struct Plan {
    const char* name;                        // of the object
    const void* (*elf_bytes)(std::size_t*);  // of its skeleton
    std::vector<const char*> attached;       // programs that attach() attaches where their sections say
    std::vector<const char*> loaded;         // programs loaded besides
    bool reads_few_types = false;            // of the kernel: no others than ReadTypes has
    RecorderConfig recording;
    std::function<void(bpf_object&)> prepare;  // between opening and loading: constants and sizes of the source's own
    std::string_view use;  // of the kernel: what the table of kernel_needs.h says of it must be there
  };

  // Opens, prepares and loads; follows the command's processes when `options` say so. Throws Error.
  TracedPrograms(const Plan& plan, const SamplingOptions& options);

  [[nodiscard]] bpf_object& object() const { return *object_; }
  void attach();
  // Keeps a link that was made elsewhere, to be undone with the others.
  void keep(BpfLink link) { links_.push_back(std::move(link)); }
  // After it no program is attached, nor under way.
  void detach();
  // Runs a raw tracepoint program once, on this CPU. Throws Error when the kernel refuses.
  void run(const char* program);
  // Of all its programs together, without those that run() has run: they take no samples.
  [[nodiscard]] BpfCost cost() const;
  // How often the kernel did not run one of them, because it was running already on that CPU or something else of BPF
  // was in the way. Kernels before 5.12 do not say, nor some later ones for tracepoints.
  [[nodiscard]] std::uint64_t missed_runs() const;
  // Lines for the summary: about those, if there were any, and why stacks are taken in another way than was preferred.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  std::optional<std::string> fallback_;
  BpfObject object_;
  std::vector<const char*> attached_;
  std::vector<BpfLink> followers_;
  std::vector<BpfLink> links_;
  std::vector<std::string> run_;  // programs that run() has run
  ProgramBarrier barrier_;
};

}  // namespace profile
