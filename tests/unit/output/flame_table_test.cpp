// Tests the table of frames, owners and stacks. Flame graphs are made from it.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "output/flame/table.h"

using namespace profile;

namespace {

std::uint64_t sum(const std::vector<FlameTable::Cell>& cells) {
  return std::accumulate(cells.begin(), cells.end(), std::uint64_t{0},
                         [](std::uint64_t all, const auto& cell) { return all + cell.value; });
}

// "main;read", root first.
std::string stack_of(const FlameTable& table, FlameTable::Index node) {
  std::string text;
  for (; node != FlameTable::none; node = table.nodes()[node].parent) {
    const std::string name(table.strings().view(table.frames()[table.nodes()[node].frame].name));
    text = text.empty() ? name : name + ";" + text;
  }
  return text;
}

std::map<std::string, std::uint64_t> stacks_of(const FlameTable& table, const std::vector<FlameTable::Cell>& cells) {
  std::map<std::string, std::uint64_t> stacks;
  for (const auto& cell : cells) {
    const auto& owner = table.owners()[cell.owner];
    stacks[std::string(table.strings().view(owner.thread)) + ";" + stack_of(table, cell.node)] += cell.value;
  }
  return stacks;
}

FlameKind kind_of(const FlameTable& table, std::string_view name) {
  const auto found = std::find_if(table.frames().begin(), table.frames().end(),
                                  [&](const auto& frame) { return table.strings().view(frame.name) == name; });
  REQUIRE(found != table.frames().end());
  return found->kind;
}

}  // namespace

TEST_CASE("the cells of a profile add up to its total, with each pair of owner and stack once") {
  for (const auto make : {test::fixed_profile, test::wall_profile, test::profile_with_lines}) {
    const Profile profile = make();
    FlameTable table;
    const auto cells = table.add(profile);
    CHECK(sum(cells) == profile.total());
    std::vector<std::pair<FlameTable::Index, FlameTable::Index>> pairs;
    for (const auto& cell : cells) pairs.emplace_back(cell.owner, cell.node);
    std::sort(pairs.begin(), pairs.end());
    CHECK(std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end());
    for (std::size_t i = 0; i < table.nodes().size(); ++i) {
      const auto& node = table.nodes()[i];
      CHECK((node.parent == FlameTable::none || node.parent < i));
      CHECK(node.frame < table.frames().size());
    }
  }
}

TEST_CASE("stacks begin at the root, with user, kernel and tag in this order, and equal rows are merged") {
  FlameTable table;
  const auto stacks = stacks_of(table, table.add(test::fixed_profile()));
  CHECK(stacks.at("dd;__libc_start_call_main;main;read;do_syscall_64;ksys_read;vfs_read") == 7);
  CHECK(stacks.at("dd;__libc_start_call_main;main") == 10);  // two addresses of main, and main of another image
  CHECK(stacks.at("dd-writer;__libc_start_call_main;main;read;[Missed Kernel Stack]") == 4);
  CHECK(stacks.at("dd;[Missed User Stack];do_syscall_64;ksys_read;vfs_read") == 6);
  CHECK(stacks.at("dd;") == 2);  // no stack at all
}

TEST_CASE("inlined functions are separate frames with their own lines") {
  FlameTable table;
  const auto stacks = stacks_of(table, table.add(test::profile_with_lines()));
  CHECK(stacks.at("app;__libc_start_call_main;main;outer(int);Box<int>::get(int) const;deep(int)") == 8);
  CHECK(kind_of(table, "deep(int)") == FlameKind::inlined);
  CHECK(kind_of(table, "outer(int)") == FlameKind::user);
  CHECK(kind_of(table, "vfs_read") == FlameKind::kernel);
  const auto deep = std::find_if(table.frames().begin(), table.frames().end(),
                                 [&](const auto& frame) { return table.strings().view(frame.name) == "deep(int)"; });
  CHECK(deep->line == 7);
  CHECK(table.strings().view(deep->file) == "/src/app/deep.h");
  CHECK(table.strings().view(deep->module) == "app");
}

TEST_CASE("names are clean, and frames without a name are of the unnamed kind") {
  FlameTable table;
  (void)table.add(test::fixed_profile());
  CHECK(kind_of(table, "[dd+0x1234]") == FlameKind::unnamed);
  CHECK(kind_of(table, "[Missed User Stack]") == FlameKind::unnamed);
  for (const auto& frame : table.frames()) {
    const std::string_view name = table.strings().view(frame.name);
    CHECK_FALSE(name.empty());
    CHECK(std::none_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
  }
}

TEST_CASE("a function from a JIT map is distinguished from a program with the same name") {
  Profile profile;
  test::Namer name(profile);
  Row row;
  row.process = profile.process(1, 0, "node");
  row.value = row.samples = 1;
  const FrameId compiled = profile.frame(row.process, FrameKind::user, {0x1000});
  Frame& frame = profile.frames()[static_cast<std::size_t>(compiled)];
  frame.unnamed = Unnamed::named;
  frame.symbol = profile.strings.intern("fast");
  frame.module = profile.strings.intern(jit_module);
  row.user = profile.stack(std::vector{compiled, name.user(row.process, 0x2000, "main", jit_module, 0)});
  profile.add(row);
  FlameTable table;
  (void)table.add(profile);
  CHECK(kind_of(table, "fast") == FlameKind::jit);
  CHECK(kind_of(table, "main") == FlameKind::user);
}

TEST_CASE("neighbouring frames without a name become one frame on request") {
  Profile profile;
  test::Namer name(profile);
  Row row;
  row.process = profile.process(1, 0, "x");
  row.thread_name = profile.strings.intern("x");
  const FrameId main = name.user(row.process, 0x1000, "main", "x", 0);
  const FrameId leaf = name.user(row.process, 0x2000, "leaf", "x", 0);
  const auto garbage = [&](std::uint64_t address) {
    return name.unnamed(profile.frame(row.process, FrameKind::user, {address}), Unnamed::not_mapped);
  };
  const auto add = [&](const std::vector<FrameId>& leaf_first) {
    row.user = profile.stack(leaf_first);
    row.value = row.samples = 1;
    profile.add(row);
  };
  std::vector<FrameId> chain(126);
  for (std::size_t i = 0; i < chain.size(); ++i) chain[i] = garbage(i + 1);
  chain.insert(chain.begin(), leaf);
  add(chain);
  add({leaf, garbage(1), main, garbage(2), garbage(3)});
  add({leaf, leaf, main});  // a function with a name calls itself

  FlameTable folded(UnknownRuns::folded);
  const auto cells = folded.add(profile);
  CHECK(stacks_of(folded, cells) == std::map<std::string, std::uint64_t>{{"x;[unknown] ×126;leaf", 1},
                                                                         {"x;[unknown] ×2;main;[unknown];leaf", 1},
                                                                         {"x;main;leaf;leaf", 1}});
  CHECK(kind_of(folded, "[unknown] ×126") == FlameKind::unnamed);
  CHECK(sum(cells) == 3);

  FlameTable kept;
  const auto whole = stacks_of(kept, kept.add(profile));
  CHECK(whole.contains("x;[unknown];[unknown];main;[unknown];leaf"));
  CHECK(kept.nodes().size() == 126 + 1 + 3 + 3);
}

TEST_CASE("adding a profile again adds nothing to the table but gives the same cells") {
  FlameTable table;
  const auto first = table.add(test::fixed_profile());
  const FlameTable::Mark mark = table.mark();
  const auto second = table.add(test::fixed_profile());
  CHECK(table.mark().strings == mark.strings);
  CHECK(table.mark().frames == mark.frames);
  CHECK(table.mark().owners == mark.owners);
  CHECK(table.mark().nodes == mark.nodes);
  REQUIRE(first.size() == second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(first[i].owner == second[i].owner);
    CHECK(first[i].node == second[i].node);
    CHECK(first[i].value == second[i].value);
  }
}

TEST_CASE("threads and CPUs that were kept apart are separate owners") {
  Profile profile;
  Row row;
  row.process = profile.process(7, 0, "app");
  row.thread_name = profile.strings.intern("worker");
  row.value = row.samples = 1;
  for (const std::uint32_t cpu : {0U, 1U}) {
    for (const std::uint32_t tid : {7U, 8U}) {
      row.cpu = cpu;
      row.tid = tid;
      profile.add(row);
      profile.add(row);
    }
  }
  CHECK(profile.rows().size() == 4);
  FlameTable table;
  const auto cells = table.add(profile);
  CHECK(cells.size() == 4);
  CHECK(table.owners().size() == 4);
  CHECK(sum(cells) == 8);
  CHECK(table.owners()[3].cpu == 1);
  CHECK(table.owners()[3].tid == 8);
}
