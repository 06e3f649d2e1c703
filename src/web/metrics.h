// /metrics of the live view: writes the figures of a run in the text format that Prometheus collects, version 0.0.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "model/stack_end.h"
#include "web/events.h"
#include "web/view.h"

namespace profile {

struct LiveFigures {
  LiveView::Status status;
  std::uint64_t silence_ns = 0;  // since the last tick
  std::uint64_t ticks = 0;
  std::uint64_t value = 0;     // sum of all rows of the ticks
  std::uint64_t skipped = 0;   // the part of `value` that the page lacks, because making its texts took too long
  StackEndCounts user_stacks;  // of all rows of the ticks
  // Sizes of the page's history.
  std::size_t nodes = 0;
  std::size_t owners = 0;
  std::size_t text_bytes = 0;
  std::uint64_t folded_nodes = 0;
  LiveEvents::Counts clients;
  std::size_t captures = 0;  // running ones
};

[[nodiscard]] std::string metrics_text(const LiveFigures& figures, const RunInfo& run, const std::string& version);

}  // namespace profile
