// The file format of https://www.speedscope.app (file-format-schema.json). Speedscope's first view draws samples in
// time order, but ours have no times. So each profile is one process (or one thread or CPU, if rows keep them apart),
// its name says "aggregated", and heavier stacks are further left.
#include <algorithm>
#include <limits>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "output/flame/table.h"
#include "output/header.h"
#include "output/json_writer.h"
#include "output/output.h"
#include "output/shown_frame.h"

namespace profile {
namespace {

// Index of a frame.
using Number = std::uint32_t;

// The frames of the file, sorted by text. Frames with the same text are one, even of different kinds.
class Frames {
 public:
  // Returns a temporary number. After assign_numbers(), in_file() gives the frame's number in the file.
  Number intern(std::string_view name, std::string_view file = {}, std::uint32_t line = 0) {
    const auto next = static_cast<Number>(numbers_.size());
    return numbers_.try_emplace({std::string(name), std::string(file), line}, next).first->second;
  }
  void assign_numbers() {
    in_file_.resize(numbers_.size());
    Number next = 0;
    for (const auto& [shown, number] : numbers_) in_file_[number] = next++;
  }
  [[nodiscard]] Number in_file(Number number) const { return in_file_[number]; }

  void write(JsonWriter& json) const {
    json.begin_array("frames");
    for (const auto& [shown, number] : numbers_) {
      const auto& [name, file, line] = shown;
      json.begin_object();
      json.member("name", name);
      if (!file.empty()) json.member("file", file);
      if (line != 0) json.member("line", line);
      json.end_object();
    }
    json.end_array();
  }

 private:
  using Shown = std::tuple<std::string, std::string, std::uint32_t>;  // name, file, line
  std::map<Shown, Number> numbers_;
  std::vector<Number> in_file_;
};

// The tree of stacks; walk() visits heavier children first.
class Tree {
 public:
  void add(const std::vector<Number>& root_first, std::uint64_t weight) {
    std::uint32_t at = root;
    nodes_[at].total += weight;
    for (const Number number : root_first) {
      const auto key = std::uint64_t{at} << 32 | number;
      const auto [found, is_new] = children_.try_emplace(key, static_cast<std::uint32_t>(nodes_.size()));
      if (is_new) {
        nodes_[at].children.push_back(found->second);
        nodes_.push_back({.number = number, .parent = at});
      }
      at = found->second;
      nodes_[at].total += weight;
    }
    nodes_[at].self += weight;
    nodes_[at].is_leaf = true;
  }
  [[nodiscard]] std::uint64_t total() const { return nodes_[root].total; }

  // Calls `visit(root_first, weight)` for each distinct stack. A stack comes after all longer stacks that start with
  // it.
  template <class Visit>
  void walk(const Frames& frames, const Visit& visit) const {
    const auto is_heavier = [&](std::uint32_t i, std::uint32_t j) {
      const Node& a = nodes_[i];
      const Node& b = nodes_[j];
      return a.total != b.total ? a.total > b.total : frames.in_file(a.number) < frames.in_file(b.number);
    };
    // From the root on, the lightest child first: the reverse of the order of the visits.
    std::vector<std::uint32_t> order;
    for (std::vector<std::uint32_t> left{root}; !left.empty();) {
      order.push_back(left.back());
      left.pop_back();
      const std::vector<std::uint32_t>& children = nodes_[order.back()].children;
      const auto added = left.insert(left.end(), children.begin(), children.end());
      std::sort(added, left.end(), is_heavier);
    }
    std::vector<Number> path;
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      if (!nodes_[*node].is_leaf) continue;
      path.clear();
      for (std::uint32_t at = *node; at != root; at = nodes_[at].parent) path.push_back(nodes_[at].number);
      std::reverse(path.begin(), path.end());
      visit(path, nodes_[*node].self);
    }
  }

 private:
  static constexpr std::uint32_t root = 0;
  struct Node {
    Number number = 0;
    std::uint32_t parent = root;
    std::uint64_t total = 0;
    std::uint64_t self = 0;
    bool is_leaf = false;  // a stack ends here
    std::vector<std::uint32_t> children = {};
  };

  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::unordered_map<std::uint64_t, std::uint32_t> children_;  // key: parent << 32 | number
};

// The unit of weights in speedscope's words. It has no word for counts, so their unit is put into the name of the
// profile.
struct WeightUnit {
  std::string_view word = "none";
  std::uint64_t factor = 1;
  std::string in_name;
};

WeightUnit unit_of(const Profile& profile) {
  const RunInfo& run = profile.run;
  if (!is_count(run.unit.kind())) return {.word = run.unit.word(), .in_name = {}};
  const std::uint64_t period = ns_per_sample(run);
  const bool fits = period != 0 && profile.total() <= std::numeric_limits<std::uint64_t>::max() / period;
  if (fits) return {.word = word_of(Unit::nanoseconds), .factor = period, .in_name = {}};
  return {.in_name = ", " + run.unit.word()};
}

class Document {
 public:
  Document(std::ostream& out, const Profile& profile)
      : json_(out), title_(header_title(profile.run)), unit_(unit_of(profile)), cells_(table_.add(profile)) {
    for (const FlameTable::Frame& frame : table_.frames()) {
      const bool has_source = frame.file != StringId::empty;
      numbers_.push_back(
          frames_.intern(text(frame.name), text(has_source ? frame.file : frame.module), has_source ? frame.line : 0));
    }
    gather();
    frames_.assign_numbers();
  }

  void write() {
    json_.begin_object();
    json_.member("$schema", "https://www.speedscope.app/file-format-schema.json");
    json_.member("exporter", "profile");
    json_.member("name", title_);
    json_.member("activeProfileIndex", 0);
    json_.begin_object("shared");
    frames_.write(json_);
    json_.end_object();
    json_.begin_array("profiles");
    write_profiles();
    json_.end_array();
    json_.end_object();
    json_.end_document();
  }

 private:
  struct Part {
    std::string name;
    Tree tree;
  };

  [[nodiscard]] std::string text(StringId id) const { return std::string(table_.strings().view(id)); }
  static std::string numbered(const std::string& name, std::uint32_t number) {
    return name + " (" + std::to_string(number) + ")";
  }

  void gather() {
    std::map<std::string, std::size_t> known;
    std::vector<Number> path;
    for (const FlameTable::Cell& cell : cells_) {
      const FlameTable::Owner& owner = table_.owners()[cell.owner];
      std::string process = text(owner.process);
      append_pid(process, owner.tgid);
      const std::string thread = text(owner.thread);
      std::string name = owner.tid == 0 ? process : process + ", " + numbered(thread, owner.tid);
      if (owner.cpu != any_cpu) name += ", CPU " + std::to_string(owner.cpu);
      const auto [found, is_new] = known.try_emplace(name, parts_.size());
      if (is_new) parts_.push_back({.name = name, .tree = {}});
      path.clear();
      for (FlameTable::Index node = cell.node; node != FlameTable::none; node = table_.nodes()[node].parent)
        path.push_back(numbers_[table_.nodes()[node].frame]);
      path.push_back(frames_.intern(thread));
      std::reverse(path.begin(), path.end());
      parts_[found->second].tree.add(path, cell.value);
      path.front() = frames_.intern(process);
      all_.tree.add(path, cell.value);
    }
  }

  void write_profiles() {
    std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
      return a.tree.total() != b.tree.total() ? a.tree.total() > b.tree.total() : a.name < b.name;
    });
    for (const Part& part : parts_) write_profile(part);
    if (parts_.size() != 1) write_profile(all_);
  }

  void write_profile(const Part& part) {
    json_.begin_object();
    json_.member("type", "sampled");
    json_.member("name", part.name + unit_.in_name + ", aggregated");
    json_.member("unit", unit_.word);
    std::vector<std::uint64_t> weights;
    json_.begin_array("samples");
    part.tree.walk(frames_, [&](const std::vector<Number>& path, std::uint64_t weight) {
      json_.begin_array();
      for (const Number number : path) json_.value(frames_.in_file(number));
      json_.end_array();
      weights.push_back(weight * unit_.factor);
    });
    json_.end_array();
    json_.array("weights", weights);
    json_.member("startValue", 0);
    json_.member("endValue", part.tree.total() * unit_.factor);
    json_.end_object();
  }

  JsonWriter json_;
  std::string title_;
  WeightUnit unit_;
  FlameTable table_;
  std::vector<FlameTable::Cell> cells_;
  Frames frames_;
  std::vector<Number> numbers_;  // by frame of the table
  std::vector<Part> parts_;      // by process, and by thread and CPU if rows keep them apart
  Part all_{.name = "all processes", .tree = {}};
};

}  // namespace

Output make_speedscope(const OutputOptions&) {
  return {.report = [](std::ostream& out, const Profile& profile) { Document(out, profile).write(); }};
}

}  // namespace profile
