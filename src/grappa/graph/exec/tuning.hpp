#pragma once

// The numbers of the graph layer that were chosen by measuring and change no answer: how far ahead
// memory is asked for, how much work a core takes at a time, and from when on work is divided.
// None depends on what a graph is called or looks like. How some were chosen is in
// docs/rationale.md.

#include <cstddef>
#include <cstdint>

namespace grappa::graph::tuning {

// ---- prefetching ----

// Loops over vertices in no order (rows_ahead.hpp): how many places ahead a vertex's row is
// prefetched, and before that the offset of the row; and at most how many cache lines of the row,
// as the processor notices the sequence then.
inline constexpr std::size_t kRowsAhead = 16;
inline constexpr std::size_t kOffsetsAhead = 24;
inline constexpr std::uint64_t kLinesOfRow = 4;

// Loops over all rows in order: how many vertices ahead the first line of a row is prefetched where
// few neighbors of each are read, and how many lines ahead where all are.
inline constexpr std::int64_t kFirstLinesAhead = 64;
inline constexpr std::size_t kLinesAhead = 32;

// Components, in order: how many vertices ahead the label of a neighbor is prefetched.
inline constexpr std::int64_t kLabelsAhead = 16;

// Betweenness: how many places ahead the values of a vertex's neighbors are prefetched, and of how
// many neighbors at most. The queue of a large level is in order, so most rows come by themselves.
inline constexpr std::int64_t kValuesAhead = 8;
inline constexpr std::size_t kValuesOfRow = 4;

// edge_map: where a program may stop early, what lies behind a row is prefetched for at most so
// many in-edges.
inline constexpr std::size_t kArcsBeforeStop = 64;

// The pulling engine: how many neighbors ahead values of vertices and edges are prefetched, as of
// wide ones the processor reads too few ahead by itself.
inline constexpr std::size_t kPulledAhead = 16;

// Triangles, over the neighbors in a row: how many places ahead another row is prefetched, and
// before that its place; and how many cache lines of the row of a hub, which is a bitmap.
inline constexpr std::size_t kMatchedRowsAhead = 4;
inline constexpr std::size_t kMatchedOffsetsAhead = 8;
inline constexpr std::size_t kRankedRowsAhead = 5;
inline constexpr std::size_t kRankedPlacesAhead = 10;
inline constexpr std::int64_t kLinesOfHub = 8;

// ---- how much a core takes at a time ----

// Vertices of a list whose edges are followed.
inline constexpr std::int64_t kVertexGrain = 64;
// Edges that are read, made or renamed, or whose memory is given back.
inline constexpr std::int64_t kEdgeGrain = 1 << 17;
// Files: rows that are read or written, names or words of a set of them, and edges whose names are
// sorted.
inline constexpr std::int64_t kRowGrain = 1 << 14;
inline constexpr std::int64_t kNameGrain = 1 << 16;
inline constexpr std::int64_t kSortGrain = 1 << 20;
// Building: edges that are sent to their homes.
inline constexpr std::int64_t kSentEdges = 1 << 14;
// Core numbers: vertices of another core that are sent together, at least.
inline constexpr std::size_t kMaxHeld = 4096;
// The asynchronous engine: vertices after which messages of others get their turn.
inline constexpr int kVerticesBetweenYields = 32;
// Trusses: edges whose triangles are looked for; those of a hub are taken together.
inline constexpr std::int64_t kSearchGrain = 1 << 12;
// Coloring: vertices, but no more than have about so many edges.
inline constexpr std::int64_t kColoredGrain = 256;
inline constexpr std::int64_t kColoredArcs = 8192;

// ---- sorting ----

// Edges into rows (rows.cpp): first into buckets of about so many arcs, as twice as many keys of 8
// bytes, the bucket and its scratch, fit the second-level cache; in at most so many buckets, for
// each of which keys are collected in a cache line, which should stay in that cache, too. Then each
// bucket by digits of so many bits.
inline constexpr std::uint64_t kArcsPerBucket = 1 << 15;
inline constexpr std::uint64_t kMaxBuckets = 1 << 12;
inline constexpr int kMaxDigitBits = 11;
// Parts for each core, of edges that are sorted into rows, and of vertices by degree.
inline constexpr std::int64_t kPartsPerCore = 8;
// Triangles: the hubs of a row are sorted by reading its bitmap if there are at least so many.
inline constexpr std::int64_t kSortedByBitmap = 48;

// ---- from when on work is divided ----

// A level of a search with more edges than the first is divided over the cores in the order of the
// queue, and with more than the second by grains (level_division.hpp).
inline constexpr std::int64_t kSerialLevelArcs = 1 << 10;
inline constexpr std::int64_t kInOrderArcs = 1 << 15;
// Rounds over sets have no order to keep: with more edges, or vertices, they are divided by grains.
inline constexpr std::int64_t kSerialArcs = 1 << 14;
inline constexpr std::int64_t kSerialVertices = 1 << 12;
// Betweenness: taking a vertex into a level is as much work as so many edges.
inline constexpr std::int64_t kArcsOfTaking = 2;

// ---- several locales ----

// A level, or round, with at most so many edges a locale is short. It goes by supersteps if it has
// at most kShortGrowth times the edges of the one before (short_levels.hpp), and a locale that has
// more than kLongArcs of a level ends the run.
inline constexpr std::int64_t kShortArcs = 1 << 15;
inline constexpr std::int64_t kShortGrowth = 4;
inline constexpr std::int64_t kLongArcs = 1 << 16;
// Delta-stepping: a short round has at most so many entries a locale; after so many in a row, many
// more are expected.
inline constexpr std::int64_t kShortEntries = 1 << 13;
inline constexpr std::int64_t kShortInARow = 8;
// A graph is mostly local if less than one of so many edges leads to another locale (halo.hpp).
inline constexpr std::int64_t kAwayPart = 8;
// Coloring: a class may be colored on every locale if the neighbors to look at, and so many more
// for each vertex, are no more than this part of the edges that a core has.
inline constexpr std::int64_t kReplicatedPart = 4;
inline constexpr std::int64_t kArcsOfColoring = 16;

// ---- others ----

// Vertices by which a graph is judged: how local it is, and which label is frequent.
inline constexpr std::int64_t kSamples = 1024;
// Betweenness: a level with one out of so many vertices of the graph is large: it is sorted, and
// its numbers are exchanged whole.
inline constexpr std::int64_t kLargePart = 32;
// Trusses: the neighbors of a hub are marked if they are fewer than so many times those that are
// looked up; else each of these is searched for.
inline constexpr std::size_t kMarkedPerLookUp = 8;
// Triangles: rows of so many entries are compared with, entry by entry, rather than marked.
inline constexpr std::size_t kComparedEntries = 8;
// Triangles: edges are counted in so many parts of the ranks, of which blocks are made.
inline constexpr std::int64_t kRankParts = 4096;
// Buckets in the window of delta-stepping.
inline constexpr std::int64_t kBuckets = 256;
// Vertex programs whose vertices are never final pull when the set has one out of so many edges, on
// one locale; edge_map's own default is meant for searches that stop early.
inline constexpr std::int64_t kPulledPart = 3;

}  // namespace grappa::graph::tuning
