// Returns the parts of the page and adds the servers that it may connect to. At build time scripts/embed-page.cmake
// joins the files of src/output/page/ into page_text.h.
#include "output/page.h"

#include <string>

#include "output/page_text.h"

namespace profile {
namespace {

std::string head_that_connects_to(std::string_view source) {
  std::string head(page_text::before_connect);
  return head.append(source).append(page_text::before_data);
}

}  // namespace

std::string_view page_before_data(PageUse use) {
  static const std::string live = head_that_connects_to("'self'");
  static const std::string file = head_that_connects_to("'none'");
  return use == PageUse::live ? live : file;
}

std::string page_policy() {
  return std::string(page_text::policy).append("; connect-src 'self'; frame-ancestors 'none'");
}

std::string_view page_after_data() { return page_text::after_data; }

}  // namespace profile
