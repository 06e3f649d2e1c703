// What the view of --top shows of a run: the history of its stacks, with the functions and processes in it and the
// function of each node. Indices are valid until the next add().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "live/history.h"

namespace profile {

class TopTable {
 public:
  using Index = FlameTable::Index;
  static constexpr Index none = FlameTable::none;
  // The pid of all those processes of one name that the history no longer tells apart.
  static constexpr std::uint32_t earlier = UINT32_MAX;

  // `identity` is calculated from the texts, so it stays the same when the indices change.
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
    std::uint64_t name_identity = 0;  // of all processes of the name
  };
  struct Node {
    Index parent = none;
    Index function = 0;
    bool is_outermost = true;  // no node on the way to the root has the same function
    bool is_kernel = false;    // samples with this node at the leaf were taken in the kernel
    std::uint64_t identity = 0;
  };

  explicit TopTable(const FlameHistory::Limits& limits);

  void add(const Profile& profile);

  [[nodiscard]] const FlameHistory& history() const { return history_; }
  [[nodiscard]] const std::vector<Function>& functions() const { return functions_; }
  [[nodiscard]] const std::vector<Process>& processes() const { return processes_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] Index process_of(Index owner) const { return process_of_[owner]; }
  // The function that stands for stacks without any frame.
  [[nodiscard]] Index no_stack() const { return no_stack_; }
  [[nodiscard]] std::string_view view(StringId id) const { return history_.table().strings().view(id); }

 private:
  void begin();
  // Adds the functions, processes and nodes that are new in the history.
  void follow();
  void follow_node(const FlameTable::Node& node);
  Index function(StringId name, StringId module, FlameKind kind);
  Index process(StringId name, std::uint32_t tgid);

  FlameHistory history_;
  FlameTable::Mark followed_;
  std::vector<Function> functions_;
  std::unordered_map<std::uint64_t, Index> function_ids_;  // key: name << 32 | module
  std::vector<Process> processes_;
  std::unordered_map<std::uint64_t, Index> process_ids_;  // key: name << 32 | tgid
  std::vector<Node> nodes_;
  std::vector<Index> function_of_;  // by frame
  std::vector<Index> process_of_;   // by owner
  Index no_stack_ = 0;
};

// "4711", or "earlier".
[[nodiscard]] std::string pid_text(const TopTable::Process& process);

}  // namespace profile
