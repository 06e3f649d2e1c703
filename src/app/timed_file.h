// Writes samples to a file in a timed form (output/timed.h), as they come.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <sstream>
#include <string>

#include "app/report_options.h"
#include "files/destination.h"
#include "model/sample.h"
#include "output/timed.h"

namespace profile {

class TimedFile {
 public:
  // Opens the file. A new one is only for its owner, because it tells of each sample when it was taken. Throws Error,
  // as all others do if the file cannot be written.
  TimedFile(const OutputRequest& request, const OutputOptions& options);

  void begin(const TimedRun& run);
  // `profile` may be another one than before.
  void add(const std::shared_ptr<const Profile>& profile, const Sample& sample);
  // For samples whose profile always is the same.
  void add(const Profile& profile, const Sample& sample);
  // Writes the rest and closes the file.
  void end(std::uint64_t ended_ns);

  // False when the reader of stdout has gone away.
  [[nodiscard]] bool is_open() const { return is_open_; }
  // The message about the file; "" for stdout.
  [[nodiscard]] std::string answer() const;

 private:
  void write(const std::function<void(std::ostream&)>& print);

  const OutputFormat& format_;
  bool is_gzipped_;
  std::unique_ptr<TimedOutput> form_;
  Destination destination_;
  std::ostringstream pending_;
  std::shared_ptr<const Profile> profile_;  // of the last sample
  bool is_open_ = true;
};

}  // namespace profile
