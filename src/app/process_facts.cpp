#include "app/process_facts.h"

#include <string>

#include "push/workload.h"
#include "support/clock.h"
#include "support/text_file.h"

namespace profile {
namespace {

std::string cgroup_of(std::uint32_t tgid) {
  return std::string(cgroup_path_in(read_text_file("/proc/" + std::to_string(tgid) + "/cgroup").value_or("")));
}

}  // namespace

ProcessFacts facts_of(const ProcessTimeline& timeline, std::uint32_t tgid, std::uint32_t image, bool is_new) {
  const ProgramLife life = timeline.life_of(tgid, image);
  const auto unix = [offset_ns = unix_offset_ns()](std::uint64_t ns) { return ns == 0 ? 0 : ns + offset_ns; };
  ProcessFacts facts;
  facts.began_ns = unix(life.began_ns);
  facts.ended_ns = unix(life.ended_ns);
  if (is_new && life.ended_ns == 0) facts.cgroup = cgroup_of(tgid);
  if (is_new && facts.cgroup.empty()) {
    if (const std::uint32_t ancestor = timeline.living_ancestor_of(tgid); ancestor != 0) {
      facts.inherited_cgroup = cgroup_of(ancestor);
    }
  }
  if (is_new && timeline.has_command_lines()) {
    facts.comm = timeline.comm_of(tgid, image);
    facts.command_line = timeline.name_of(tgid, image);
  }
  return facts;
}

}  // namespace profile
