"""Datalog over tables that are in memory, and in files."""

import os

import numpy as np

from grappa import _grappa, sessions
from grappa.tables import Answer, prepared_table

_INTEGERS = {"tinyint", "smallint", "integer", "bigint"}
# What each kind is to SQL, which types are as good, and as what its values are given.
_KINDS = {"number": ("bigint", _INTEGERS, np.int64), "unsigned": ("bigint", _INTEGERS, np.int64),
          "float": ("double", _INTEGERS | {"real", "double"}, np.float64), "symbol": ("text", (), None)}


def datalog(program, facts=None, *, session=None):
    """Computes a program in Datalog, in the syntax of Soufflé: a dict of its relations as Answers.

    facts: tables by the names of relations, as sql takes them (frames, or dicts of columns in the
    order of the attributes); or the path of a folder with NAME.facts, for relations with .input,
    which without it are in the current one.
    The relations with .output are given; where none has it, all but those with facts. Rows are in
    order. ValueError with line and column, or for facts of another kind.

        edges = {"x": [1, 2], "y": [2, 3]}
        found = gp.datalog('''.decl edge(x: number, y: number)
                              .decl path(x: number, y: number)
                              path(x, y) :- edge(x, y).
                              path(x, z) :- path(x, y), edge(y, z).''', {"edge": edges})
        found["path"].fetchall()        # [(1, 2), (1, 3), (2, 3)]
    """
    session = session or sessions.current()
    relations = _grappa.datalog_relations(program)
    folder, given = ".", []
    if hasattr(facts, "keys"):
        attributes_of = {name: attributes for name, _, _, attributes in relations}
        given = [_facts(name, table, attributes_of, session) for name, table in facts.items()]
    elif facts is not None:
        folder = os.fspath(facts)
    known = {name for name, has_input, _, _ in relations if has_input} | {name for name, _, _ in given}
    chosen = [i for i, (_, _, has_output, _) in enumerate(relations) if has_output] or \
        [i for i, (name, _, _, _) in enumerate(relations) if name not in known]
    found = session._compiled.run_datalog(session._made, program, folder, given, chosen)
    return {relations[i][0]: _answer(relations[i][3], columns) for i, columns in zip(chosen, found)}


def _facts(name, table, attributes_of, session):
    """The table as the compiled part takes it."""
    if name not in attributes_of:
        raise ValueError(f"facts: the program has no relation {name}; it has "
                         f"{', '.join(attributes_of)}")
    _, rows, columns = prepared_table(f"facts of {name}", table)
    attributes = attributes_of[name]
    if len(columns) != len(attributes):
        raise ValueError(f"facts of {name}: it has {len(attributes)} attributes, the table "
                         f"{len(columns)} columns")
    return name, rows, [_as_kind(kind, column, rows, f"facts of {name}", session)
                        for (_, kind), column in zip(attributes, columns)]


def _as_kind(kind, column, rows, context, session):
    name, type, values, valid = column
    wanted, as_good, dtype = _KINDS[kind]
    if type in as_good:
        return name, wanted, np.ascontiguousarray(values, dtype), valid
    if type not in (wanted, "text") and kind != "symbol":
        raise ValueError(f"{context}: column {name} is {type}, for a {kind}")
    if type == wanted:
        return column
    try:
        (converted,) = session._compiled.run_query(
            session._made, f"select cast(c as {wanted}) as c from t", [("t", rows, [("c", *column[1:])])],
            session.room())
    except ValueError as error:  # it begins with a place in that query, which nobody knows of
        what = str(error).splitlines()[0].split(": ", 1)[-1]
        raise ValueError(f"{context}: column {name}, for a {kind}: {what}") from None
    return name, *converted[1:]


def _answer(attributes, columns):
    return Answer([(name, *_column(kind, values), None)
                   for (name, kind), values in zip(attributes, columns)])


def _column(kind, values):
    type, _, dtype = _KINDS[kind]
    if dtype is None:
        return type, values
    if kind == "unsigned" and values.size and values.max() > np.iinfo(np.int64).max:
        raise OverflowError(f"{values.max()} is more than a bigint holds")
    return type, values.view(dtype)
