#include "input/sample_choice.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace profile {
namespace {

constexpr double ns_a_second = 1e9;

template <class Value>
bool has(const std::vector<Value>& wanted, const Value& value) {
  return std::ranges::find(wanted, value) != wanted.end();
}

bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

std::uint64_t ns_of(double seconds) {
  return seconds >= 0x1p64 / ns_a_second ? UINT64_MAX : static_cast<std::uint64_t>(std::llround(seconds * ns_a_second));
}

}  // namespace

bool SampleChoice::takes_time(std::uint64_t time_ns) {
  if (!first_ns_) first_ns_ = time_ns;
  const std::uint64_t since_ns = time_ns - std::min(time_ns, *first_ns_);
  return since_ns >= ns_of(request_.from_s.value_or(0)) && (!request_.to_s || since_ns < ns_of(*request_.to_s));
}

std::uint32_t SampleChoice::told(std::optional<std::uint32_t> fact, std::string_view what) const {
  if (fact) return *fact;
  throw Error(file_ + " does not say of which " + std::string(what) + " a sample is");
}

Error SampleChoice::no_recording() const {
  return Error(file_ + " does not tell the time of day or the cgroup of a sample; recordings (profile record) do");
}

Error SampleChoice::no_times() const {
  return Error(file_ +
               " does not say when a sample was taken; the text of perf script, the JSON of --stream, .cpuprofile " +
               "and other programs' speedscope files do");
}

bool SampleChoice::takes(const SampleFacts& facts) {
  if (request_.is_all()) return true;
  const bool asks_clock = request_.from_clock != ClockKind::of_run || request_.to_clock != ClockKind::of_run;
  if (asks_clock || !request_.cgroup.empty()) throw no_recording();
  if (asks_for_times()) {
    if (!facts.time_ns) throw no_times();
    if (!takes_time(*facts.time_ns)) return false;
  }
  return takes_rest(facts);
}

bool SampleChoice::takes_rest(const SampleFacts& facts) const {
  if (!request_.tgids.empty() && !has(request_.tgids, told(facts.tgid, "process"))) return false;
  if (!request_.tids.empty() && !has(request_.tids, told(facts.tid, "thread"))) return false;
  if (!request_.cpus.empty() && !has(request_.cpus, static_cast<int>(told(facts.cpu, "CPU")))) return false;
  const auto fits = [&](const std::string& pattern) { return matches(pattern, facts.name); };
  return request_.names.empty() || std::ranges::any_of(request_.names, fits);
}

double SampleChoice::part_of(std::optional<double> begin_ns, std::optional<double> end_ns) {
  if (!asks_for_times()) return 1;
  if (!begin_ns || !end_ns) throw no_times();
  if (!first_begin_ns_) first_begin_ns_ = begin_ns;
  const double from = *first_begin_ns_ + request_.from_s.value_or(0) * ns_a_second;
  const double to = request_.to_s ? *first_begin_ns_ + *request_.to_s * ns_a_second : HUGE_VAL;
  const double whole = *end_ns - *begin_ns;
  if (whole <= 0) return *begin_ns >= from && *begin_ns < to ? 1 : 0;
  return std::max(std::min(*end_ns, to) - std::max(*begin_ns, from), 0.0) / whole;
}

void SampleChoice::choose_rows(Profile& profile) {
  if (request_.is_all()) return;
  if (!request_.event.empty() && request_.event != profile.run.event) {
    throw Error(file_ + (profile.run.event.empty()
                             ? " does not say of which event its samples are"
                             : " has samples of " + profile.run.event + ", not of " + request_.event));
  }
  const std::vector<Row> rows(profile.rows().begin(), profile.rows().end());
  profile.forget_rows();
  for (const Row& row : rows) {
    const std::uint32_t tgid = profile.process(row.process).tgid;
    const SampleFacts facts{.time_ns = {},
                            .tgid = tgid != 0 ? std::optional(tgid) : std::nullopt,
                            .tid = row.tid != 0 ? std::optional(row.tid) : std::nullopt,
                            .cpu = row.cpu != any_cpu ? std::optional(row.cpu) : std::nullopt,
                            .name = profile.strings.view(row.thread_name)};
    if (first_begin_ns_ ? takes_rest(facts) : takes(facts)) profile.add(row);
  }
  profile.account = Account();
  profile.account.is_known = false;
  profile.run.is_request_known = false;
}

}  // namespace profile
