// Walks stacks whose frames are known, with what the BPF programs remember. Define WALK_OF_X86_64 or WALK_OF_ARM64
// before it.
#pragma once

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "walk_host.h"
// The stacks follow the architecture of the walk.
#include "made_stack.h"

namespace {

using Frames = std::vector<std::uint64_t>;

void begin(WalkHost& here, const MadeStack& stack, const MadeStack::Frame& leaf) {
  walk& walk = here.walk;
  walk.pc = leaf.pc;
  walk.sp = leaf.sp;
  walk.fp = leaf.fp;
  walk.extra = leaf.extra;
  walk.fp_at = walk.extra_at = 0;
  walk.lost = walk.guessed = walk.depth = walk.stuck.depth = 0;
  walk.was_interrupted = 1;
  walk.start_stack = MadeStack::start;
  walk.stack_end = walk.window_bytes = 0;
  here.stack_end = MadeStack::start;
  for (std::uint32_t i = 0; i < REGISTERS; ++i) walk.innermost[i] = stack.register_of(i);
  begin_hash(&walk);
  enter_space(&walk);
  walk_config.mode = WALK_AUTO;
  walk_config.depth = WALK_MOST_FRAMES;
}

Frames frames_of(const walk& walk) { return {walk.frames, walk.frames + walk.depth}; }

void walk_made_stacks() {
  std::mt19937 random(3);
  for (std::uint32_t round = 0; round < 500; ++round) {
    CAPTURE(round);
    WalkHost here;
    host = &here;
    MadeStack stack(here.program, round);
    const std::vector<MadeStack::Frame> made = call_many(stack, random, 30);
    Frames frames{made.front().pc};
    for (std::size_t i = 1; i < made.size(); ++i) frames.push_back(made[i].shown());

    begin(here, stack, made.front());
    CHECK(walk_frames(0) == WALK_ROOT);
    CHECK(frames_of(here.walk) == frames);
    CHECK(here.walk.guessed == 0);
    const std::uint64_t hash = end_hash(&here.walk, 1);
    const int reads = here.reads;

    begin(here, stack, made.front());
    CHECK(walk_frames(0) == WALK_ROOT);
    CHECK(frames_of(here.walk) == frames);
    CHECK(end_hash(&here.walk, 1) == hash);
    CHECK(here.reads == 2 * reads);  // of what the stack holds, nothing is remembered

    if (made.size() == 1) continue;
    begin(here, stack, made.front());
    walk_config.depth = static_cast<std::uint32_t>(made.size()) - 1;
    CHECK(walk_frames(0) == WALK_TOO_DEEP);
    frames.pop_back();
    CHECK(frames_of(here.walk) == frames);
  }
}

// `way`: of the function whose return address a return probe has replaced.
void walk_through_return_probe(Way way) {
  WalkHost here;
  host = &here;
  MadeStack stack(here.program, 1);
  stack.enter(Way::by_fp);
  stack.enter(way);
  const std::vector<MadeStack::Frame> made = stack.frames();
  begin(here, stack, made.front());
  here.walk.probe_area = 0x7fff0000;
  const std::uint64_t cfa = made[1].sp;
  here.program.put(cfa - 8, here.walk.probe_area);
#ifdef __TARGET_ARCH_x86
  here.real_returns[cfa - 8] = made[1].pc;
#else
  here.real_returns[cfa] = made[1].pc;
#endif
  CHECK(walk_frames(0) == WALK_ROOT);
  CHECK(frames_of(here.walk) == Frames{made[0].pc, made[1].pc, made[2].pc});
}

// A frame without a table is noted with all that it takes to go on from there.
void note_where_a_table_is_missing() {
  WalkHost here;
  host = &here;
  MadeStack stack(here.program, 2);
  stack.enter(Way::by_fp);
  stack.enter(Way::by_fp);
  stack.enter(Way::long_rule);
  const std::vector<MadeStack::Frame> made = stack.frames();
  here.program.add(made[1].pc & ~(profile::WalkedProgram::page_bytes - 1), profile::WalkedProgram::Kind::waiting);
  begin(here, stack, made.front());
  walk_frames(0);
  const walk_stuck& stuck = here.walk.stuck;
  CHECK(stuck.depth == 2);
  CHECK(stuck.pc == made[1].pc);
  CHECK(stuck.sp == made[1].sp);
  CHECK(stuck.fp == made[1].fp);
  CHECK(stuck.lost == 0);
  CHECK(stuck.was_interrupted == 0);
}

}  // namespace
