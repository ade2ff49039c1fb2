"""Datalog over tables that are in memory, and in files."""

import csv
import io
import os

import numpy as np

from grappa import _grappa, arrow, sessions
from grappa.tables import Answer, sql

_KINDS = {"number": ("bigint", np.int64), "unsigned": ("bigint", np.int64),
          "float": ("double", np.float64)}


def datalog(program, facts=None, *, session=None):
    """Computes a program in Datalog, in the syntax of Soufflé: a dict of its relations as Answers.

    facts: tables by the names of relations, as sql takes them (frames, or dicts of columns in the
    order of the attributes); or the path of a folder with NAME.facts, for relations with .input.
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
    if facts is None or hasattr(facts, "keys"):
        with session.temporary_folder() as folder:
            try:
                return _run(_with_inputs(program, facts or {}, folder, session), folder, session)
            except ValueError as error:  # of files that nobody knows of
                raise ValueError(str(error).replace(f"{folder}/", "facts of ")) from None
    return _run(program, os.fspath(facts), session)


def _with_inputs(program, facts, folder, session):
    """The program, which reads facts from the folder."""
    has_input = {name: given for name, given, _ in _grappa.datalog_relations(program)}
    for name, table in facts.items():
        if name not in has_input:
            raise ValueError(f"facts: the program has no relation {name}; it has "
                             f"{', '.join(has_input)}")
        path = os.path.join(folder, name + ".csv").replace("'", "''")
        sql(f"copy t to '{path}' (header false)", t=table, session=session)
        if not has_input[name]:
            program += f"\n.input {name}\n"
    return program


def _run(program, folder, session):
    relations = _grappa.datalog_relations(program)
    chosen = [i for i, (_, _, is_output) in enumerate(relations) if is_output] or \
        [i for i, (_, is_input, _) in enumerate(relations) if not is_input]
    found = session._compiled.run_datalog(session._made, program, folder, chosen)
    return {relations[i][0]: _answer(*of) for i, of in zip(chosen, found)}


def _answer(attributes, text):
    lines = io.StringIO(text.decode("utf-8", "surrogateescape"), newline="")
    columns = list(zip(*csv.reader(lines))) or [()] * len(attributes)
    return Answer([(name, *_column(kind, values), None)
                   for (name, kind), values in zip(attributes, columns)])


def _column(kind, values):
    if kind == "symbol":
        return "text", tuple(arrow.texts_from(list(values)))
    type, dtype = _KINDS[kind]
    return type, np.array(list(map(float if kind == "float" else int, values)), dtype)
