// Gives each process, thread, frame and stack of the samples its number in the file, and notes in the current tick what
// is new. Equal content has one number, whatever profile it comes from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/profile.h"
#include "model/sample.h"
#include "model/stored_stack.h"
#include "recording/recording.h"
#include "recording/tick.h"
#include "support/index_table.h"

namespace profile {

class Numbers {
 public:
  explicit Numbers(AskFacts facts) : facts_(std::move(facts)) {}

  // Adds the sample to the tick, with all that is new in it. `began_ns`: when the run began.
  void add(std::size_t event, const std::shared_ptr<const Profile>& profile, const Sample& sample,
           std::uint64_t began_ns, Tick& tick);
  // Notes in the tick what is known by now of processes that were added before.
  void update_processes(Tick& tick);
  // From here on all content is new again, so that older content can be removed with the older samples.
  [[nodiscard]] Tick::Chapter begin_chapter();
  // How much is kept, in elements. A caller bounds the memory of long runs by it.
  [[nodiscard]] std::size_t size() const { return frames_.size() + stacks_.size() + threads_.size(); }

 private:
  // Gives numbers, one after the other, to hashes of what they stand for. A hash begins with a secret and has 64 bits:
  // that two of a million differ in content but not in it has a chance of 1 in 30 million.
  class Table {
   public:
    // Calls `add` with the number if it is new.
    template <class Add>
    std::uint32_t number_of(std::uint64_t hash, const Add& add) {
      const auto known = places_.find(hash, [&](std::uint32_t index) { return hashes_[index] == hash; });
      if (known) return first_ + *known;
      const std::uint32_t number = next();
      places_.add(hash, hashes_.size());
      hashes_.push_back(hash);
      add(number);
      return number;
    }
    [[nodiscard]] std::uint32_t next() const { return first_ + static_cast<std::uint32_t>(hashes_.size()); }
    [[nodiscard]] std::size_t size() const { return hashes_.size(); }
    // No number is used again.
    void forget() {
      first_ = next();
      hashes_.clear();
      places_.clear();
    }

   private:
    IndexTable places_;
    std::vector<std::uint64_t> hashes_;
    std::uint32_t first_ = 1;
  };
  // A process that had not ended when it was last looked at.
  struct LivingProcess {
    std::uint32_t tgid = 0;
    std::uint32_t image = 0;
    std::string name = {};
    std::string recorded_name = {};
    bool has_line = false;  // its name in the profile is its command line
  };
  // Numbers by the ids of the profile that the last samples of an event belonged to.
  struct OfProfile {
    std::shared_ptr<const Profile> profile;
    std::vector<std::vector<std::uint32_t>> functions = {};              // of a frame, the outermost first
    std::unordered_map<std::uint64_t, std::uint32_t> whole_stacks = {};  // by user and kernel stack, without the tag
    std::unordered_map<std::uint64_t, std::uint32_t> threads = {};       // by hashes of their ids in the profile
  };
  [[nodiscard]] OfProfile& follow(std::size_t event, const std::shared_ptr<const Profile>& profile);
  std::uint32_t process(const Profile& profile, ProcessId id, Tick& tick);
  std::uint32_t thread(OfProfile& of, const Row& row, Tick& tick);
  std::uint32_t binary(const Profile& profile, BinaryId id, Tick& tick);
  std::uint32_t frame(const StoredFrame& frame, std::uint32_t binary, Tick& tick);
  std::uint32_t node(std::uint32_t callers, std::uint32_t frame, Tick& tick);
  // The numbers of a frame's functions, the outermost first.
  const std::vector<std::uint32_t>& functions(OfProfile& of, FrameId id, Tick& tick);
  // The number of the stack on top of `callers`.
  std::uint32_t append(OfProfile& of, StackId stack, std::string_view missed, std::uint32_t callers, Tick& tick);
  std::uint32_t stack(OfProfile& of, const Row& row, Tick& tick);

  AskFacts facts_;
  Table processes_, threads_, binaries_, frames_, stacks_;
  std::unordered_map<std::uint32_t, LivingProcess> living_;  // by their numbers
  std::unordered_set<std::uint32_t> known_parts_;            // numbers of events
  std::vector<OfProfile> of_profiles_;                       // one for each event
};

}  // namespace profile
