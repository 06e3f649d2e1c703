// When the user wants the run to end. Waits for children look here, so that a signal acts at once, whatever a child
// does.
#pragma once

#include <chrono>
#include <cstdint>

namespace profile {

// A signal asked for the end. Safe in a signal handler. Later calls change nothing.
void note_end_asked() noexcept;
// CLOCK_MONOTONIC of the first such signal; 0: there was none.
[[nodiscard]] std::uint64_t end_asked_ns() noexcept;
// The last report is being made. From the signal on, or from now on if the signal came before, it may still take
// `patience`: names that are not ready by then are left out.
void note_last_report(std::chrono::milliseconds patience) noexcept;
// Whether to stop waiting for a child: the last report is due, or a signal that asks for the end has been waiting to be
// read for half a second.
[[nodiscard]] bool is_end_pressing() noexcept;

}  // namespace profile
