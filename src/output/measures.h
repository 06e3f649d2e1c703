// Tells what a profile holds besides stacks value by value, for all forms that print it: tables for people, csv and
// json. So a new value is added in one place.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/profile.h"

namespace profile {

struct MeasureValue {
  // Its names in a table, in csv and in json; "" in a form that leaves it out.
  std::string heading = {};
  std::string csv = {};
  std::string json = {};
  std::string text = {};                     // clean, as a table shows it; of a time the table decides it
  std::optional<double> time_ns = {};        // of a time; its heading has no unit, which the table adds
  std::optional<std::uint64_t> number = {};  // for the other forms; nullopt: they have the text, too
  bool is_key = false;                       // says whose values these are
  bool is_mark = false;                      // it is there or not, and tells no more; json has it as `true`
};
using MeasureVisit = std::function<void(const MeasureValue& value)>;

struct SyscallFailure {
  const SyscallUse* call = nullptr;
  const SyscallError* error = nullptr;
};
// In the order of the calls. `report` must outlive the result.
[[nodiscard]] std::vector<SyscallFailure> failures_of(const SyscallReport& report);

// Each visits the values of one row, its keys first. The shares of threads are of `total_ns`; 0: they have none.
void visit_wait(const Profile& profile, const ThreadWait& thread, std::uint64_t total_ns, const MeasureVisit& visit);
void visit_durations(const Profile& profile, const DurationTable& table, const DurationTable::Row& row,
                     const MeasureVisit& visit);
void visit_call(const Profile& profile, const SyscallUse& call, const MeasureVisit& visit);
void visit_failure(const Profile& profile, const SyscallFailure& failure, const MeasureVisit& visit);
// Parts of rows that are objects of their own in json: times, counts of a call, an error.
void visit_times(const Durations& times, const MeasureVisit& visit);
void visit_counts(const Profile& profile, const SyscallUse& call, const MeasureVisit& visit);
void visit_error(const Profile& profile, const SyscallFailure& failure, const MeasureVisit& visit);

// 0 when there are none.
[[nodiscard]] std::uint64_t average_ns(const Durations& durations);
// "12.3" a second
[[nodiscard]] std::string call_rate(std::uint64_t count, const SyscallReport& report);

}  // namespace profile
