// What is the same for all sources: attaching, draining and asking the recorder of the source's programs.
#include "sampling/source.h"

#include <utility>

#include "sampling/recorder.h"
#include "sampling/traced.h"

namespace profile {

Source::Source(std::unique_ptr<TracedPrograms> programs) : programs_(std::move(programs)) {}
Source::~Source() = default;
Recorder& Source::recorder() const { return programs_->recorder(); }
const SamplingOptions& Source::options() const { return programs_->options(); }
void Source::start() { programs_->attach(); }
void Source::stop() { programs_->detach(); }
BpfCost Source::cost() const { return programs_->cost(); }
std::vector<std::string> Source::notes() const { return programs_->notes(); }
void Source::pause() { recorder().pause(); }
void Source::hand_to(std::function<void(const Sample&)> on_sample) { recorder().hand_to(std::move(on_sample)); }
std::uint64_t Source::complete_until_ns() { return recorder().complete_until_ns(); }
void Source::set_meanwhile(std::function<void()> meanwhile) { recorder().set_meanwhile(std::move(meanwhile)); }
void Source::leave_out(std::uint32_t tgid, std::uint32_t image) { recorder().leave_out(tgid, image); }
int Source::poll_fd() { return recorder().poll_fd(); }
void Source::keep_up() { recorder().keep_up(); }
void Source::consume(ProcessTimeline& timeline, Profile& into) { recorder().consume(timeline, into); }
bool Source::wants_drain() { return recorder().wants_drain(); }
void Source::drain(ProcessTimeline& timeline, Profile& into, bool stopped) {
  recorder().drain(timeline, into, stopped);
}
bool Source::wants_tables() { return recorder().wants_tables(); }
void Source::supply_tables(ProcessTimeline& timeline) { recorder().supply_tables(timeline); }
void Source::expect_scripts(ProcessTimeline& timeline, std::uint32_t tgid) {
  recorder().expect_scripts(timeline, tgid);
}
void Source::collect(ProcessTimeline& timeline, Profile& into, bool stopped) { drain(timeline, into, stopped); }
Account Source::pending_account() { return recorder().pending_account(); }

std::uint64_t Source::pending_samples() { return recorder().pending_account().taken; }
std::uint64_t Source::pending_rows() { return recorder().pending_rows(); }
std::uint64_t Source::lost_with_full_maps() { return recorder().lost_with_full_maps(); }
std::uint64_t Source::unfollowed() { return recorder().unfollowed(); }

}  // namespace profile
