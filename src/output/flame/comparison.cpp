// Each profile is read into a table of its own. What they have in common is known only when both are there, so the one
// in which they are compared is made from the two.
#include "output/flame/comparison.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <unordered_map>

#include "output/clean_text.h"

namespace profile {
namespace {

using Cell = FlameTable::Cell;
using Index = FlameTable::Index;
constexpr Index none = FlameTable::none;

// What several say of one thing, as long as they say the same.
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

// What one profile knows of a function.
struct Known {
  Agreed<StringId> module;
  Agreed<StringId> file;
  unsigned kinds = 0;  // bits

  // What is inlined here is called there: that tells no two kinds apart.
  [[nodiscard]] unsigned called() const {
    const unsigned others = kinds & ~bit(FlameKind::inlined);
    return others != 0 ? others : kinds;
  }
  [[nodiscard]] bool is_of_one_kind() const { return std::popcount(called()) <= 1; }
  // Of several, nothing is said, as of the user's; but what has no name has none, be it the kernel's or a JIT's.
  [[nodiscard]] FlameKind kind() const {
    if (is_of_one_kind() && kinds != 0) return static_cast<FlameKind>(std::countr_zero(called()));
    return (kinds & bit(FlameKind::unnamed)) != 0 ? FlameKind::unnamed : FlameKind::user;
  }
};

struct Function {
  StringId name = StringId::empty;
  StringId module = StringId::empty;  // that was added last
  Known before;
  Known after;
  Agreed<std::uint32_t> line;  // by both

  void add(const FlameTable::Frame& frame, Known& known) {
    if (frame.module != StringId::empty) module = frame.module;
    known.module.say(frame.module);
    known.file.say(frame.file);
    // Lines that have no marks and no modules have everything from the user.
    if (frame.kind != FlameKind::user || frame.module != StringId::empty) known.kinds |= bit(frame.kind);
    line.say(frame.line);
  }
  [[nodiscard]] FlameTable::Frame frame(SameFunction same) const {
    const Known& module_of = after.module.is_said() ? after : before;
    const Known& kind_of = after.kinds != 0 ? after : before;
    // What is not of one kind is not in one module, though only the kernel's may say in which it is.
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
  // What holds nothing has no say.
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
  // By the frames of `from`.
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
        // A JIT is no module: pprof has no place for it.
        if (module != jit_module) key.append("\n").append(bare_module(module));
      }
      const auto [found, is_new] = ids_.try_emplace(std::move(key), static_cast<Index>(functions_.size()));
      if (is_new) functions_.emplace_back();
      Function& function = functions_[found->second];
      // With its semicolons, where one of the profiles has them.
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
    return table_.intern_owner({.process = thread, .thread = thread, .cpu = owner.cpu});
  }

  std::vector<Cell> cells_of(const FlameTable& from, const std::vector<Cell>& originals,
                             const std::vector<Index>& functions) {
    std::vector<Index> nodes;
    nodes.reserve(from.nodes().size());
    for (const FlameTable::Node& node : from.nodes()) {
      const Index parent = node.parent == none ? none : nodes[node.parent];
      nodes.push_back(table_.child(parent, frames_[functions[node.frame]]));
    }
    std::vector<Index> owners;
    owners.reserve(from.owners().size());
    for (Index i = 0; i < from.owners().size(); ++i) owners.push_back(owner(from, i));
    std::unordered_map<std::uint64_t, std::size_t> places;
    std::vector<Cell> cells;
    for (const Cell& original : originals) {
      const Cell cell{.owner = owners[original.owner], .node = original.node == none ? none : nodes[original.node]};
      const auto [place, is_new] = places.try_emplace(std::uint64_t{cell.owner} << 32 | cell.node, cells.size());
      if (is_new) cells.push_back(cell);
      cells[place->second].value += original.value;
    }
    return cells;
  }

  SameFunction same_;
  bool by_process_ = true;
  FlameTable before_;
  FlameTable after_;
  std::vector<Cell> before_cells_;
  std::vector<Cell> after_cells_;
  FlameTable table_;
  std::unordered_map<std::string, Index> ids_;  // into functions_
  std::vector<Function> functions_;
  std::vector<Index> frames_;  // of table_, by function
};

}  // namespace

FlameComparison compare_flames(const Profile& before, const Profile& after, SameFunction same, UnknownRuns runs) {
  return Comparing(before, after, same, runs).compared();
}

std::string_view bare_module(std::string_view module) {
  const bool is_bracketed = module.size() > 2 && module.front() == '[' && module.back() == ']';
  return is_bracketed ? module.substr(1, module.size() - 2) : module;
}

}  // namespace profile
