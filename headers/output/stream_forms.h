// The makers of all forms of the stream, for the table in stream.cpp. Each is defined in the form's own file.
#pragma once

#include <memory>

#include "output/stream.h"

namespace profile {

std::unique_ptr<StreamOutput> make_stream_table();
std::unique_ptr<StreamOutput> make_stream_stacks();
std::unique_ptr<StreamOutput> make_stream_folded();
std::unique_ptr<StreamOutput> make_stream_json();

}  // namespace profile
