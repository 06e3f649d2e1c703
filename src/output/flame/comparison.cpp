// Reads each profile into its own table, then builds the common table from both. What the profiles have in common is
// known only when both are read.
#include "output/flame/comparison.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <unordered_map>

#include "output/clean_text.h"
#include "support/hash.h"

namespace profile {
namespace {

using Cell = FlameTable::Cell;
using Index = FlameTable::Index;

// A value that several frames give. It becomes Value{} (unknown) as soon as two of them differ.
template <class Value>
class Agreed {
 public:
  void say(const Value& value) {
    if (value == Value{}) return;
    is_disputed_ |= said_ && *said_ != value;
    said_ = value;
  }
  [[nodiscard]] bool is_said() const { return said_.has_value(); }
  [[nodiscard]] Value value() const { return said_ && !is_disputed_ ? *said_ : Value{}; }

 private:
  std::optional<Value> said_;
  bool is_disputed_ = false;
};

constexpr unsigned bit(FlameKind kind) { return 1U << static_cast<unsigned>(kind); }

// What one profile knows about a function.
struct Known {
  Agreed<StringId> module;
  Agreed<StringId> file;
  unsigned kinds = 0;  // a bit for each FlameKind

  // The same function may be inlined in one place and called in another, so `inlined` counts only if there is no other
  // kind.
  [[nodiscard]] unsigned called() const {
    const unsigned others = kinds & ~bit(FlameKind::inlined);
    return others != 0 ? others : kinds;
  }
  [[nodiscard]] bool is_of_one_kind() const { return std::popcount(called()) <= 1; }
  // With several kinds the answer is `unnamed` if one of them is unnamed, otherwise `user`.
  [[nodiscard]] FlameKind kind() const {
    if (is_of_one_kind() && kinds != 0) return static_cast<FlameKind>(std::countr_zero(called()));
    return (kinds & bit(FlameKind::unnamed)) != 0 ? FlameKind::unnamed : FlameKind::user;
  }
};

struct Function {
  StringId name = StringId::empty;
  StringId module = StringId::empty;  // the module that was added last
  Known before;
  Known after;
  Agreed<std::uint32_t> line;  // from both profiles

  void add(const FlameTable::Frame& frame, Known& known) {
    if (frame.module != StringId::empty) module = frame.module;
    known.module.say(frame.module);
    known.file.say(frame.file);
    // Folded lines without marks and modules have only user frames, so `user` counts only if a module is known.
    if (frame.kind != FlameKind::user || frame.module != StringId::empty) known.kinds |= bit(frame.kind);
    line.say(frame.line);
  }
  [[nodiscard]] FlameTable::Frame frame(SameFunction same) const {
    const Known& module_of = after.module.is_said() ? after : before;
    const Known& kind_of = after.kinds != 0 ? after : before;
    // A function of several kinds lies in several modules, even if only its kernel frames have a module name.
    const StringId known_module = module_of.is_of_one_kind() ? module_of.module.value() : StringId::empty;
    const Agreed<StringId>& file = after.file.is_said() ? after.file : before.file;
    const bool has_several_files = file.is_said() && file.value() == StringId::empty;
    return {.name = name,
            .module = same == SameFunction::by_name ? known_module : module,
            .file = file.value(),
            .line = has_several_files ? 0 : line.value(),
            .kind = kind_of.kind()};
  }
};

bool knows_processes(const FlameTable& table) {
  const std::vector<FlameTable::Owner>& owners = table.owners();
  // An empty profile does not decide.
  return owners.empty() || std::any_of(owners.begin(), owners.end(), [](const FlameTable::Owner& owner) {
           return owner.tgid != 0 || owner.process != owner.thread;
         });
}

std::string folded_text(const FlameTable& table, StringId text) {
  std::string folded;
  append_clean(folded, table.strings().view(text), Semicolon::replace);
  return folded;
}

class Comparing {
 public:
  Comparing(const Profile& before, const Profile& after, SameFunction same, UnknownRuns runs)
      : same_(same), before_(runs), after_(runs) {
    before_cells_ = before_.add(before);
    after_cells_ = after_.add(after);
    by_process_ = knows_processes(before_) && knows_processes(after_);
  }

  FlameComparison compared() {
    const std::vector<Index> functions_before = functions_of(before_, &Function::before);
    const std::vector<Index> functions_after = functions_of(after_, &Function::after);
    for (const Function& function : functions_) frames_.push_back(table_.intern_frame(function.frame(same_)));
    FlameComparison made;
    made.before = cells_of(before_, before_cells_, functions_before);
    made.after = cells_of(after_, after_cells_, functions_after);
    made.table = std::move(table_);
    return made;
  }

 private:
  // Returns the function of each frame of `from`.
  std::vector<Index> functions_of(const FlameTable& from, Known Function::*side) {
    std::vector<Index> functions;
    functions.reserve(from.frames().size());
    for (const FlameTable::Frame& original : from.frames()) {
      FlameTable::Frame frame = original;
      for (StringId* text : {&frame.module, &frame.file}) *text = table_.copy_text(from, *text);
      std::string key = folded_text(from, original.name);
      const bool has_semicolons = key != from.strings().view(original.name);
      if (same_ == SameFunction::by_name_and_module) {
        const std::string module = folded_text(table_, frame.module);
        // The JIT is not part of the key, because pprof files have no place for it as a module.
        if (module != jit_module) key.append("\n").append(bare_module(module));
      }
      const auto [found, is_new] = ids_.try_emplace(std::move(key), static_cast<Index>(functions_.size()));
      if (is_new) functions_.emplace_back();
      Function& function = functions_[found->second];
      // Prefers the name with semicolons, if one of the profiles has it.
      if (is_new || has_semicolons) function.name = table_.copy_text(from, original.name);
      function.add(frame, function.*side);
      functions.push_back(found->second);
    }
    return functions;
  }

  Index owner(const FlameTable& from, Index original) {
    if (by_process_) return table_.copy_owner(from, original);
    const FlameTable::Owner& owner = from.owners()[original];
    const StringId thread = table_.intern(folded_text(from, owner.thread));
    return table_.intern_owner({.process = thread, .thread = thread, .cpu = owner.cpu, .block = owner.block});
  }

  std::vector<Cell> cells_of(const FlameTable& from, const std::vector<Cell>& originals,
                             const std::vector<Index>& functions) {
    std::vector<Index> nodes;
    nodes.reserve(from.nodes().size());
    for (const FlameTable::Node& node : from.nodes()) {
      const Index parent = node.parent == FlameTable::none ? FlameTable::none : nodes[node.parent];
      nodes.push_back(table_.child(parent, frames_[functions[node.frame]]));
    }
    for (const Cell& cell : originals) {
      if (cell.node != FlameTable::none) table_.blame(nodes[cell.node], nodes[from.blamed(cell.node)]);
    }
    std::vector<Index> owners;
    owners.reserve(from.owners().size());
    for (Index i = 0; i < from.owners().size(); ++i) owners.push_back(owner(from, i));
    FlameSums sums;
    for (const Cell& cell : originals) {
      const Index node = cell.node == FlameTable::none ? FlameTable::none : nodes[cell.node];
      sums.add({.owner = owners[cell.owner], .node = node, .value = cell.value});
    }
    return std::move(sums).take();
  }

  SameFunction same_;
  bool by_process_ = true;
  FlameTable before_;
  FlameTable after_;
  std::vector<Cell> before_cells_;
  std::vector<Cell> after_cells_;
  FlameTable table_;
  std::unordered_map<std::string, Index, TextHash> ids_;  // into functions_
  std::vector<Function> functions_;
  std::vector<Index> frames_;  // of table_, by function
};

}  // namespace

void FlameComparison::join_blocks() {
  const std::vector<Index> owners = table.join_blocks();
  for (std::vector<Cell>* const cells : {&before, &after}) {
    FlameSums sums;
    for (Cell cell : *cells) {
      cell.owner = owners[cell.owner];
      sums.add(cell);
    }
    *cells = std::move(sums).take();
  }
}

FlameComparison compare_flames(const Profile& before, const Profile& after, SameFunction same, UnknownRuns runs) {
  return Comparing(before, after, same, runs).compared();
}

std::string_view bare_module(std::string_view module) {
  const bool is_bracketed = module.size() > 2 && module.front() == '[' && module.back() == ']';
  return is_bracketed ? module.substr(1, module.size() - 2) : module;
}

}  // namespace profile
