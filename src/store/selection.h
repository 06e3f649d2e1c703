// Which rows of a store a request is about. The reader and the listing build their queries from the same conditions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "input/profile_reader.h"
#include "model/profile.h"
#include "push/store_request.h"
#include "store/reader.h"
#include "store/row_binary.h"
#include "support/error.h"

namespace profile {

// Of one answer. A day of a large service has less.
inline constexpr std::uint64_t most_answer_bytes = std::uint64_t{1} << 28;
inline constexpr std::uint64_t most_short_answer_bytes = std::uint64_t{4} << 20;
inline constexpr std::string_view end_of_query = " FORMAT RowBinary";

// What all rows of a kind share.
struct SampleKind {
  std::string event;
  std::string title;
  std::string unit;
  std::uint32_t frequency_hz = 0;
  std::uint64_t period_events = 0;
  std::uint64_t samples = 0;
  std::uint32_t first_s = 0;
  std::uint32_t last_s = 0;
  std::uint32_t tick_ms = 0;
};

class StoreSelection {
 public:
  // Asks the store which tables it has. `now_s`: Unix time. The references must outlive it. Throws Error.
  StoreSelection(const AskStore& ask, const std::string& name, const ReadRequest& request, std::int64_t now_s);

  // Asks which kinds of samples there are, and chooses those of the event that is asked for: of one title and unit, and
  // maybe of several rates. `note` is called with a line for what is left out. From then on the times are those of
  // their first and last ticks, so that ticks that come meanwhile are not read. Throws Error if there are none.
  void choose_kinds(const std::function<void(const std::string&)>& note);
  [[nodiscard]] const std::vector<SampleKind>& kinds() const { return kinds_; }
  // All events of which there are samples, the one with the most samples first.
  [[nodiscard]] const std::vector<std::string>& events() const { return events_; }
  // Whether the kinds have several rates. Their values are then not alike, and ns_per_value() tells what one is worth.
  [[nodiscard]] bool has_rates() const { return kinds_.size() > 1 && kinds_.front().unit == word_of(Unit::samples); }
  [[nodiscard]] static std::uint64_t ns_per_value(std::uint32_t frequency_hz, std::uint64_t period_events);
  // Describes the run with what the kinds share. Throws Error if they have rates that are not known.
  void set_run(RunInfo& run) const;
  // The length of a tick; the longest one if there are several.
  [[nodiscard]] std::uint64_t tick_s() const;

  // In seconds since 1970; the end is the first second after.
  [[nodiscard]] std::int64_t from_s() const { return from_s_; }
  [[nodiscard]] std::int64_t to_s() const { return to_s_; }

  // Conditions, each with the word WHERE: for rows of samples of any event, of the chosen kinds, and for the rows of
  // the other tables that may belong to such samples.
  [[nodiscard]] std::string where() const;
  [[nodiscard]] std::string where_of_kind() const;
  [[nodiscard]] std::string where_of_stacks() const;
  [[nodiscard]] std::string table(std::string_view name) const { return prefix_ + std::string(name); }
  // A subquery on other servers needs the word before IN.
  [[nodiscard]] std::string in() const { return prefix_.empty() ? " IN " : " GLOBAL IN "; }

  [[nodiscard]] Error error(const std::string& why) const { return Error(name_ + ": " + why); }
  [[nodiscard]] Error nonsense() const { return error("what it answers makes no sense"); }

  // Calls `read` with a RowReader for each row of the answer. It is called again with more bytes if the reader is short
  // of them, so it may not keep anything then.
  template <class Read>
  void each_row(const std::string& sql, std::uint64_t bytes, const Read& read) const {
    constexpr std::size_t most_row_bytes = std::size_t{8} << 20;
    std::string kept;
    // A server that has begun its answer says in it that it cannot go on. No row begins so.
    constexpr std::string_view begin_of_exception = "Code: ";
    const auto take = [&](std::string_view piece) {
      kept.append(piece);
      std::size_t at = 0;
      while (at < kept.size()) {
        const std::string_view rest = std::string_view(kept).substr(at);
        if (rest.starts_with(begin_of_exception)) break;
        RowReader row(rest);
        read(row);
        if (row.is_wrong()) throw nonsense();
        if (row.is_short()) break;
        at = kept.size() - row.left();
      }
      kept.erase(0, at);
      if (kept.size() > most_row_bytes) throw nonsense();
    };
    ask_(sql, bytes, take);
    if (kept.empty()) return;
    const auto exception = kept.starts_with(begin_of_exception) ? exception_in(kept) : std::nullopt;
    throw error(exception ? exception->text : "its answer is cut off");
  }
  // The number of rows.
  [[nodiscard]] std::uint64_t count(const std::string& table_and_conditions) const;

 private:
  void choose_times(std::int64_t now_s);
  void choose_event(const std::vector<SampleKind>& all, const std::function<void(const std::string&)>& note);

  const AskStore& ask_;
  const std::string& name_;
  const ReadRequest& request_;
  std::string prefix_;  // of the tables
  std::int64_t from_s_ = 0;
  std::int64_t to_s_ = 0;
  std::vector<SampleKind> kinds_;
  std::vector<std::string> events_;
};

}  // namespace profile
