// Reads the .cpuprofile of V8, which node, Chrome and Deno write: a tree of calls whose nodes have numbers, the node of
// each sample, and the microseconds between samples.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "input/json_nodes.h"
#include "input/profile_reader.h"
#include "input/read_json.h"
#include "input/stack_parts.h"
#include "support/error.h"

namespace profile {
namespace {

constexpr double ns_a_microsecond = 1e3;
// The limit of frames per byte of the file: a chain of nodes with a sample each stands for far more frames than bytes.
constexpr std::uint64_t most_frames_a_byte = 8;

constexpr std::string_view root_name = "(root)";
constexpr std::string_view idle_name = "(idle)";
constexpr std::string_view no_name = "(anonymous)";
constexpr std::string_view file_scheme = "file://";

struct Node {
  std::uint32_t id = 0;
  std::uint32_t caller = 0;  // index of the node; of a root its own
  StringId name = StringId::empty;
  StringId file = StringId::empty;
  std::uint32_t line = 0;
  std::vector<std::uint32_t> callees;  // ids
  std::optional<StackId> stack;
};

class Reader {
 public:
  Reader(Profile& profile, ByteSource& bytes, SampleChoice& choice)
      : profile_(profile), bytes_(bytes), choice_(choice), processes_(profile) {
    root_["startTime"].number([this](const JsonNumber& number) { start_us_ = number.number(); });
    root_["endTime"].number([this](const JsonNumber& number) { end_us_ = number.number(); });
    root_["samples"].begin([this] { has_samples_ = true; });
    root_["samples"].each().number(
        [this](const JsonNumber& number) { samples_.push_back(number.index("the node of a sample")); });
    root_["timeDeltas"].each().number([this](const JsonNumber& number) { deltas_us_.push_back(number.number()); });
    add_nodes(root_["nodes"].each());
    root_.end([this] { end(); });
  }

  void read(const std::string& name) { read_json(bytes_, name, root_); }

 private:
  void add_nodes(JsonNode& node) {
    node.begin([this] { nodes_.emplace_back(); });
    node["id"].number([this](const JsonNumber& number) { nodes_.back().id = number.index("the id of a node"); });
    node["children"].each().number(
        [this](const JsonNumber& number) { nodes_.back().callees.push_back(number.index("a child of a node")); });
    JsonNode& call = node["callFrame"];
    call["functionName"].text([this](std::string_view text) { nodes_.back().name = profile_.strings.intern(text); });
    call["url"].text([this](std::string_view text) {
      if (text.starts_with(file_scheme)) text.remove_prefix(file_scheme.size());
      nodes_.back().file = profile_.strings.intern(text);
    });
    // Counted from 0; -1 for functions of V8 itself.
    call["lineNumber"].number([this](const JsonNumber& number) {
      const double line = number.number() + 1;
      if (line >= 1 && line < std::numeric_limits<std::uint32_t>::max()) {
        nodes_.back().line = static_cast<std::uint32_t>(line);
      }
    });
  }

  void end() {
    if (!has_samples_) throw Error("it has no samples, so it is no profile of V8");
    if (samples_.size() != deltas_us_.size()) throw Error("it has not as many times as samples");
    profile_.run.event = "nanoseconds";
    profile_.run.unit = Unit::nanoseconds;
    profile_.account.is_known = true;
    connect();
    row_.process = processes_.process(0, {});
    double at_us = start_us_;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      at_us += std::max(deltas_us_[i], 0.0);  // V8 writes times that go back
      const bool is_last = i + 1 == samples_.size();
      const double until_us = is_last ? std::max(end_us_, at_us) : at_us + std::max(deltas_us_[i + 1], 0.0);
      add(node(samples_[i], "a sample"), at_us, until_us);
    }
    nodes_.clear();
    indices_.clear();
    samples_.clear();
    deltas_us_.clear();
  }

  // Nodes name their callees; stacks need the callers.
  void connect() {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i].caller = i;
      if (!indices_.try_emplace(nodes_[i].id, i).second) throw Error("two nodes have the same id");
    }
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      for (const std::uint32_t id : nodes_[i].callees) {
        const std::uint32_t callee = node(id, "a node");
        if (nodes_[callee].caller != callee || callee == i) throw Error("a node has two callers");
        nodes_[callee].caller = i;
      }
    }
  }

  [[nodiscard]] std::uint32_t node(std::uint32_t id, const char* what) const {
    const auto found = indices_.find(id);
    if (found != indices_.end()) return found->second;
    throw Error(std::string(what) + " refers to node " + std::to_string(id) + ", which is not in it");
  }

  // A sample stands for the time until the next one.
  void add(std::uint32_t number, double at_us, double until_us) {
    const double part = choice_.part_of(at_us * ns_a_microsecond, until_us * ns_a_microsecond);
    if (part <= 0) return;
    ++profile_.account.taken;
    if (profile_.strings.view(nodes_[number].name) == idle_name) {
      ++profile_.account.idle;
      return;
    }
    ++profile_.account.recorded;
    const double ns = (until_us - at_us) * ns_a_microsecond * part;
    if (!(ns < 0x1p63)) throw Error("a time is no number that it can be");
    row_.value = static_cast<std::uint64_t>(std::llround(ns));
    row_.samples = 1;
    if (!total_.add(row_.value)) throw Error("the values add up to more than 2^64 - 1");
    row_.user = stack(number);
    profile_.add(row_);
  }

  StackId stack(std::uint32_t number) {
    if (nodes_[number].stack) return *nodes_[number].stack;
    frames_.clear();
    for (std::uint32_t at = number;;) {
      const Node& node = nodes_[at];
      if (node.caller == at && profile_.strings.view(node.name) == root_name) break;
      if (++frame_count_ > most_frames_a_byte * bytes_.received()) {
        throw Error("its nodes stand for more than can be kept of a file of its size");
      }
      frames_.push_back(frame(node));
      if (node.caller == at) break;
      at = node.caller;
    }
    nodes_[number].stack = profile_.stack(frames_);
    return *nodes_[number].stack;
  }

  FrameId frame(const Node& node) {
    Frame frame;
    frame.space = row_.process;
    frame.unnamed = Unnamed::named;
    frame.symbol = node.name != StringId::empty ? node.name : profile_.strings.intern(no_name);
    frame.offset = unknown_offset;
    if (node.file != StringId::empty && node.line != 0) {
      frame.source = profile_.source({.at = {.file = node.file, .line = node.line}, .inlined = {}});
    }
    return profile_.frame(frame);
  }

  Profile& profile_;
  ByteSource& bytes_;
  SampleChoice& choice_;
  NamedProcesses processes_;
  CheckedSum total_;
  JsonNode root_;
  bool has_samples_ = false;
  double start_us_ = 0;
  double end_us_ = 0;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint32_t, std::uint32_t> indices_;  // of nodes, by id
  std::vector<std::uint32_t> samples_;                        // ids of nodes
  std::vector<double> deltas_us_;                             // from the sample before, or from the start
  Row row_;
  std::uint64_t frame_count_ = 0;  // of all distinct stacks
  std::vector<FrameId> frames_;
};

}  // namespace

void read_cpu_profile(Profile& profile, ByteSource& bytes, const std::string& name, SampleChoice& choice) {
  Reader(profile, bytes, choice).read(name);
  choice.choose_rows(profile);
}

}  // namespace profile
