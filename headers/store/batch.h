// Makes what is sent to a store for each tick of a run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "model/profile.h"
#include "model/stored_stack.h"
#include "push/labels.h"

namespace profile {

class StoreBatches {
 public:
  // Begins a batch: the profile is of one tick. All of its rows get the time at which that began, so a batch is of one
  // day.
  void begin(const Profile& tick);
  // Adds the rows of one service. `labels` has service, version and host as far as they are known, and others.
  // `profile` is the one given to begin().
  void add(const Profile& profile, const PushLabels& labels, std::span<const Row> rows);
  // The body of a request, and its samples. Empty if there are no rows.
  struct Batch {
    std::string body;
    std::uint64_t samples = 0;
  };
  [[nodiscard]] Batch take();

  // Stacks are sent once an hour and a day, and again as long as it is not known that the store has them. Call this
  // when it has all batches that were taken.
  void note_all_stored();
  // Call this when some of the batches that were taken will never be stored.
  void note_lost() { taken_.clear(); }
  // Call this when the store does not have its tables, and so no stacks.
  void note_emptied();

 private:
  using Ids = std::unordered_set<std::uint64_t>;
  struct Sum {
    std::uint64_t value = 0;
    std::uint64_t samples = 0;
  };
  [[nodiscard]] bool is_new(std::uint64_t id);
  const std::vector<std::uint64_t>& functions(const Profile& profile, FrameId frame);
  void append(const Profile& profile, StackId stack, std::string_view missed);
  void append(const Profile& profile, const StoredFrame& frame);
  std::uint64_t stack_id(const Profile& profile, const Row& row);
  void add_frame(std::uint64_t id, std::string_view columns);

  std::uint32_t time_s_ = 0;
  std::uint32_t duration_ms_ = 0;
  std::string event_;
  std::string samples_;  // rows as RowBinary
  std::string stacks_;
  std::string frames_;
  std::string count_;  // the query of the request
  std::uint64_t batch_ = 0;
  std::uint64_t samples_in_batch_ = 0;
  std::uint64_t day_ = 0;
  std::uint64_t emptied_s_ = 0;  // when stored_ was emptied
  Ids stored_;
  Ids taken_;                                          // of batches that were taken
  Ids in_batch_;                                       // of the one that is being made
  std::uint64_t service_hash_ = 0;                     // of the service that is added now
  std::string service_;                                // its name
  std::vector<std::vector<std::uint64_t>> functions_;  // their numbers, by frame of the profile
  std::vector<std::uint64_t> stack_frames_;
};

}  // namespace profile
