// Chooses the samples of a file that a request asks for: one by one while a file of samples is read, or by the rows of
// a file that holds sums.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "input/profile_reader.h"
#include "model/profile.h"
#include "support/error.h"

namespace profile {

// What a file tells of a sample.
struct SampleFacts {
  std::optional<std::uint64_t> time_ns;  // since any moment, the same for all samples of the file
  std::optional<std::uint32_t> tgid;
  std::optional<std::uint32_t> tid;
  std::optional<std::uint32_t> cpu;
  std::string_view name;  // of the thread
};

class SampleChoice {
 public:
  // Both must outlive it. `file` is the name in errors.
  SampleChoice(const ReadRequest& request, const std::string& file) : request_(request), file_(file) {}

  // Whether the sample is wanted. Throws Error when the file does not tell what decides it. Times count from the first
  // call on.
  [[nodiscard]] bool takes(const SampleFacts& facts);
  // Which part (0 to 1) of the time from `begin_ns` to `end_ns` is wanted, of a file that tells how long each stack was
  // there. nullopt for a time stands for a file that does not tell it: throws Error when times are asked for.
  [[nodiscard]] double part_of(std::optional<double> begin_ns, std::optional<double> end_ns);
  // Leaves in the profile only the rows that are wanted, and forgets what was said of all. Times are not looked at
  // again after part_of().
  void choose_rows(Profile& profile);
  [[nodiscard]] const std::string& event() const { return request_.event; }

 private:
  [[nodiscard]] bool asks_for_times() const { return request_.from_s || request_.to_s; }
  [[nodiscard]] Error no_times() const;
  [[nodiscard]] Error no_recording() const;
  [[nodiscard]] bool takes_time(std::uint64_t time_ns);
  [[nodiscard]] bool takes_rest(const SampleFacts& facts) const;
  [[nodiscard]] std::uint32_t told(std::optional<std::uint32_t> fact, std::string_view what) const;

  const ReadRequest& request_;
  const std::string& file_;
  std::optional<std::uint64_t> first_ns_;
  std::optional<double> first_begin_ns_;  // of part_of()
};

}  // namespace profile
