// The tables of a recording, version 1. The manual shows them to the user, who may ask them anything with sqlite3.
//
// A sample has to be small, and SQLite stores a row by its integer key. So the key of a sample is its time:
// microseconds since the run began, times 256, plus a number that makes it unique. A row takes some 19 bytes, and a
// part of an hour is found without an index. An index by time took 42 bytes a sample, and columns packed into blobs
// would take 9, but nobody could ask them anything.
//
// A stack is a frame and the stack of its callers, so stacks that begin alike share their beginning. Which frames it
// has tells model/stored_stack.h.
//
// Numbers grow: a stack has a larger number than its callers'. What a limit removes has the smallest numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace profile::recording {

inline constexpr std::uint32_t application_id = 0x70726f66;  // "prof", in the header of the file
inline constexpr std::uint32_t version = 1;
// The part of a sample's key that is below a microsecond.
inline constexpr std::uint64_t keys_a_microsecond = 256;

struct Table {
  std::string_view name;
  std::string_view sql;  // as sqlite_master keeps it: a reader compares the text
};

inline constexpr Table tables[] = {
    {"runs",
     "CREATE TABLE runs(id INTEGER PRIMARY KEY, version TEXT, host TEXT, kernel TEXT, command_line TEXT, command TEXT, "
     "user_stacks INTEGER, kernel_stacks INTEGER, began_unix_ns INTEGER, duration_us INTEGER, "
     "is_complete INTEGER, removed INTEGER)"},
    {"events",
     "CREATE TABLE events(id INTEGER PRIMARY KEY, run INTEGER, name TEXT, unit TEXT, counted TEXT, tag TEXT, "
     "title TEXT, headline TEXT, frequency_hz INTEGER, period_events INTEGER, is_part INTEGER)"},
    {"processes",
     "CREATE TABLE processes(id INTEGER PRIMARY KEY, tgid INTEGER, image INTEGER, name TEXT, cgroup TEXT, "
     "began_unix_ns INTEGER, ended_unix_ns INTEGER, command_line TEXT)"},
    {"threads", "CREATE TABLE threads(id INTEGER PRIMARY KEY, process INTEGER, tid INTEGER, name TEXT)"},
    {"binaries",
     "CREATE TABLE binaries(id INTEGER PRIMARY KEY, path TEXT, build_id TEXT, code_start INTEGER, code_limit INTEGER, "
     "code_offset INTEGER)"},
    {"frames",
     "CREATE TABLE frames(id INTEGER PRIMARY KEY, kind TEXT, name TEXT, module TEXT, offset INTEGER, "
     "binary INTEGER, address INTEGER, function INTEGER, is_return INTEGER, unnamed TEXT, file TEXT, line INTEGER)"},
    {"stacks", "CREATE TABLE stacks(id INTEGER PRIMARY KEY, callers INTEGER, frame INTEGER)"},
    {"samples",
     "CREATE TABLE samples(id INTEGER PRIMARY KEY, thread INTEGER, cpu INTEGER, stack INTEGER, value INTEGER, "
     "event INTEGER)"},
    {"account",
     "CREATE TABLE account(tick_us INTEGER, event INTEGER, taken INTEGER, taken_idle INTEGER, recorded INTEGER, "
     "recorded_by_ring INTEGER, idle INTEGER, filtered INTEGER, lost_ring_full INTEGER, lost_spans_full INTEGER, "
     "lost_unwritten INTEGER, lost_unread INTEGER)"},
};

// The module of a frame that has none of its own: the last part of its binary's path, once and not in each frame.
// (rtrim() takes off all characters that are no slashes.)
#define PROFILE_MODULE_OF_FRAME "ifnull(module, replace(path, rtrim(path, replace(path, '/', '')), ''))"

// Shorten what people ask. They are not read here.
inline constexpr std::string_view views[] = {
    "CREATE VIEW sample_list AS "
    "SELECT samples.id / 256 / 1e6 AS seconds, "
    "datetime((runs.began_unix_ns / 1000 + samples.id / 256) / 1000000, 'unixepoch', 'localtime') AS clock, "
    "events.name AS event, value, unit, processes.tgid AS pid, processes.name AS process, tid, "
    "threads.name AS thread, cpu, frames.name AS function, " PROFILE_MODULE_OF_FRAME
    " AS module, samples.stack AS stack "
    "FROM samples JOIN runs JOIN events ON events.id = samples.event JOIN threads ON threads.id = samples.thread "
    "JOIN processes ON processes.id = threads.process LEFT JOIN stacks ON stacks.id = samples.stack "
    "LEFT JOIN frames ON frames.id = stacks.frame LEFT JOIN binaries ON binaries.id = frames.binary",
    "CREATE VIEW stack_frames AS "
    "WITH RECURSIVE walk(stack, level, callers, frame) AS ("
    "SELECT id, 0, callers, frame FROM stacks UNION ALL "
    "SELECT walk.stack, level + 1, stacks.callers, stacks.frame FROM walk JOIN stacks ON stacks.id = walk.callers) "
    "SELECT stack, level, frame, kind, name, " PROFILE_MODULE_OF_FRAME
    " AS module, file, line "
    "FROM walk JOIN frames ON frames.id = walk.frame LEFT JOIN binaries ON binaries.id = frames.binary"};

}  // namespace profile::recording
