// System calls in JSON: all of them, the most frequent by name, and the analysis of their mix.
#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/syscall_analysis.h"
#include "output/clean_text.h"
#include "output/formats/json_parts.h"

namespace profile {
namespace {

// By name only, even if the report keeps processes apart.
void write_top(JsonWriter& json, const Profile& profile, std::size_t top) {
  std::vector<std::pair<StringId, std::uint64_t>> calls;
  std::unordered_map<StringId, std::size_t> place_of;
  for (const SyscallUse& call : profile.syscalls->calls) {
    const auto [found, is_new] = place_of.try_emplace(call.name, calls.size());
    if (is_new) calls.emplace_back(call.name, 0);
    calls[found->second].second += call.count;
  }
  std::stable_sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  json.begin_array("top_syscalls");
  for (std::size_t i = 0; i < std::min(top, calls.size()); ++i) {
    json.begin_object();
    json.member("name", clean_name(profile.strings.view(calls[i].first)));
    json.member("count", calls[i].second);
    json.end_object();
  }
  json.end_array();
}

void write_programs(JsonWriter& json, const Profile& profile, const SyscallError& error) {
  json.begin_array("programs");
  for (const FailingProgram& program : error.programs) {
    json.begin_object();
    json.member("name", clean_name(profile.strings.view(program.name)));
    if (program.tgid != 0) json.member("pid", program.tgid);
    json.member("count", program.count);
    json.end_object();
  }
  json.end_array();
}

void write_errors(JsonWriter& json, const Profile& profile, const SyscallUse& call) {
  json.begin_array("errors");
  for (const SyscallError& error : call.errors) {
    json.begin_object();
    visit_error(profile, {.call = &call, .error = &error}, json_members(json));
    if (!error.programs.empty()) write_programs(json, profile, error);
    json.end_object();
  }
  json.end_array();
}

void write_analysis(JsonWriter& json, const SyscallReport& report, const SyscallAnalysis& analysis) {
  json.begin_object("analysis");
  json.member("syscall_rate_per_sec", analysis.rate_per_s);
  if (!report.is_partial) {
    json.member("io_intensity", analysis.io_intensity);
    json.member("memory_intensity", analysis.memory_intensity);
  }
  json.member("cpu_intensity", analysis.cpu_intensity);
  if (!report.is_partial) json.member("network_intensity", analysis.network_intensity);
  json.member("behavior", analysis.behavior);
  json.member("rule", analysis.rule);
  json.end_object();
}

}  // namespace

void write_json_syscalls(JsonWriter& json, const Profile& profile, std::size_t top) {
  const SyscallReport& report = *profile.syscalls;
  const SyscallAnalysis analysis = analyse(report);
  json.begin_object();
  json.member("total", analysis.total);
  json.begin_object("by_category");
  for (std::size_t i = 0; i < syscall_categories; ++i) {
    json.member(name_of(static_cast<SyscallCategory>(i)), analysis.by_category[i]);
  }
  json.end_object();
  write_top(json, profile, top);
  write_analysis(json, report, analysis);
  json.member("seconds", report.seconds);
  json.begin_array("calls");
  for (const SyscallUse& call : report.calls) {
    json.begin_object();
    visit_counts(profile, call, json_members(json));
    if (report.has_failures) write_errors(json, profile, call);
    if (report.has_durations) {
      json.key("latency");
      write_json_durations(json, call.durations);
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace profile
