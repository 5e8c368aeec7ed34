"""Evidence of several layers about one program, brought together. It is done by libfrx.so, in this process.

    static = fournex.inspect_cuda_source(source)
    ncu = fournex.analyze_ncu_csv("report.csv")
    fournex.reconcile_evidence(static=static, ncu=ncu)["diagnoses"][0]["confidence"]      # "high"
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from ._native import FrxError, FrxUnavailable, post
from .answers import Answer

__all__ = ["FrxError", "FrxUnavailable", "reconcile_evidence", "what_evidence_is_missing"]

Result = Mapping[str, Any]


def reconcile_evidence(
    static: Optional[Result] = None,
    ptx: Optional[Result] = None,
    ncu: Optional[Result] = None,
    profiler: Optional[Result] = None,
    *,
    cubin: Optional[Result] = None,
) -> Answer:
    """The causes that the layers agree on, the surest first (``reconciliation_v1``).

    Each layer is the result of its analysis, whichever there are: `static` of `inspect_cuda_source` (``cuda_static_v1``), `ptx` of
    `analyze_ptx_text` (``ptx_analysis_v1``), `cubin` of ``frx analyze FILE.cubin`` (``device_code_v1``), `ncu` of
    `analyze_ncu_csv` (``ncu_analysis_v1``), `profiler` of `summarize_run_with_steady_state` (``run_analysis_v1``) or of a trace.
    An object ``{"mode": ..., "result": ...}``, as ``frx --json`` prints it, is taken as well. A layer that is None is not
    available, which is different from one that found nothing. The result has layers_available, diagnoses (label, confidence,
    layers_confirming, layers_contradicting, evidence, fix_summary, recommendation_ids, missing_evidence) and unreconciled, the
    findings that no diagnosis is about.

    Raises FrxError when a layer is no result of its kind, FrxUnavailable without libfrx.so.
    """
    given = {"static": static, "ptx": ptx, "cubin": cubin, "ncu": ncu, "profiler": profiler}
    answer: Answer = post("/reconcile", {layer: result for layer, result in given.items() if result is not None})
    return answer


def what_evidence_is_missing(
    static: Optional[Result] = None,
    ptx: Optional[Result] = None,
    ncu: Optional[Result] = None,
    profiler: Optional[Result] = None,
    *,
    cubin: Optional[Result] = None,
) -> List[Dict[str, Any]]:
    """The diagnoses of `reconcile_evidence` that more evidence would make surer, as a list of its ``diagnoses``.

    In each, ``missing_evidence`` says what to collect: the counters with what they tell, the command of ncu, and the confidence
    if they confirm it. Empty where nothing is missing, and where nothing was found. Errors are those of `reconcile_evidence`.
    """
    diagnoses = reconcile_evidence(static, ptx, ncu, profiler, cubin=cubin)["diagnoses"]
    return [one for one in diagnoses if one.get("missing_evidence")]
