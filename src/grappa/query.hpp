#pragma once

// Queries: tables in the memory of all locales, and SQL over them; programs in Datalog.
// docs/tutorial.md teaches it; everything is in namespace grappa::query.

#include "grappa/grappa.hpp"
#include "grappa/query/database.hpp"
#include "grappa/query/datalog/engine.hpp"
#include "grappa/query/io/row_writer.hpp"
#include "grappa/query/type.hpp"
#include "grappa/query/vector.hpp"
