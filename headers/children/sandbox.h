// Takes from a child everything that its row in the table does not grant, before it touches another user's file.
#pragma once

#include "children/kinds.h"

namespace profile {

// Cannot be undone. A child whose row says so calls it itself; the others are confined before they run.
void confine(ChildKind kind) noexcept;

}  // namespace profile
