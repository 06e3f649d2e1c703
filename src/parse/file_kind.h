// Tells from its first bytes whether a file is of the kind that was asked for. The opener hands over no other file, so
// that a parser under a hostile file's control cannot have any file read to it.
#pragma once

#include "parse/opener_calls.h"

namespace profile {

// Always true for a perf map and other texts, which have no mark. Reads the file, which may take for ever.
[[nodiscard]] bool begins_as(FileKind kind, int fd);

}  // namespace profile
