// THE table of sources.
#include "sampling/cpu_clock.h"
#include "sampling/source.h"

namespace profile {
namespace {

constexpr SourceKind kinds[] = {
    {.name = "cpu-clock", .unit = "samples", .summary = "what runs on the CPUs, by a timer", .make = make_cpu_clock},
};

}  // namespace

std::span<const SourceKind> source_kinds() { return kinds; }

}  // namespace profile
