#include "app/timed_file.h"

#include <ostream>
#include <utility>

#include "app/output_options.h"
#include "app/print.h"
#include "support/error.h"

namespace profile {
namespace {

// So much is written, and compressed, at once.
constexpr std::streamoff most_pending_bytes = 1 << 20;

}  // namespace

TimedFile::TimedFile(const OutputRequest& request, const OutputOptions& options)
    : format_(*request.format),
      is_gzipped_(request.is_gzipped),
      form_(format_.make_timed(options)),
      destination_(only_path(request.path), Readers::owner) {}

void TimedFile::begin(const TimedRun& run) { form_->begin(pending_, run); }

void TimedFile::add(const std::shared_ptr<const Profile>& profile, const Sample& sample) {
  if (profile_ && profile_ != profile) form_->forget();
  profile_ = profile;
  add(*profile, sample);
}

void TimedFile::add(const Profile& profile, const Sample& sample) {
  if (!is_open_) return;
  form_->append(pending_, profile, sample);
  if (pending_.tellp() >= most_pending_bytes) write([](std::ostream&) {});
}

void TimedFile::end(std::uint64_t ended_ns) {
  write([&](std::ostream& out) { form_->end(out, ended_ns); });
  destination_.close();
}

// Writes what is pending, and what `print` adds.
void TimedFile::write(const std::function<void(std::ostream&)>& print) {
  if (!is_open_) return;
  const auto print_all = [&](std::ostream& out) {
    out << std::exchange(pending_, std::ostringstream()).view();
    print(out);
  };
  const auto result = destination_.write([&](std::ostream& out) {
    if (is_gzipped_) return write_gzipped(out, print_all);
    print_all(out);
  });
  if (result != Destination::Result::closed_pipe) return;
  is_open_ = false;
  if (!destination_.is_stdout()) throw Error("cannot write " + destination_.path() + ": its reader has gone away");
}

std::string TimedFile::answer() const {
  return is_open_ && !destination_.is_stdout() ? wrote(destination_, format_) : "";
}

}  // namespace profile
