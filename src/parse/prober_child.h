// The prober: a child that makes the perf events of user probes, or the links of many of them. The kernel reads the
// probed file for that, which may take for ever.
#pragma once

#include <cstdint>
#include <tuple>

#include "parse/file_probes.h"
#include "support/fd.h"

namespace profile {

// What the prober says for a question, in this order.
enum class ProberWord : std::uint8_t {
  has_read,  // it has read the file; what follows waits only for the kernel
  done,      // errno, or 0 with the descriptor of the event or the link
  count
};

// What it is asked for.
enum class ProberTask : std::uint8_t { event, link, count };

constexpr auto wire_fields(const ProbeGroup::Place&) {
  return std::tuple(&ProbeGroup::Place::offset, &ProbeGroup::Place::cookie);
}
constexpr auto wire_fields(const ProbeGroup&) {
  return std::tuple(&ProbeGroup::places, &ProbeGroup::on_return, &ProbeGroup::tgid);
}
constexpr auto wire_fields(const UserProbe&) {
  return std::tuple(&UserProbe::offset, &UserProbe::on_return, &UserProbe::tgid);
}

// Never returns. `questions`: from the main process, each a task, a tag, and a UserProbe or a ProbeGroup with the
// program's descriptor. `files`: descriptors from the opener, each with its tag.
[[noreturn]] void run_prober(Fd questions, Fd files);

}  // namespace profile
