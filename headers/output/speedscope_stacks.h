// The stacks of a profile as speedscope wants them: frames by number, root first, in an order in which stacks that
// begin alike stand together, so that its first view, which keeps the order of the file, already looks like a flame
// graph.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "model/string_table.h"

namespace profile {

class SpeedscopeStacks {
 public:
  // Index of a frame; ascends in the order of their texts.
  using Number = std::uint32_t;
  struct Shown {
    std::string_view name;
    std::string_view file;   // of the source or, where that is not known, of the code; may be empty
    std::uint32_t line = 0;  // 0: not known
    friend auto operator<=>(const Shown&, const Shown&) = default;
  };
  struct Weighed {
    Number owner = 0;
    std::uint32_t row = 0;  // one of Profile::rows(): all that are of this owner and read the same
    std::uint64_t value = 0;
  };

  // `profile` must outlive it and stay as it is.
  explicit SpeedscopeStacks(const Profile& profile);

  [[nodiscard]] const std::vector<Shown>& frames() const { return frames_; }
  // What stands at the root of a row: "dd (185)", or "dd-writer".
  [[nodiscard]] Number process_of(std::uint32_t row) const { return owners_[row].process; }
  [[nodiscard]] Number thread_of(std::uint32_t row) const { return owners_[row].thread; }
  // Sorts by owner, then as above, and makes one of those that read the same.
  void sort_and_merge(std::vector<Weighed>& rows) const;
  // Appends the row's frames, root first, without its owner.
  void append(std::uint32_t row, std::vector<Number>& out) const;

 private:
  struct Slice {
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  // The place of a row in the order, by what it reads like. Equal ones read the same.
  struct Rank {
    std::uint32_t user = 0;
    std::uint32_t kernel = 0;
    std::uint32_t tag = 0;
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };
  struct Owners {
    Number process = 0;
    Number thread = 0;
  };

  class Walk;

  Number intern(const Shown& shown);
  Number intern_text(std::string_view name);
  Number intern_thread(const Row& row);
  Number intern_process(const Row& row);
  void show(FrameId frame);
  void number_by_text();
  void rank_stacks();
  [[nodiscard]] std::strong_ordering compare(StackId a, StackId b) const;
  [[nodiscard]] std::uint32_t rank_of(StackId id) const;
  [[nodiscard]] Rank rank_of(const Row& row) const;

  const Profile& profile_;
  StringTable texts_;
  std::string scratch_;
  std::map<Shown, Number> numbers_;
  std::vector<Shown> frames_;  // by number
  Number missed_user_ = 0;
  Number missed_kernel_ = 0;
  std::map<StringId, Number> tags_;
  std::vector<Owners> owners_;              // by row
  std::vector<Number> shown_;               // those of a frame stand together, leaf first
  std::vector<Slice> shown_of_;             // by FrameId, in shown_
  std::vector<std::uint32_t> stack_ranks_;  // by StackId
};

}  // namespace profile
