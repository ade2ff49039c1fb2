"""Random tables, and random questions about them in the SQL that SQLite and Grappa share.

A question is a Pair: its text for Grappa, and for SQLite, which writes some things in another way and
lacks others (ANY, ALL, grouping sets, semi joins) that can be said in a longer one. All that is asked
for is decided by the standard: orders are total where rows are cut off, integers do not overflow,
sums of floating-point numbers are exact, and types are never mixed.
"""

import datetime
import random
from dataclasses import dataclass, field

TEXTS = ["a", "b", "ab", "abc", "a%c", "x_y", "twelve bytes", "thirteen byte", "日本", "日本語のテキスト",
         "longer than any inlined text is", "longer than any inlined text was", "zz"]
COLUMNS = {"id": "integer", "i": "integer", "j": "bigint", "x": "double", "s": "text", "d": "date"}
KINDS = {"id": "i", "i": "i", "j": "i", "x": "x", "s": "s", "d": "d"}  # of the values of a column


@dataclass(frozen=True)
class Pair:
    grappa: str
    sqlite: str

    def __str__(self):
        raise TypeError("a Pair goes into a text by text() alone")


def text(form, *parts):
    """The form with the parts in the places of its {}, in both dialects."""
    pairs = [part if isinstance(part, Pair) else Pair(part, part) for part in parts]
    return Pair(form.format(*(p.grappa for p in pairs)), form.format(*(p.sqlite for p in pairs)))


def joined(separator, parts):
    return text(separator.join(["{}"] * len(parts)), *parts)


def random_row(chance, number, nulls):
    def maybe(value):
        return None if chance.random() < nulls else value
    day = datetime.date(2024, 2, 25) + datetime.timedelta(chance.randint(0, 9))
    return (number, maybe(chance.randint(-5, 5)), maybe(chance.choice([-3_000_000_000, -1, 0, 1, 7, 1 << 40])),
            maybe(chance.randint(-20, 20) / 4), maybe(chance.choice(TEXTS)), maybe(day.isoformat()))


def random_tables(chance):
    """{name: rows}: one without rows, one without NULLs, one with many, one of several batches."""
    sizes = {"t": (chance.randint(1, 12), 0.2), "u": (chance.randint(5, 40), 0),
             "v": (chance.randint(5, 30), 0.6), "e": (0, 0),
             "w": (chance.choice([1, 100, 5000]), 0.1)}
    return {name: [random_row(chance, number, nulls) for number in range(count)]
            for name, (count, nulls) in sizes.items()}


@dataclass
class Column:
    name: str    # as it is written, with its table
    kind: str


@dataclass
class Scope:
    columns: list
    around: "Scope" = None
    ids: list = field(default_factory=list)  # which tell rows apart, together; or none

    def of_kind(self, kind):
        found, scope, weight = [], self, 4
        while scope:
            found += [c for c in scope.columns if c.kind == kind] * weight
            scope, weight = scope.around, 1
        return found


class Questions:
    """Makes them, one after the other."""

    def __init__(self, chance, tables=("t", "u", "v", "e", "w"), has_rows=True):
        self.chance = chance
        self.tables = tables
        self.has_rows = has_rows  # (a, b) IN (…)
        self.names = 0
        self.commons = []

    def maybe(self, probability):
        return self.chance.random() < probability

    def name(self):
        self.names += 1
        return f"n{self.names}"

    def question(self):
        self.names = 0
        self.commons = []
        commons = []
        while len(commons) < 2 and self.maybe(0.15):
            query, kinds = self.query(None, 2)
            name = self.name()
            commons.append(text(f"{name} AS ({{}})", query))
            self.commons.append((name, kinds))
        query, kinds = self.query(None, 3)
        if self.maybe(0.3):
            order = ", ".join(f"{c + 1} {self.chance.choice(['ASC', 'DESC'])} NULLS "
                              f"{self.chance.choice(['FIRST', 'LAST'])}" for c in range(len(kinds)))
            offset = f" OFFSET {self.chance.randint(0, 5)}" if self.maybe(0.5) else ""
            query = text(f"{{}} ORDER BY {order} LIMIT {self.chance.choice([0, 1, 3, 10, 3000])}{offset}",
                         query)
        if commons:
            query = text("WITH {} {}", joined(", ", commons), query)
        return query

    # ---- Queries

    def query(self, around, depth, kinds=None):
        """With columns c0, c1, … of these kinds, or of any; and their kinds."""
        kinds = kinds or [self.chance.choice("iixsd") for _ in range(self.chance.randint(1, 4))]
        made = self.select(around, depth, kinds)
        if depth > 1 and self.maybe(0.12):
            op = self.chance.choice(["UNION ALL", "UNION", "EXCEPT", "INTERSECT"])
            made = text(f"{{}} {op} {{}}", made, self.select(around, depth - 1, kinds))
        return made, kinds

    def select(self, around, depth, kinds):
        source, scope, condition = self.source(around, depth)
        terms = [condition] if condition else []
        while self.maybe(0.4):
            terms.append(self.condition(scope, depth))
        where = text(" WHERE {}", joined(" AND ", terms)) if terms else Pair("", "")
        how = self.chance.random()
        if how < 0.35:
            return self.grouped(source, where, scope, depth, kinds)
        if how < 0.45:
            return self.windows(source, where, scope, depth, kinds)
        items = [text(f"{{}} AS c{n}", self.value(kind, scope, depth)) for n, kind in enumerate(kinds)]
        distinct = "DISTINCT " if self.maybe(0.15) else ""
        return text(f"SELECT {distinct}{{}} FROM {{}}{{}}", joined(", ", items), source, where)

    def grouped(self, source, where, scope, depth, kinds):
        here = Scope(scope.columns, scope.around)
        # None: of an aggregate. Else what is grouped by.
        groups = [self.value(kind, here, min(depth, 1)) if self.maybe(0.5) else None for kind in kinds]
        # A constant as a group would be a position.
        groups = [None if group and not any(c.name in group.grappa for c in scope.columns) else group
                  for group in groups]
        inner = Scope(scope.columns)
        items = [group or self.aggregate(kind, inner, depth) for kind, group in zip(kinds, groups)]
        columns = [Column(g.grappa, kind) for g, kind in zip(groups, kinds)
                   if g and g.grappa in [c.name for c in scope.columns]]
        after = Scope(columns, scope.around)
        adds = self.maybe(0.2)
        if adds:
            items = [item if group else text("coalesce({}, {})", item, self.value(kind, after, depth - 1))
                     for kind, group, item in zip(kinds, groups, items)]
        having = Pair("", "")
        if self.maybe(0.25):
            term = text("{} {} {}", self.aggregate("i", inner, depth),
                        self.chance.choice(["<", ">=", "<>"]), self.value("i", after, depth - 1))
            having = text(" HAVING {}", term)
        keys = [g for g in groups if g]
        if not keys and having.grappa:
            keys = [scope_key(scope)]
        items = [text(f"{{}} AS c{n}", item) for n, item in enumerate(items)]
        form = text("SELECT {} FROM {}{}", joined(", ", items), source, where)
        if not keys:
            return form
        can_roll = len(keys) < len(kinds) and len(set(keys)) == len(keys) and not having.grappa and not adds
        if can_roll and self.maybe(0.2):
            return self.grouping_sets(source, where, groups, items, keys)
        return text("{} GROUP BY {}{}", form, joined(", ", keys), having)

    def grouping_sets(self, source, where, groups, items, keys):
        """SQLite has a query for each set."""
        kind = self.chance.choice(["ROLLUP", "CUBE"])
        masks = range(1 << len(keys)) if kind == "CUBE" else [(1 << n) - 1 for n in range(len(keys) + 1)]
        parts = []
        for mask in masks:
            kept = [key for n, key in enumerate(keys) if mask >> n & 1]
            shown = [f"NULL AS c{n}" if group and group not in kept else item.sqlite
                     for n, (group, item) in enumerate(zip(groups, items))]
            by = f" GROUP BY {', '.join(key.sqlite for key in kept)}" if kept else ""
            parts.append(f"SELECT {', '.join(shown)} FROM {source.sqlite}{where.sqlite}{by}")
        grappa = (f"SELECT {joined(', ', items).grappa} FROM {source.grappa}{where.grappa} "
                  f"GROUP BY {kind} ({joined(', ', keys).grappa})")
        return Pair(grappa, f"SELECT * FROM ({' UNION ALL '.join(parts)})")

    def windows(self, source, where, scope, depth, kinds):
        items = []
        for n, kind in enumerate(kinds):
            value = self.window(kind, scope) if self.maybe(0.6) else self.value(kind, scope, 1)
            items.append(text(f"{{}} AS c{n}", value))
        return text("SELECT {} FROM {}{}", joined(", ", items), source, where)

    def window(self, kind, scope):
        inner = Scope(scope.columns)
        argument = self.value(kind, inner, 1)
        parts = []
        if self.maybe(0.5):
            parts.append(text("PARTITION BY {}", self.value(self.chance.choice("is"), inner, 1)))
        nulls = self.chance.choice(["NULLS FIRST", "NULLS LAST", "DESC NULLS FIRST", "DESC NULLS LAST"])
        key = self.value(self.chance.choice("ixsd"), inner, 1)
        total = bool(scope.ids)
        order = [text(f"{{}} {nulls}", key)]
        if total:
            order += [Pair(name, name) for name in scope.ids]
        functions = {"i": ["sum", "count", "min", "max", "rank", "dense_rank"], "x": ["sum", "min", "max", "avg"],
                     "s": ["min", "max"], "d": ["min", "max"]}[kind]
        if total:
            functions = functions + ["first_value", "last_value", "lag", "lead", "nth_value"]
            if kind == "i":
                functions += ["row_number", "ntile"]
        function = self.chance.choice(functions)
        parts.append(text("ORDER BY {}", joined(", ", order)))
        if function in ("sum", "count", "min", "max", "avg", "first_value", "last_value", "nth_value"):
            parts.append(Pair(*[self.frame(total)] * 2))
        call = {"rank": "rank()", "dense_rank": "dense_rank()", "row_number": "row_number()",
                "ntile": "ntile(3)", "lag": "lag({}, 2)", "lead": "lead({})",
                "nth_value": "nth_value({}, 2)"}.get(function, f"{function}({{}})")
        filtered = Pair("", "")
        # SQLite forgets the filter of min and max in some frames.
        if function in ("sum", "count", "avg") and self.maybe(0.2):
            filtered = text(" FILTER (WHERE {})", self.condition(inner, 0))
        over = joined(" ", parts)
        return text("{}{} OVER ({})", text(call, argument) if "{}" in call else Pair(call, call), filtered, over)

    def frame(self, total):
        unit = self.chance.choice(["ROWS", "GROUPS", "RANGE"]) if total else self.chance.choice(["GROUPS", "RANGE"])
        ends = ["UNBOUNDED PRECEDING", "2 PRECEDING", "CURRENT ROW", "1 FOLLOWING", "3 FOLLOWING",
                "UNBOUNDED FOLLOWING"]
        if unit == "RANGE":
            ends = [ends[0], ends[2], ends[5]]
        begin = self.chance.randrange(len(ends) - 1)
        end = self.chance.randrange(max(begin, 1), len(ends))
        return f"{unit} BETWEEN {ends[begin]} AND {ends[end]}"

    # ---- FROM

    def source(self, around, depth):
        """Its text, its scope, and a condition or None that belongs to it (for SQLite alone)."""
        source, scope = self.item(around, depth)
        condition = None
        while depth > 0 and self.maybe(0.45) and len(scope.columns) < 16:
            right, other = self.item(around, depth - 1)
            both = Scope(scope.columns + other.columns, None, scope.ids + other.ids)
            if not (scope.ids and other.ids):
                both.ids = []
            kind = self.chance.choice(["JOIN"] * 3 + ["LEFT JOIN"] * 3 + ["RIGHT JOIN", "FULL JOIN",
                                      "CROSS JOIN", ",", "SEMI", "ANTI", "USING"])
            if kind in ("LEFT JOIN", "RIGHT JOIN", "FULL JOIN") and self.may_be_nested(source, right):
                kind = "JOIN"
            if kind in ("RIGHT JOIN", "FULL JOIN", "LEFT JOIN"):
                both.ids = []  # may be NULL
            if kind in ("SEMI", "ANTI"):
                on = self.on(scope, other)
                grappa = f"{source.grappa} {kind} JOIN {right.grappa} ON {on.grappa}"
                exists = text(f"{'NOT ' if kind == 'ANTI' else ''}EXISTS (SELECT 1 FROM {{}} WHERE {{}})",
                              right, on)
                condition = Pair("true", exists.sqlite)
                source = Pair(grappa, source.sqlite)
                both = scope
                scope = Scope(both.columns, around, both.ids)
                break
            if kind == "CROSS JOIN":
                source = text("{} CROSS JOIN {}", source, right)
            elif kind == ",":
                source = text("{} JOIN {} ON true", source, right)
            elif kind == "USING":
                named = [[(c.name.split(".")[1], c.kind) for c in side.columns] for side in (scope, other)]
                plain = [name for name, _ in named[0]]
                shared = sorted(n for n, k in set(named[0]) & set(named[1]) if plain.count(n) == 1)
                if not shared:
                    break
                kind = "JOIN" if self.may_be_nested(right) else self.chance.choice(["JOIN", "LEFT JOIN"])
                source = text(f"{{}} {kind} {{}} USING ({self.chance.choice(shared)})", source, right)
                both.ids = []
            else:
                # Of a full join, Grappa takes subqueries that refer to one side only.
                nested = 2 if depth > 1 and kind != "FULL JOIN" and self.maybe(0.2) else 0
                source = text(f"{{}} {kind} {{}} ON {{}}", source, right, self.on(scope, other, nested))
            scope = both
        return source, Scope(scope.columns, around, scope.ids), condition

    def may_be_nested(self, *sides):
        """Whether a query in FROM has one for a value: SQLite 3.40 gives that, and no NULL, for rows that
        find no partner in an outer join."""
        texts = [side.sqlite for side in sides]
        return any(side.count("SELECT") > 1 for side in texts) or any(
            f"{name} AS" in side for name, _ in self.commons for side in texts)

    def on(self, left, right, depth=0):
        pairs = [(a, b) for a in left.columns for b in right.columns if a.kind == b.kind]
        terms = []
        if pairs and self.maybe(0.8):
            a, b = self.chance.choice(pairs)
            terms.append(text(self.chance.choice(["{} = {}"] * 5 + ["{} IS NOT DISTINCT FROM {}", "{} < {}"]),
                              a.name, b.name))
        if not terms or self.maybe(0.3):
            terms.append(self.condition(Scope(left.columns + right.columns), depth))
        return joined(" AND ", terms)

    def item(self, around, depth):
        name = self.name()
        if self.commons and self.maybe(0.4):
            common, kinds = self.chance.choice(self.commons)
            columns = [Column(f"{name}.c{n}", kind) for n, kind in enumerate(kinds)]
            return Pair(*[f"{common} AS {name}"] * 2), Scope(columns)
        if depth > 1 and self.maybe(0.25):
            query, kinds = self.query(around if self.maybe(0.3) else None, depth - 1)
            columns = [Column(f"{name}.c{n}", kind) for n, kind in enumerate(kinds)]
            return text(f"({{}}) AS {name}", query), Scope(columns)
        # The large one only now and then, and not behind others.
        table = self.chance.choice(self.tables if depth == 3 else self.tables[:-1])
        columns = [Column(f"{name}.{c}", kind) for c, kind in KINDS.items()]
        return Pair(*[f"{table} AS {name}"] * 2), Scope(columns, None, [f"{name}.id"])

    # ---- Values

    def literal(self, kind):
        if kind == "i":
            value = str(self.chance.randint(-4, 6))
        elif kind == "x":
            value = f"{self.chance.randint(-8, 8) / 4}"
        elif kind == "s":
            value = f"'{self.chance.choice(TEXTS)}'"
        else:
            value = f"'2024-0{self.chance.choice(['2-27', '2-29', '3-01'])}'"
            return Pair(f"DATE {value}", value)
        return Pair(f"({value})" if value[0] == "-" else value, f"({value})" if value[0] == "-" else value)

    def column_or_literal(self, kind, scope):
        columns = scope.of_kind(kind)
        if not columns or self.maybe(0.1):
            return self.literal(kind)
        name = self.chance.choice(columns).name
        return Pair(name, name)

    def value(self, kind, scope, depth):
        if depth <= 0 or self.maybe(0.55):
            return self.column_or_literal(kind, scope)
        def of(kind):
            return self.value(kind, scope, depth - 1)
        general = [lambda: text("coalesce({}, {})", of(kind), of(kind)),
                   lambda: text("nullif({}, {})", of(kind), of(kind)),
                   lambda: text("CASE WHEN {} THEN {} ELSE {} END", self.condition(scope, depth - 1),
                                of(kind), of(kind)),
                   lambda: text("CASE {} WHEN {} THEN {} END", of("s"), of("s"), of(kind)),
                   lambda: self.scalar(kind, scope, depth),
                   lambda: self.scalar(kind, scope, depth)]
        special = {"i": [lambda: text("({} + {})", of("i"), of("i")),
                         lambda: text("({} - {})", of("i"), of("i")),
                         lambda: text("({} * {})", of("i"), self.literal("i")),
                         lambda: text("({} / 3)", of("i")), lambda: text("({} % 3)", of("i")),
                         lambda: text("(-{})", of("i")), lambda: text("abs({})", of("i")),
                         lambda: text("length({})", of("s"))],
                   "x": [lambda: text("({} + {})", of("x"), of("x")),
                         lambda: text("({} - {})", of("x"), of("i")),
                         lambda: text("({} * 0.5)", of("x")),
                         lambda: text("abs({})", of("x"))],
                   "s": [lambda: text("({} || {})", of("s"), of("s")),
                         lambda: text("upper({})", of("s")),
                         lambda: text("substr({}, 2, 3)", of("s")),
                         lambda: text("replace({}, 'a', 'xyz')", of("s")),
                         lambda: text("CAST({} AS text)", of("i"))],
                   "d": []}[kind]
        return self.chance.choice(general + special)()

    def scalar(self, kind, scope, depth):
        source, inner, condition = self.source(scope, depth - 2)
        terms = [condition] if condition else []
        terms.append(self.condition(inner, depth - 2))
        tail = text(" FROM {} WHERE {}", source, joined(" AND ", terms))
        if self.maybe(0.6):
            return text("(SELECT {}{})", self.aggregate(kind, Scope(inner.columns), 0), tail)
        value = self.value(kind, inner, depth - 2)
        return text("(SELECT {} AS k{} ORDER BY k NULLS LAST LIMIT 1)", value, tail)

    def aggregate(self, kind, scope, depth):
        """Over columns of this scope alone: others would make it one of the query around."""
        columns = [c for c in scope.columns if c.kind == kind]
        distinct = "DISTINCT " if self.maybe(0.2) else ""
        filtered = Pair("", "")
        if self.maybe(0.15):
            filtered = text(" FILTER (WHERE {})", self.condition(scope, 0))
        if kind == "i" and (not columns or self.maybe(0.5)):
            if self.maybe(0.4):
                return text("count(*){}", filtered)
            other = self.chance.choice(scope.columns)
            return text(f"count({distinct}{other.name}){{}}", filtered)
        if not columns:
            return self.literal_aggregate(kind, scope)
        name = self.chance.choice(columns).name
        if kind == "i" and self.maybe(0.5):
            return text(f"sum({distinct}{name}){{}}", filtered)
        if kind == "x" and self.maybe(0.6):
            return text(f"{self.chance.choice(['sum', 'avg'])}({distinct}{name}){{}}", filtered)
        return text(f"{self.chance.choice(['min', 'max'])}({distinct}{name}){{}}", filtered)

    def literal_aggregate(self, kind, scope):
        return text("max(CASE WHEN {} IS NOT NULL THEN {} END)", self.chance.choice(scope.columns).name,
                    self.literal(kind))

    # ---- Conditions

    def condition(self, scope, depth):
        def of(kind):
            return self.value(kind, scope, depth - 1)
        kind = self.chance.choice("iiixssd")
        compare = self.chance.choice(["=", "=", "<>", "<", "<=", ">", ">="])
        plain = [lambda: text(f"({{}} {compare} {{}})", of(kind), of(kind))] * 4 + [
            lambda: text("({} IS NULL)", of(kind)), lambda: text("({} IS NOT NULL)", of(kind)),
            lambda: text("({} IS DISTINCT FROM {})", of(kind), of(kind)),
            lambda: text("({} BETWEEN {} AND {})", of(kind), of(kind), of(kind)),
            lambda: text("({} NOT IN ({}, {}))", of(kind), self.literal(kind), self.literal(kind)),
            lambda: text("({} IN ({}, {}, NULL))", of(kind), self.literal(kind), of(kind)),
            lambda: text("({} LIKE {})", of("s"), Pair(*[self.chance.choice(
                ["'a%'", "'%b%'", "'%t_'", "'_'", "'%'", "'日%'", "'x\\_y'"][:6])] * 2))]
        if depth <= 0:
            return self.chance.choice(plain)()
        def down():
            return self.condition(scope, depth - 1)
        nested = [lambda: text("({} AND {})", down(), down()), lambda: text("({} OR {})", down(), down()),
                  lambda: text("(NOT {})", down())]
        queries = [lambda: self.exists(scope, depth), lambda: self.exists(scope, depth),
                   lambda: self.within(scope, depth), lambda: self.within(scope, depth),
                   lambda: self.quantified(scope, depth)]
        return self.chance.choice([*plain, *nested, *(queries * 2 if depth > 1 else [])])()

    def exists(self, scope, depth):
        query, _ = self.query(scope, depth - 1)
        return text(self.chance.choice(["EXISTS ({})", "(NOT EXISTS ({}))"]), query)

    def within(self, scope, depth):
        kinds = [self.chance.choice("iisd") for _ in range(self.chance.choice([1, 1, 2, 2, 3]) if self.has_rows else 1)]
        query, _ = self.query(scope if self.maybe(0.5) else None, depth - 1, kinds)
        values = joined(", ", [self.value(kind, scope, 0) for kind in kinds])
        if len(kinds) > 1:
            values = text("({})", values)
        return text(self.chance.choice(["({} IN ({}))", "({} NOT IN ({}))"]), values, query)

    def quantified(self, scope, depth):
        kind = self.chance.choice("iisd")
        query, _ = self.query(scope if self.maybe(0.5) else None, depth - 1, [kind])
        value = self.value(kind, scope, 0)
        compare = self.chance.choice(["=", "<>", "<", ">="])
        quantifier = self.chance.choice(["ANY", "ALL"])
        grappa = f"({value.grappa} {compare} {quantifier} ({query.grappa}))"
        test = f"({value.sqlite} {compare} q.c0)"
        decides = test if quantifier == "ANY" else f"NOT {test}"
        result = (1, 0) if quantifier == "ANY" else (0, 1)
        sqlite = (f"(CASE WHEN EXISTS (SELECT 1 FROM ({query.sqlite}) AS q WHERE {decides}) THEN {result[0]} "
                  f"WHEN EXISTS (SELECT 1 FROM ({query.sqlite}) AS q WHERE {test} IS NULL) THEN NULL "
                  f"ELSE {result[1]} END)")
        return Pair(grappa, sqlite)


def scope_key(scope):
    return Pair(*[scope.columns[0].name] * 2)
