// What a store has samples of: its services, hosts, versions and processes, each with its share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/profile_reader.h"
#include "model/profile.h"
#include "store/reader.h"

namespace profile {

struct StoreListing {
  struct Entry {
    std::string name;
    std::uint64_t value = 0;  // in the unit of the run
    // In how many of each there are such samples.
    std::uint64_t services = 0;
    std::uint64_t hosts = 0;
    std::uint64_t versions = 0;
  };
  struct Table {
    std::string_view column;     // "service"
    std::string_view option;     // that chooses one of its entries: "service-version"
    std::string_view heading;    // "Services"
    std::uint64_t all = 0;       // entries in the store
    std::vector<Entry> entries;  // those with the greatest values, the greatest first
  };

  // How many of a column an entry of another one has.
  struct Count {
    std::string_view column;
    std::string_view heading;
    std::uint64_t number = 0;
  };

  RunInfo run;  // the event, its unit and its rate
  std::uint64_t total = 0;
  std::int64_t from_s = 0;  // Unix time of the first tick with samples
  std::int64_t to_s = 0;    // of the end of the last one
  std::vector<std::string> events;
  std::array<Table, 4> tables;

  // "Sampling cpu-clock at 49 Hertz, 2026-11-28 06:12:33 UTC to 2026-11-28 07:12:33 UTC"
  [[nodiscard]] std::string title() const;
  // An amount of time is shown as what is busy with it on average: "CPUs", "threads". Others are a rate: "bytes/s".
  [[nodiscard]] std::string amount_heading() const;
  [[nodiscard]] std::string amount(std::uint64_t value) const;
  // Those of the other columns.
  [[nodiscard]] static std::vector<Count> counts(const Table& table, const Entry& entry);
};

// Reads what `request` asks for, as read_store() does. A table has at most `most` entries. Throws Error.
[[nodiscard]] StoreListing list_store(const AskStore& ask, const std::string& name, const ReadRequest& request,
                                      std::int64_t now_s, std::size_t most,
                                      const std::function<void(const std::string&)>& note);

// The tables for people.
void write_listing(std::ostream& out, const StoreListing& listing);

// What was asked for, as it was typed, by the names of options: {"from", "-1h"}.
using ListingWords = std::vector<std::pair<std::string, std::string>>;
// The first page of `profile serve`, with links to `report` and forms for `report` and `diff` beside it. It has no
// script. `where`: the name of the store. `listing` may be nullptr: `fault` says why.
void write_listing_page(std::ostream& out, const StoreListing* listing, std::string_view where,
                        const ListingWords& words, std::string_view fault);

}  // namespace profile
