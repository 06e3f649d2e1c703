#include "sampling/syscall_tally.h"

#include <algorithm>
#include <vector>

#include "model/syscall_category.h"

namespace profile {
namespace {

Durations durations_of(const syscall_result& result, bool with_durations) {
  Durations durations;
  if (!with_durations) return durations;
  durations.count = result.returned;
  durations.total_ns = result.total_ns;
  durations.min_ns = result.min_ns;
  durations.max_ns = result.max_ns;
  std::copy(std::begin(result.histogram), std::end(result.histogram), durations.histogram.count.begin());
  return durations;
}

}  // namespace

void SyscallTally::add_begun(std::uint32_t tgid, std::uint32_t call, std::uint64_t times, std::string_view comm) {
  sums_[{tgid, name_of_call_(call)}].begun += times;
  if (!comm.empty()) comms_.try_emplace(tgid, comm);
}

void SyscallTally::add_result(std::uint32_t tgid, std::uint32_t call, const syscall_result& result,
                              bool with_durations) {
  Sums& sums = sums_[{tgid, name_of_call_(call)}];
  sums.failed += result.failed;
  sums.durations += durations_of(result, with_durations);
}

void SyscallTally::add_failures(std::uint32_t tgid, std::uint32_t call, int error, std::uint64_t times) {
  sums_[{tgid, name_of_call_(call)}].errors[error].count += times;
}

void SyscallTally::add_failures_of(std::uint32_t tgid, const std::string& program, std::uint32_t call, int error,
                                   std::uint64_t times) {
  Failures& failures = sums_[{0, name_of_call_(call)}].errors[error];
  failures.count += times;
  const auto [found, is_new] = failures.programs.try_emplace(program, Program{.tgid = tgid});
  if (found->second.tgid != tgid) found->second.tgid = 0;
  found->second.count += times;
}

std::vector<SyscallUse> SyscallTally::take(StringTable& strings, const NameOf& name_of_process) {
  std::vector<SyscallUse> uses;
  for (const auto& [key, sums] : sums_) {
    const auto& [tgid, name] = key;
    uses.push_back({.tgid = tgid,
                    .process = strings.intern(name_of_process(tgid, comms_[tgid])),
                    .name = strings.intern(name),
                    .category = category_of_syscall(name),
                    .count = sums.begun,
                    .failed = sums.failed,
                    .durations = sums.durations,
                    .errors = {}});
    std::vector<SyscallError>& errors = uses.back().errors;
    for (const auto& [number, failures] : sums.errors) {
      errors.push_back({.number = number, .count = failures.count});
      std::vector<FailingProgram>& programs = errors.back().programs;
      for (const auto& [program, one] : failures.programs) {
        programs.push_back({.name = strings.intern(program), .tgid = one.tgid, .count = one.count});
      }
      std::ranges::stable_sort(programs, std::ranges::greater(), &FailingProgram::count);
    }
    std::ranges::stable_sort(errors, std::ranges::greater(), &SyscallError::count);
  }
  // `uses` is sorted by process and name, and stays so among equal counts.
  std::ranges::stable_sort(uses, std::ranges::greater(), &SyscallUse::count);
  sums_.clear();
  comms_.clear();
  return uses;
}

}  // namespace profile
