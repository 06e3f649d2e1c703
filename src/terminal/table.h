// The functions and processes that the view of --top shows, and the function of each node of the flame table. It grows
// with every added profile, so after some time it is replaced by a new one (history.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "output/flame/table.h"

namespace profile {

class TopTable {
 public:
  using Index = FlameTable::Index;
  static constexpr Index none = FlameTable::none;

  // `identity` is calculated from the texts, so it is the same in another table.
  struct Function {
    StringId name = StringId::empty;
    StringId module = StringId::empty;
    FlameKind kind = FlameKind::user;  // of its first frame
    std::uint64_t identity = 0;
  };
  struct Process {
    StringId name = StringId::empty;
    std::uint32_t tgid = 0;
    std::uint64_t identity = 0;
  };
  struct Node {
    Index parent = none;
    Index function = 0;
    bool is_outermost = true;  // no node on the way to the root has the same function
    bool is_kernel = false;    // samples with this node at the leaf were taken in the kernel
    std::uint64_t identity = 0;
  };

  TopTable();

  std::vector<FlameTable::Cell> add(const Profile& profile);

  [[nodiscard]] const std::vector<Function>& functions() const { return functions_; }
  [[nodiscard]] const std::vector<Process>& processes() const { return processes_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] Index process_of(Index owner) const { return process_of_[owner]; }
  // The function that stands for stacks without any frame.
  [[nodiscard]] Index no_stack() const { return no_stack_; }
  [[nodiscard]] std::string_view view(StringId id) const { return flame_.strings().view(id); }
  [[nodiscard]] std::size_t text_bytes() const { return text_bytes_; }

  Index function(std::string_view name, std::string_view module, FlameKind kind);
  Index process(std::string_view name, std::uint32_t tgid);

 private:
  friend class TopMove;

  // Adds the functions, processes and nodes that are new in flame_.
  void follow();
  void follow_node(const FlameTable::Node& node);
  Index function(StringId name, StringId module, FlameKind kind);
  Index process(StringId name, std::uint32_t tgid);

  FlameTable flame_;
  FlameTable::Mark followed_;
  std::vector<Function> functions_;
  std::unordered_map<std::uint64_t, Index> function_ids_;  // key: name << 32 | module
  std::vector<Process> processes_;
  std::unordered_map<std::uint64_t, Index> process_ids_;  // key: name << 32 | tgid
  std::vector<Node> nodes_;
  std::vector<Index> function_of_;  // by frame
  std::vector<Index> process_of_;   // by owner
  Index no_stack_ = 0;
  std::size_t text_bytes_ = 0;
};

// Copies cells from one table to another, with the stacks and owners that they need.
class TopMove {
 public:
  TopMove(const TopTable& from, TopTable& to);
  [[nodiscard]] std::vector<FlameTable::Cell> moved(const std::vector<FlameTable::Cell>& cells);

 private:
  using Index = FlameTable::Index;
  Index owner(Index old);
  Index node(Index old);

  const TopTable& from_;
  TopTable& to_;
  std::vector<std::optional<Index>> owners_;
  std::vector<std::optional<Index>> nodes_;
  std::vector<Index> way_;
};

}  // namespace profile
