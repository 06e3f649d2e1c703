#include "app/process_facts.h"

#include <string_view>

#include "support/clock.h"
#include "support/text_file.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// Of the unified hierarchy, or else of the first one: a line is "0::/system.slice/a.service".
std::string cgroup_of(std::uint32_t tgid) {
  const auto text = read_text_file("/proc/" + std::to_string(tgid) + "/cgroup");
  if (!text) return {};
  std::string first;
  for (std::string_view rest = *text; !rest.empty();) {
    std::string_view line = take_until(rest, '\n');
    const bool is_unified = line.starts_with("0::");
    take_until(line, ':');
    take_until(line, ':');
    if (is_unified) return std::string(line);
    if (first.empty()) first = line;
  }
  return first;
}

}  // namespace

ProcessFacts facts_of(const ProcessTimeline& timeline, std::uint32_t tgid, std::uint32_t image, bool is_new) {
  const ProgramLife life = timeline.life_of(tgid, image);
  const auto unix = [offset_ns = unix_offset_ns()](std::uint64_t ns) { return ns == 0 ? 0 : ns + offset_ns; };
  ProcessFacts facts;
  facts.began_ns = unix(life.began_ns);
  facts.ended_ns = unix(life.ended_ns);
  if (is_new && life.ended_ns == 0) facts.cgroup = cgroup_of(tgid);
  if (is_new && timeline.has_command_lines()) {
    facts.comm = timeline.comm_of(tgid, image);
    facts.command_line = timeline.name_of(tgid, image);
  }
  return facts;
}

}  // namespace profile
