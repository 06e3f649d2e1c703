// Looks up each frame and each user stack of a profile only once. A profile of 100,000 rows has some thousand frames,
// and its stacks share most of their frames.
#include "output/flame/table.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "model/stack_end.h"
#include "output/blamed_frame.h"
#include "output/clean_text.h"
#include "output/shown_frame.h"
#include "support/hash.h"

namespace profile {
namespace {

template <class A, class B>
std::uint64_t pair_of(A high, B low) {
  return static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low);
}

FlameKind kind_of(const Profile& profile, const ShownFrame& shown) {
  const Frame& frame = *shown.frame;
  if (shown.is_inlined) return FlameKind::inlined;
  if (frame.kind == FrameKind::kernel) return FlameKind::kernel;
  if (frame.kind == FrameKind::script) return FlameKind::script;
  if (frame.unnamed == Unnamed::no_jit_map) return FlameKind::jit;
  if (frame.unnamed != Unnamed::named) return FlameKind::unnamed;
  const bool is_jit = frame.binary == BinaryId::none && profile.strings.view(frame.module) == jit_module;
  return is_jit ? FlameKind::jit : FlameKind::user;
}

}  // namespace

std::size_t FlameTable::FrameHash::operator()(const Frame& frame) const noexcept {
  const std::uint64_t hash =
      hash_of(hash_of(hash_secret(), pair_of(frame.name, frame.module)), pair_of(frame.file, frame.line));
  return hash_of(hash, static_cast<std::uint64_t>(frame.kind));
}

std::size_t FlameTable::OwnerHash::operator()(const Owner& owner) const noexcept {
  const std::uint64_t hash =
      hash_of(hash_of(hash_secret(), pair_of(owner.process, owner.tgid)), pair_of(owner.thread, owner.tid));
  return hash_of(hash, pair_of(owner.block, owner.cpu));
}

FlameTable::Index FlameTable::intern_frame(const Frame& frame) {
  const auto [found, is_new] = frame_ids_.try_emplace(frame, static_cast<Index>(frames_.size()));
  if (is_new) frames_.push_back(frame);
  return found->second;
}

FlameTable::Index FlameTable::intern_owner(const Owner& owner) {
  const auto [found, is_new] = owner_ids_.try_emplace(owner, static_cast<Index>(owners_.size()));
  if (is_new) owners_.push_back(owner);
  return found->second;
}

FlameTable::Index FlameTable::copy_frame(const FlameTable& from, Index frame) {
  Frame copy = from.frames_[frame];
  for (StringId* text : {&copy.name, &copy.module, &copy.file}) *text = copy_text(from, *text);
  return intern_frame(copy);
}

FlameTable::Index FlameTable::copy_owner(const FlameTable& from, Index owner) {
  Owner copy = from.owners_[owner];
  for (StringId* text : {&copy.process, &copy.thread}) *text = copy_text(from, *text);
  return intern_owner(copy);
}

std::vector<FlameTable::Index> FlameTable::join_blocks() {
  const std::vector<Owner> apart = std::exchange(owners_, {});
  owner_ids_.clear();
  std::vector<Index> joined;
  joined.reserve(apart.size());
  for (Owner owner : apart) {
    owner.block = 0;
    joined.push_back(intern_owner(owner));
  }
  return joined;
}

FlameTable::Index FlameTable::child(Index parent, Index frame) {
  const auto [found, is_new] = node_ids_.try_emplace(pair_of(parent, frame), static_cast<Index>(nodes_.size()));
  if (is_new) nodes_.push_back({.parent = parent, .frame = frame});
  return found->second;
}

std::vector<FlameTable::Index> FlameTable::depth_first(const std::vector<Index>& rank) const {
  std::vector<Index> sizes(nodes_.size(), 1);           // of the subtrees
  std::vector<std::pair<std::uint64_t, Index>> sorted;  // the nodes by parent, then by rank; the roots come first
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    if (node.parent != none) sizes[node.parent] += sizes[i];
    sorted.emplace_back(pair_of(node.parent == none ? 0 : node.parent + 1, rank[node.frame]), static_cast<Index>(i));
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<Index> places(nodes_.size());
  std::vector<Index> next(nodes_.size() + 1);  // the place of the next child: of the roots, then of each node
  for (const auto& [key, node] : sorted) {
    Index& place = next[key >> 32];
    places[node] = place;
    next[node + std::size_t{1}] = place + 1;
    place += sizes[node];
  }
  return places;
}

// Adds one profile to the table.
class FlameTable::Adding {
 public:
  Adding(FlameTable& table, const Profile& profile)
      : table_(table), profile_(profile), tops_(profile.stack_count() + 1) {
    shown_of_.reserve(profile.frames().size() + 1);
    for (std::size_t i = 0; i < profile.frames().size(); ++i) {
      shown_of_.push_back(static_cast<std::uint32_t>(shown_.size()));
      show(static_cast<FrameId>(i));
    }
    shown_of_.push_back(static_cast<std::uint32_t>(shown_.size()));
  }

  std::vector<Cell> cells(std::vector<Index>* cell_of_row) {
    FlameSums sums;
    for (const Row& row : profile_.rows()) {
      const Index node = node_of(row);
      if (table_.runs_ == UnknownRuns::kept && node != none) blame(row, node);
      const std::size_t cell = sums.add({.owner = owner_of(row), .node = node, .value = row.value});
      if (cell_of_row != nullptr) cell_of_row->push_back(static_cast<Index>(cell));
    }
    return std::move(sums).take();
  }

 private:
  void blame(const Row& row, Index node) {
    Index on = node;
    for (std::size_t above = blamed_place(profile_, row); above != 0 && on != none; --above) {
      on = table_.nodes_[on].parent;
    }
    if (on != none) table_.blame(node, on);
  }

  StringId clean(std::string_view text) { return table_.intern(clean_text(text)); }
  StringId name(StringId id) { return table_.intern(clean_name(profile_.strings.view(id))); }

  // Appends the shown functions of a frame to shown_, leaf first.
  void show(FrameId id) {
    const StringId module = clean(code_file_name(profile_, profile_.frame(id)));
    for_each_shown(profile_, id, [&](const ShownFrame& one) {
      std::string function;
      append_function(function, profile_, one, Semicolon::keep);
      shown_.push_back(table_.intern_frame({.name = table_.intern(function),
                                            .module = module,
                                            .file = clean(profile_.strings.view(one.at.file)),
                                            .line = has_line(*one.frame) ? one.at.line : 0,
                                            .kind = kind_of(profile_, one)}));
    });
  }

  [[nodiscard]] bool has_line(const profile::Frame& frame) const {
    return profile_.run.frames_by_line || frame.kind == FrameKind::script;
  }

  Index stand_in(std::string_view text, FlameKind kind) {
    return table_.intern_frame({.name = clean(text), .kind = kind});
  }

  // A frame, and how often it occurs in a row.
  struct Run {
    Index frame = none;
    std::size_t length = 0;
  };

  // Returns the node of `stack` on top of the node `bottom`.
  Index climb(Index bottom, StackId stack) {
    Index node = bottom;
    Run run;
    const std::span<const FrameId> leaf_first = profile_.stack(stack);
    for (std::size_t i = leaf_first.size(); i-- > 0;) {
      const auto frame = static_cast<std::size_t>(leaf_first[i]);
      for (std::uint32_t at = shown_of_[frame + 1]; at-- > shown_of_[frame];) {
        if (shown_[at] == run.frame && is_folded(run.frame)) {
          ++run.length;
          continue;
        }
        node = stand(node, run);
        run = {.frame = shown_[at], .length = 1};
      }
    }
    return stand(node, run);
  }

  // Returns the node below a user stack: incomplete_frame() for an incomplete stack, otherwise `none`. So incomplete
  // stacks stay apart from whole ones.
  Index bottom_of(StackId user) {
    const StackEnd end = profile_.end_of(user);
    return is_incomplete(end) ? table_.child(none, stand_in(incomplete_frame(end), FlameKind::unnamed)) : none;
  }

  [[nodiscard]] bool is_folded(Index frame) const {
    return table_.runs_ == UnknownRuns::folded && table_.strings_.view(table_.frames_[frame].name) == unknown_name;
  }

  Index stand(Index node, const Run& run) {
    if (run.length == 0) return node;
    if (run.length == 1) return table_.child(node, run.frame);
    Frame frame = table_.frames_[run.frame];
    frame.name = table_.intern(std::string(unknown_name) + " ×" + std::to_string(run.length));
    return table_.child(node, table_.intern_frame(frame));
  }

  Index node_of(const Row& row) {
    Index node = none;
    const ShownParts parts = shown_parts(profile_, row);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      if (part->stack == StackId::none) {
        const bool is_tag = part->kind == ShownPart::Kind::tag;
        node = table_.child(node, stand_in(part->text, is_tag ? FlameKind::tag : FlameKind::unnamed));
      } else if (part->kind == ShownPart::Kind::user) {
        // Many rows share a user stack, which is always at the root.
        std::optional<Index>& top = tops_[static_cast<std::size_t>(part->stack)];
        if (!top) top = climb(bottom_of(part->stack), part->stack);
        node = *top;
      } else {
        node = climb(node, part->stack);
      }
    }
    return node;
  }

  Index owner_of(const Row& row) {
    const Process& process = profile_.process(row.process);
    return table_.intern_owner({.process = name(process.name),
                                .tgid = process.tgid,
                                .thread = name(row.thread_name),
                                .tid = row.tid,
                                .cpu = row.cpu,
                                .block = row.block});
  }

  FlameTable& table_;
  const Profile& profile_;
  std::vector<Index> shown_;                // functions of frames; those of one frame are together, leaf first
  std::vector<std::uint32_t> shown_of_;     // by FrameId: where its functions begin in shown_; then the end
  std::vector<std::optional<Index>> tops_;  // by StackId: top node of the user stack
};

std::vector<FlameTable::Cell> FlameTable::add(const Profile& profile, std::vector<Index>* cell_of_row) {
  return Adding(*this, profile).cells(cell_of_row);
}

}  // namespace profile
