"""What an analysis answers: a dictionary, which a notebook shows as a page and pandas takes as a table."""

from __future__ import annotations

import html
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

__all__ = ["Answer"]

# Of a result its rows, unless others are asked for.
_ROWS = {
    "code_analysis_v1": "files",
    "comparison_v1": "scorecard",
    "cuda_static_v1": "findings",
    "frx_explain_v0": "diagnoses",
    "gpu_list_v1": "gpus",
    "gpu_occupancy_v1": "changes",
    "ncu_analysis_v1": "kernel_summaries",
    "ncu_comparison_v1": "metric_deltas",
    "ptx_analysis_v1": "kernels",
    "reconciliation_v1": "diagnoses",
    "run_analysis_v1": "run.per_step",
}
_MOST_ROWS = 20  # of a table in a notebook, where there is no page


class Answer(Dict[str, Any]):
    """The ``result`` of an analysis as its schema in ``data/schemas`` describes it: a dictionary like any other.

    In a notebook it is shown as the page of ``frx ... --format html``, in a frame of its own; `to_pandas` makes tables of it.
    Copies, pickles and JSON hold the dictionary alone, and are shown as plain tables.
    """

    _page: Optional[Callable[[], Optional[str]]] = None

    def with_page(self, page: Callable[[], Optional[str]]) -> "Answer":
        """The same, shown by what `page` returns: a whole HTML document, or None where it cannot be made any more."""
        self._page = page
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Answer, (dict(self),))

    def _repr_html_(self) -> str:
        page = self._page() if self._page is not None else None
        if page is None:
            return _tables(self)
        # The frame keeps the style of the page and that of the notebook apart; the page needs scripts, and nothing of the notebook.
        return (
            '<iframe title="frx" sandbox="allow-scripts" style="width: 100%; height: 40em; border: 0" '
            f'srcdoc="{html.escape(page, quote=True)}"></iframe>'
        )

    def to_pandas(self, member: Optional[str] = None) -> Any:
        """A pandas.DataFrame of the objects of `member`, one row each ("kernels", "run.per_step"); without `member`, of what the
        result is about: kernels of a profile, findings of source, steps of a run. Members of members become columns "a.b". Units
        are those of the schema, in the names (``_pct``, ``_us``, ``_ns``, ``_bytes``).

        Raises ImportError without pandas, KeyError for a member that is no table, with those that are.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas: pip install pandas, or apt-get install python3-pandas") from error
        tables = dict(_tables_in(self))
        name = member if member is not None else _ROWS.get(str(self.get("schema")), next(iter(tables), ""))
        if name not in tables:
            raise KeyError(f"{name!r} is no table; there are {', '.join(tables) or 'none'}")
        return pandas.json_normalize(tables[name])


def _rows_of(value: Any) -> Optional[List[Mapping[str, Any]]]:
    """The rows of a list of objects, or of an object of objects, whose keys become the column "name"."""
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        return value
    if isinstance(value, dict) and value and all(isinstance(one, dict) for one in value.values()):
        return [{"name": key, **one} for key, one in value.items()]
    return None


def _tables_in(result: Mapping[str, Any], prefix: str = "", depth: int = 2) -> List[Tuple[str, List[Mapping[str, Any]]]]:
    """Every table of a result with its dotted name, in order. Objects are looked into, lists are not."""
    found = []
    for key, value in result.items():
        rows = _rows_of(value)
        if rows is not None:
            found.append((prefix + key, rows))
        if isinstance(value, dict) and depth > 0:
            found += _tables_in(value, f"{prefix}{key}.", depth - 1)
    return found


def _cell(value: Any) -> str:
    if value is None:
        return "&ndash;"
    if isinstance(value, (list, tuple)):
        return ", ".join(_cell(one) for one in value)
    if isinstance(value, float):
        return html.escape(f"{value:.6g}")
    return html.escape(str(value))


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(not isinstance(one, (list, dict)) for one in value)
    return not isinstance(value, dict)


def _table(heading: str, rows: List[Mapping[str, Any]]) -> str:
    columns = list(dict.fromkeys(key for row in rows for key, value in row.items() if _is_plain(value)))
    if not rows or not columns:
        return ""
    head = "".join(f"<th>{html.escape(str(key))}</th>" for key in columns)
    body = "".join("<tr>" + "".join(f"<td>{_cell(row.get(key))}</td>" for key in columns) + "</tr>" for row in rows[:_MOST_ROWS])
    more = f"<p>{len(rows) - _MOST_ROWS} more rows</p>" if len(rows) > _MOST_ROWS else ""
    return f"<h4>{html.escape(heading)}</h4><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _tables(result: Mapping[str, Any]) -> str:
    facts = "".join(
        f"<tr><th>{html.escape(str(key))}</th><td>{_cell(value)}</td></tr>" for key, value in result.items() if _is_plain(value)
    )
    tables = "".join(_table(name, rows) for name, rows in _tables_in(result, depth=0))
    return f"<div><table><tbody>{facts}</tbody></table>{tables}</div>"
