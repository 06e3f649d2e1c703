#include "app/written.h"

#include "output/text_table.h"
#include "support/plural.h"

namespace profile {
namespace {

std::string how_to_see(const OutputFormat& format) {
  return format.to_see.empty() ? "" : ", " + std::string(format.to_see);
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kilo = 1000;
  if (bytes < kilo) return number_of(bytes, "byte");
  auto size = static_cast<double>(bytes) / static_cast<double>(kilo);
  const char* unit = "kB";
  for (const char* larger : {"MB", "GB"}) {
    if (size < static_cast<double>(kilo)) break;
    size /= static_cast<double>(kilo);
    unit = larger;
  }
  constexpr double few = 10;
  return decimal(size, size < few ? 1 : 0) + ' ' + unit;
}

std::string wrote(const Destination& file, const OutputFormat& format) {
  const std::string text = "wrote " + file.path();
  // The size of a pipe or a device is of no interest.
  return file.is_regular() ? text + " (" + size_text(file.bytes()) + ")" + how_to_see(format) : text;
}

std::string wrote(const FileSeries& series, const OutputFormat& format) {
  if (series.written() == 1) return "wrote " + series.last_path() + how_to_see(format);
  return "wrote " + number_of(series.written(), "file") + ", the last " + series.last_path();
}

}  // namespace profile
