"""The tool's kernels as methods of Graph, all of them made of its table."""

import inspect
import re
import textwrap

from grappa import _grappa


def _option(names, text):
    """A flag of the tool as a keyword: its name, whether it takes a value, and its help."""
    flag, value = re.search(r"(--[a-z-]+)( .*)?$", names).groups()
    return flag, flag.lstrip("-").replace("-", "_"), bool(value), text


def _words(flag, takes_value, value):
    """The option as the tool's command line has it."""
    if takes_value == isinstance(value, bool):
        expected = "a value" if takes_value else "True or False"
        raise ValueError(f"{flag.lstrip('-')}: {expected} was expected, not {value!r}")
    if takes_value:
        return [flag, str(value)]
    return [flag] if value else []


# Options whose values are names of vertices.
_OF_VERTICES = {"source": lambda graph, name: graph._vertex(name),
                "sources": lambda graph, names: ",".join(str(graph._vertex(v)) for v in names)}


def method_of(kernel):
    """The method that runs a kernel of the table."""
    options = {name: (flag, takes_value, text)
               for flag, name, takes_value, text in (_option(*each) for each in kernel["options"])}

    def run(self, *, verify=False, **given):
        words = []
        for name, value in given.items():
            if name not in options:
                known = ", ".join([*options, "verify"])
                raise TypeError(f"{kernel['name']}() takes no {name}; it takes {known}")
            if value is None:
                continue
            flag, takes_value, _ = options[name]
            if name in _OF_VERTICES:
                value = _OF_VERTICES[name](self, value)
            words += _words(flag, takes_value, value)
        return self._run(kernel, words, bool(verify))

    run.__name__ = kernel["name"]
    run.__qualname__ = f"Graph.{kernel['name']}"
    run.__signature__ = inspect.Signature(
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        + [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
           for name in options]
        + [inspect.Parameter("verify", inspect.Parameter.KEYWORD_ONLY, default=False)])
    run.__doc__ = _document(kernel, options)
    return run


def _document(kernel, options):
    lines = [f"{kernel['title'][:1].upper()}{kernel['title'][1:]}: {kernel['summary']}.", ""]
    for paragraph in kernel["description"].split("\n"):
        lines += textwrap.wrap(paragraph, 88) or [""]
    lines += ["", "The result's values are `" + kernel["value"] + "`."]
    for name, (_, _, text) in options.items():
        lines += textwrap.wrap(f"{name}: {text}", 88, subsequent_indent="    ")
    lines += textwrap.wrap("verify: check the result with an independent, serial verifier; "
                           "grappa.Error if it is wrong [False]", 88, subsequent_indent="    ")
    return "\n".join(lines)


def add_methods(graph):
    """Gives the class a method for each kernel."""
    for kernel in _grappa.kernel_table():
        setattr(graph, kernel["name"], method_of(kernel))
