"""What notebooks show of objects."""

import html


def facts_table(rows):
    """A table in HTML with a row for each fact of a dict."""
    cells = "".join(f"<tr><th>{html.escape(str(name))}</th><td>{html.escape(str(value))}</td></tr>"
                    for name, value in rows.items())
    return f"<table>{cells}</table>"
