#pragma once

namespace grappa::internal {

/// From here on, what nobody catches in this process ends the job with one line, in all processes.
/// A handler of std::terminate that the program has set stays.
void end_job_by_uncaught_errors(int rank);

}  // namespace grappa::internal
