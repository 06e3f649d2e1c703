#include "app/run_info.h"

#include "app/options.h"
#include "sampling/source.h"

namespace profile {

RunInfo run_info_of(const Options& options, const Source& source) {
  const SamplingOptions& sampling = options.sampling;
  RunInfo run;
  run.event = sampling.event;
  run.tgids = sampling.tgids;
  run.tids = sampling.tids;
  run.names = sampling.names;
  run.cpus = options.cpus_typed;
  run.user_stacks = sampling.user_stacks;
  run.kernel_stacks = sampling.kernel_stacks;
  run.duration_s = options.duration_s;
  run.command = options.command;
  run.command_line = options.command_line;
  source.describe(run);
  return run;
}

}  // namespace profile
