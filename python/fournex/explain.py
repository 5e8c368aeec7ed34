"""Briefs about a profile or a run, for people and for language models. See `fournex._native` for where frx is searched."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional

from ._native import FrxError, FrxUnavailable, gpu_options, result_of
from .answers import Answer
from .reconciliation import reconcile_evidence

__all__ = ["FrxError", "FrxUnavailable", "build_explain_prompt", "build_explain_result", "write_explain_files"]

_KEY_METRICS = (
    "avg_dram_throughput_pct",
    "avg_l1_cache_hit_rate_pct",
    "avg_l2_cache_hit_rate_pct",
    "avg_global_load_sectors_per_request",
    "avg_tensor_core_utilization_pct",
    "avg_issue_slot_utilization_pct",
    "avg_occupancy_pct",
    "memory_stall_fraction",
)
_CARD = (
    "id",
    "title",
    "priority",
    "tier",
    "score",
    "estimated_speedup_pct_min",
    "estimated_speedup_pct_max",
    "speedup_bound_pct",
    "why",
)
_KERNEL = ("kernel_name", "opportunity", "mfu_pct", "roofline_region", "runtime_share_pct")
_HIGH, _MEDIUM = 0.6, 0.3  # scores from which a label is grave


def build_explain_result(ncu_result: Mapping[str, Any], static_result: Optional[Mapping[str, Any]] = None) -> Answer:
    """The evidence of a brief from results that are there already (``frx_explain_v0``), as ``frx explain`` writes it to frx_evidence.json.

    `ncu_result` is that of `analyze_ncu_csv` (``ncu_analysis_v1``), `static_result` of `inspect_cuda_source` (``cuda_static_v1``),
    best with ``pedantic=True``, for the profile settles guesses about the source; those count in reconciliation alone. The result has primary_diagnosis and diagnoses (label, confidence, severity, score from 0 to 1, evidence, fix_summary), key_metrics
    (only what was measured), top_kernels, top_recommendations (three, with two actions each), and missing_data with how to collect it.
    With `static_result`, reconciliation says what source and profile agree on; that needs libfrx.so.

    Raises KeyError when `ncu_result` is no such result, and what `reconcile_evidence` does.
    """
    together = reconcile_evidence(static=static_result, ncu=ncu_result) if static_result is not None else None
    diagnoses = [_diagnosis(label, ncu_result, together) for label in ncu_result["bottlenecks"]]
    summary = ncu_result["ncu_run_summary"]
    return Answer(
        schema="frx_explain_v0",
        source=ncu_result["source"],
        kernel_source=_name_of(static_result),
        layers_available=["ncu"] if static_result is None else ["source", "ncu"],
        primary_diagnosis=_primary(ncu_result, diagnoses),
        diagnoses=diagnoses,
        ncu_bottlenecks=[{"label": one["label"], "score": one["score"]} for one in ncu_result["bottlenecks"]],
        key_metrics=_key_metrics(summary),
        static_findings=[one for one in static_result["findings"] if one["tier"] != "pedantic"] if static_result is not None else [],
        reconciliation=dict(together) if together is not None else None,
        top_kernels=_top_kernels(ncu_result),
        roofline=summary["roofline"],
        occupancy_summary=ncu_result["occupancy_summary"],
        top_recommendations=[_card(one) for one in ncu_result["recommendations"][:3]],
        missing_data=_missing_data(ncu_result, static_result),
    )


def build_explain_prompt(path: str, source: Optional[str] = None, gpu_model: Optional[str] = None) -> str:
    """The prompt of ``frx explain PATH --prompt-only`` for a language model: of a profile (`source`: its CUDA source) or a run.

    Raises FrxError when the file is neither or cannot be read, FrxUnavailable."""
    return str(result_of(["explain", os.fspath(path), "--prompt-only", *_of_source(source), *gpu_options(gpu_model)])["prompt"])


def write_explain_files(
    path: str, out: str = ".", source: Optional[str] = None, gpu_model: Optional[str] = None
) -> Dict[str, str]:
    """Writes the three files of ``frx explain`` to the folder `out`: paths by "summary", "prompt" and "evidence".

    Raises FrxError when `path` is neither profile nor run, or a file cannot be written; FrxUnavailable."""
    files = result_of(["explain", os.fspath(path), "--out", os.fspath(out), *_of_source(source), *gpu_options(gpu_model)])["files"]
    kinds = {"frx_summary.txt": "summary", "frx_llm_prompt.txt": "prompt", "frx_evidence.json": "evidence"}
    return {kinds[os.path.basename(one)]: one for one in files}


def _of_source(source: Optional[str]) -> List[str]:
    return ["--source", os.fspath(source)] if source is not None else []


def _name_of(static_result: Optional[Mapping[str, Any]]) -> Optional[str]:
    if static_result is None:
        return None
    files = static_result.get("files") or []
    name = static_result.get("filename") or (files[0] if files else None)
    return None if name is None else str(name)


def _severity(score: Optional[float]) -> str:
    if score is None:
        return "unknown"
    return "high" if score >= _HIGH else "medium" if score >= _MEDIUM else "low"


def _recommendation_ids(ncu_result: Mapping[str, Any], label: str) -> List[str]:
    return [one["id"] for one in ncu_result["recommendations"] if one["label"] == label]


def _fix_summary(ncu_result: Mapping[str, Any], label: str) -> str:
    """The title of the best card that answers a label, else what the page of the label says."""
    for one in ncu_result["recommendations"]:
        if one["label"] == label:
            return str(one["title"])
    pages = result_of(["explain", label])["pages"]
    return " ".join(next(page["why"] for page in pages if page["kind"] == "label" and page["about"] == "kernels of a profile"))


def _confirmed_by_profile(together: Optional[Mapping[str, Any]], label: str) -> Optional[Mapping[str, Any]]:
    """The diagnosis of several layers whose part of the profile is this label."""
    for one in together["diagnoses"] if together is not None else []:
        ncu = (one["evidence"] or {}).get("ncu") or {}
        if "ncu" in one["layers_confirming"] and label in [found["label"] for found in ncu.get("bottlenecks", [])]:
            return dict(one)
    return None


def _diagnosis(label: Mapping[str, Any], ncu_result: Mapping[str, Any], together: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    name = label["label"]
    is_primary = name == ncu_result["primary_bottleneck"]
    diagnosis = {
        "label": name,
        "display_name": label["display_name"],
        "confidence": ncu_result["diagnostic_scope"]["confidence"] if is_primary else "medium",
        "severity": _severity(label["score"]),
        "score": label["score"],
        "layers_confirming": ["ncu"],
        "evidence": {"ncu": {"bottlenecks": [name], "metrics": label["evidence"]}},
    }
    reconciled = _confirmed_by_profile(together, name)
    if reconciled is not None:
        diagnosis["layers_confirming"] = reconciled["layers_confirming"]
        diagnosis["reconciled_as"] = reconciled["label"]
        diagnosis["reconciled_confidence"] = reconciled["confidence"]
    diagnosis["fix_summary"] = _fix_summary(ncu_result, name)
    diagnosis["explained_by"] = label["explained_by"]
    diagnosis["recommendation_ids"] = _recommendation_ids(ncu_result, name)
    diagnosis["missing_evidence"] = None
    return diagnosis


def _primary(ncu_result: Mapping[str, Any], diagnoses: List[Dict[str, Any]]) -> Dict[str, Any]:
    primary = ncu_result["primary_bottleneck"]
    for one in diagnoses:
        if one["label"] == primary:
            return one
    return {
        "label": primary,
        "display_name": str(primary).replace("_", " ").title(),
        "confidence": ncu_result["diagnostic_scope"]["confidence"],
        "severity": _severity(None),
        "score": None,
        "layers_confirming": [],
        "recommendation_ids": _recommendation_ids(ncu_result, primary),
    }


def _key_metrics(summary: Mapping[str, Any]) -> Dict[str, Any]:
    metrics = {name: summary[name] for name in _KEY_METRICS if summary.get(name) is not None}
    dominant = summary.get("dominant_warp_stall")
    if dominant in (summary.get("warp_stall_breakdown") or {}):
        metrics["dominant_warp_stall"] = dominant
        if summary["warp_stall_breakdown"][dominant] > 0:
            metrics["dominant_warp_stall_pct"] = summary["warp_stall_breakdown"][dominant]
    return metrics


def _top_kernels(ncu_result: Mapping[str, Any]) -> List[Dict[str, Any]]:
    labels = {one["kernel_name"]: one["primary_bottleneck"] for one in ncu_result["kernels"]}
    best = ncu_result["kernel_attribution"]["top_opportunities"][:5]
    kernels = [{**{name: one[name] for name in _KERNEL}, "primary_bottleneck": labels.get(one["kernel_name"])} for one in best]
    return [{**one, "opportunity": one["opportunity"] or "none"} for one in kernels]


def _card(recommendation: Mapping[str, Any]) -> Dict[str, Any]:
    card = {name: recommendation[name] for name in _CARD}
    return {**card, "actions": recommendation["actions"][:2], "validation_steps": recommendation["validation_steps"]}


def _missing_data(ncu_result: Mapping[str, Any], static_result: Optional[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    missing: List[Dict[str, Any]] = []
    if static_result is None:
        how = f"frx explain {ncu_result['source']} --source kernel.cu"
        missing.append({"layer": "source", "description": "the CUDA source of the kernel", "how_to_collect": how})
    how = "nvcc -ptx -o kernel.ptx kernel.cu && frx analyze kernel.ptx"
    missing.append({"layer": "ptx", "description": "registers, spills and memory instructions as compiled", "how_to_collect": how})
    warnings = ncu_result["validation"]["warnings"][:3]
    if ncu_result["collect_command"] or warnings:
        how = ncu_result["collect_command"] or "frx profile --preset full --out after.csv -- ./your_app"
        gap: Dict[str, Any] = {
            "layer": "ncu_metrics",
            "description": "counters that would settle what could not be told",
            "how_to_collect": how,
        }
        missing.append({**gap, "warnings": warnings} if warnings else gap)
    return missing
