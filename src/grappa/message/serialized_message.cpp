#include "grappa/message/serialized_message.hpp"

#include <fmt/format.h>

#include <exception>

#include "grappa/base/closure_names.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/printable.hpp"

namespace grappa::internal {

void refuse_bytes(const RunContext& context, const std::type_info& type) {
  fatal(printable_lines(fmt::format("core {}: what came from core {} is no {}: {}", context.core.id,
                                    context.source, closure_name(type),
                                    describe_exception(std::current_exception()))));
}

}  // namespace grappa::internal
