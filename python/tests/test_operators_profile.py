"""profile.json and manifest.json as records: what is read comes back, what is wrong is named, and aggregates follow from kernels."""

import contextlib
import copy
import dataclasses
import io
import json
import os
import typing
import unittest
from pathlib import Path

from fournex.operators import FormatError, Manifest, OperatorAttributedProfile, aggregate, check_profile, manifest, profile
from fournex.operators.profile import KernelMetrics, KernelRecord
from fournex.operators.records import Record
from support import REPOSITORY, SdkTest, violations

CORPUS = Path(os.environ.get("FRX_CORPUS") or REPOSITORY.parent / "shared/corpus")
REAL = sorted((CORPUS / "artifacts/profiler_examples").glob("**/profile*.json"))
SCHEMAS = {name: json.loads((REPOSITORY / f"data/schemas/operator_{name}_v1.json").read_text()) for name in ("profile", "manifest")}

METADATA = {"model_name": "m", "torch_version": "2.3.0", "compile_mode": "eager", "capture_timestamp_utc": "2026-04-07T12:00:00+00:00"}
RANGE = {"text": "aten::mm, seq = 4, sizes = [[2, 3], [3, 4]]", "depth": 1, "start_ns": 5, "end_ns": 90, "domain": "default"}


def kernel(duration=10, **raw):
    """A kernel of a profile with counters, whose names are given with _ for what is no letter."""
    return KernelRecord("k_00000", "gemm", 7, 0, 100, 100 + duration, duration, metrics=KernelMetrics(dict(raw.pop("raw", raw))))


def small(**changes):
    """A profile of schema 1.0 with one operator and one kernel, as JSON."""
    one = {
        "kernel_id": "k_00000",
        "kernel_name": "gemm",
        "demangled_name": None,
        "stream_id": 7,
        "device_id": 0,
        "start_ns": 10,
        "end_ns": 30,
        "duration_ns": 20,
        "grid_dim": [1, 2, 3],
        "block_dim": [32, 1, 1],
        "metrics": {"raw": {"sm__throughput.avg.pct_of_peak_sustained_elapsed": 82.4, "launch__registers_per_thread": 30, "x": "n/a"}},
        "attribution_method": "nvtx",
        "confidence": "medium",
        "nvtx_range": RANGE,
    }
    operator = {
        "operator_id": "aten::mm_0",
        "operator_name": "aten::mm",
        "call_index": 0,
        "is_fused": False,
        "fused_with": [],
        "nvtx_range": None,
        "kernels": [one],
        "aggregated": {"total_duration_ns": 20, "kernel_count": 1, "dominant_kernel_id": "k_00000", "sm_throughput_pct": 82.4},
    }
    return {
        "schema_version": "1.0",
        "capture_metadata": METADATA,
        "operators": [operator],
        "unattributed_kernels": [],
        "warnings": ["a warning"],
        **changes,
    }


class RoundTrip(SdkTest):
    def check(self, value, kind=OperatorAttributedProfile):
        again = kind.from_json(json.dumps(value)).to_dict()
        self.assertEqual(json.dumps(again), json.dumps(value))  # with the order, and integers as integers

    def test_a_profile_comes_back_as_it_was(self):
        self.check(small())

    def test_absent_and_null_stay_apart(self):
        value = small()
        del value["warnings"], value["operators"][0]["aggregated"], value["operators"][0]["kernels"][0]["metrics"]
        value["units"] = None
        self.check(value)

    def test_additions_are_kept_where_they_are_known_and_where_not(self):
        value = small(schema_version="1.1", units={"dram__bytes_read.sum": "byte"}, later={"a": [1, None]})
        value["capture_metadata"] = {"new": 1, **METADATA, "warmup_iters": 2, "clocks": {"status": "locked", "graphics_mhz": 1410}}
        value["operators"][0]["kernels"][0].update(iteration=1, match_quality="exact", also_new=[])
        value["operators"][0]["aggregated"]["dram_gbps"] = 12.5
        self.check(value)
        read = OperatorAttributedProfile.from_dict(value)
        self.assertEqual((read.extra, read.capture_metadata.warmup_iters), ({"later": {"a": [1, None]}}, 2))
        self.assertEqual((read.operators[0].kernels[0].iteration, read.operators[0].aggregated.extra), (1, {"dram_gbps": 12.5}))

    def test_what_is_set_afterwards_is_written(self):
        read = OperatorAttributedProfile.from_dict(small())
        read.units = {"a": "byte"}
        read.operators[0].aggregated.l1_hit_rate = 3.5
        read.extra["mine"] = 1
        again = read.to_dict()
        self.assertEqual((again["units"], again["mine"], again["operators"][0]["aggregated"]["l1_hit_rate"]), ({"a": "byte"}, 1, 3.5))

    def test_a_new_profile_has_the_members_of_schema_1_0(self):
        new = OperatorAttributedProfile("1.0", manifest.CaptureMetadata(**METADATA), [profile.OperatorRecord("a_0", "a", 0, kernels=[kernel()])])
        value = new.to_dict()
        self.assertEqual(violations(value, SCHEMAS["profile"]), [])
        self.assertNotIn("units", value)
        self.assertNotIn("iteration", value["operators"][0]["kernels"][0])
        self.assertEqual(value["capture_metadata"]["device_name"], None)
        self.assertEqual(OperatorAttributedProfile.from_dict(value), new)

    def test_files(self):
        path = self.folder / "deeper" / "profile.json"
        first = OperatorAttributedProfile.from_dict(small())
        first.save(path)
        self.assertEqual(OperatorAttributedProfile.load(path), first)
        self.assertEqual(OperatorAttributedProfile.model_validate_json(path.read_text()), first)
        self.assertEqual(os.listdir(path.parent), ["profile.json"])
        self.assertEqual(path.read_text(), first.to_json() + "\n")

    def test_text_of_any_kind(self):
        path = self.folder / "profile.json"
        for text in ("ä – 漢", "\ud800", "\u0000\n", "😀"):
            first = OperatorAttributedProfile.from_json(json.dumps(small(warnings=[text])))
            first.save(path)
            self.assertEqual(OperatorAttributedProfile.load(path).warnings, [text])

    def test_a_manifest(self):
        value = {
            "schema_version": "1.0",
            "capture_metadata": {**METADATA, "input_shapes": {"input": [2, 3]}},
            "kernels": [
                {
                    **{name: small()["operators"][0]["kernels"][0][name] for name in SCHEMAS["manifest"]["$defs"]["kernel"]["required"][:-1]},
                    "attribution": {
                        "method": "nvtx",
                        "source_operators": ["aten::mm", "aten::linear"],
                        "nvtx_range": RANGE,
                        "confidence": "medium",
                        "is_fused": True,
                        "all_enclosing_ranges": [RANGE],
                        "fused_ops": [],
                    },
                    "layer_partition": "blocks.0",
                    "is_unique_partition": True,
                }
            ],
            "warnings": [],
        }
        self.check(value, Manifest)
        self.assertEqual(violations(value, SCHEMAS["manifest"]), [])
        path = self.folder / "m.manifest.json"
        Manifest.from_dict(value).save(path)
        self.assertEqual(Manifest.load(path).kernels[0].attribution.source_operators, ["aten::mm", "aten::linear"])

    def test_the_example_of_the_documentation_of_1_0_with_few_members(self):
        value = small()
        one = value["operators"][0]["kernels"][0]
        for name in ("attribution_method", "confidence", "nvtx_range", "grid_dim", "block_dim", "demangled_name"):
            del one[name]
        for name in ("fused_with", "nvtx_range"):
            del value["operators"][0][name]
        self.check(value)


class Errors(SdkTest):
    def complaint(self, value, words):
        path = self.folder / "wrong.json"
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        with self.assertRaises(FormatError) as caught:
            OperatorAttributedProfile.load(path)
        self.assertTrue(str(caught.exception).startswith(f"{path}: $"), caught.exception)
        self.assertIn(words, str(caught.exception))

    def changed(self, *path, to):
        value = copy.deepcopy(small())
        at = value
        for step in path[:-1]:
            at = at[step]
        if to is None:
            del at[path[-1]]
        else:
            at[path[-1]] = to
        return value

    def test_name_the_file_and_the_place(self):
        one = ("operators", 0, "kernels", 0)
        for value, words in (
            (self.changed(*one, "duration_ns", to="4"), '$.operators[0].kernels[0].duration_ns: expected an integer, found "4"'),
            (self.changed(*one, "duration_ns", to=None), "$.operators[0].kernels[0].duration_ns is missing"),
            (self.changed(*one, "stream_id", to=True), "stream_id: expected an integer, found true"),
            (self.changed(*one, "grid_dim", 1, to=1.5), "$.operators[0].kernels[0].grid_dim[1]: expected an integer"),
            (self.changed(*one, "metrics", "raw", "a.b", to=[]), '.metrics.raw["a.b"]: expected an integer or a number or text, found []'),
            (self.changed(*one, "nvtx_range", to=3), "nvtx_range: expected an object, found 3"),
            (self.changed("operators", 0, "aggregated", "l1_hit_rate", to="high"), "aggregated.l1_hit_rate: expected a number"),
            (self.changed("operators", to={}), "$.operators: expected a list, found {}"),
            (self.changed("capture_metadata", to=None), "$.capture_metadata is missing"),
            (self.changed("warnings", to=["a", 1]), "$.warnings[1]: expected text, found 1"),
        ):
            self.complaint(value, words)

    def test_other_versions_are_refused_and_later_ones_of_the_same_kind_read(self):
        for version in ("2.0", "0.9", "1", 1.0):
            self.complaint(small(schema_version=version), "$.schema_version: expected a version 1.x")
        self.assertEqual(OperatorAttributedProfile.from_dict(small(schema_version="1.9")).schema_version, "1.9")

    def test_what_is_no_json(self):
        for text in ("", "{", '{"schema_version": NaN}', '{"a": 1e999}', "[" * 100000, "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")):
            self.complaint(text, "JSON")
        self.complaint("[]", "expected an object")

    def test_a_file_that_is_not_there_is_an_error_of_the_system(self):
        with self.assertRaises(FileNotFoundError):
            OperatorAttributedProfile.load(self.folder / "missing.json")

    def test_long_values_are_cut(self):
        self.complaint(small(operators="x" * 1000), "...")


class Schemas(SdkTest):
    RECORDS = {
        "profile": {
            None: OperatorAttributedProfile,
            "capture_metadata": manifest.CaptureMetadata,
            "nvtx_range": manifest.NvtxRange,
            "operator": profile.OperatorRecord,
            "kernel": KernelRecord,
            "aggregated": profile.AggregatedMetrics,
        },
        "manifest": {
            None: Manifest,
            "capture_metadata": manifest.CaptureMetadata,
            "nvtx_range": manifest.NvtxRange,
            "attribution": manifest.Attribution,
            "kernel": manifest.ManifestKernel,
        },
    }

    def test_have_the_members_of_the_records(self):
        for name, records in self.RECORDS.items():
            self.assertEqual(set(SCHEMAS[name]["$defs"]), set(records) - {None})
            for part, record in records.items():
                schema = SCHEMAS[name]["$defs"][part] if part else SCHEMAS[name]
                fields = dataclasses.fields(record)
                self.assertEqual(set(schema["properties"]), {field.name for field in fields}, record)
                required = {f.name for f in fields if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING}
                self.assertEqual(set(schema["required"]), required, record)

    def test_mark_what_1_0_does_not_have(self):
        for name, records in self.RECORDS.items():
            for part, record in records.items():
                schema = SCHEMAS[name]["$defs"][part] if part else SCHEMAS[name]
                for field in dataclasses.fields(record):
                    marked = "added in 1.1" in schema["properties"][field.name].get("description", "")
                    self.assertEqual(marked, field.metadata.get("since") == "1.1", f"{record.__name__}.{field.name}")

    def test_every_record_has_words(self):
        for records in self.RECORDS.values():
            for record in records.values():
                self.assertTrue(issubclass(record, Record) and record.__doc__ and not record.__doc__.startswith(record.__name__ + "("))
                typing.get_type_hints(record)


class Aggregates(SdkTest):
    def test_by_hand(self):
        read, occupancy, registers = "dram__bytes_read.sum", "sm__warps_active.avg.pct_of_peak_sustained_active", "launch__registers_per_thread"
        first = kernel(30, raw={read: 100, occupancy: 10.0, registers: 32})
        second = kernel(10, raw={read: 50, occupancy: 50.0, registers: 64})
        second.kernel_id = "k_00001"
        found = aggregate.aggregated([first, second])
        self.assertEqual((found.total_duration_ns, found.kernel_count, found.dominant_kernel_id), (40, 2, "k_00000"))
        self.assertEqual((found.total_dram_bytes_read, found.achieved_occupancy, found.registers_per_thread), (150, 20.0, 64))
        self.assertEqual((found.l1_hit_rate, found.total_dram_bytes_written, found.total_executed_instructions), (None, None, 0))

    def test_means_leave_out_kernels_without_the_counter(self):
        rate = "l1tex__t_sector_hit_rate.pct"
        for absent in ({}, {rate: "n/a"}, {rate: None}):
            self.assertEqual(aggregate.aggregated([kernel(10, raw={rate: 40.0}), kernel(1000, raw=absent)]).l1_hit_rate, 40.0)

    def test_kernels_without_a_duration(self):
        rate = "l1tex__t_sector_hit_rate.pct"
        self.assertEqual(aggregate.aggregated([kernel(0, raw={rate: 40.0}), kernel(0, raw={rate: 20.0})]).l1_hit_rate, 30.0)
        nothing = aggregate.aggregated([])
        self.assertEqual((nothing.total_duration_ns, nothing.kernel_count, nothing.dominant_kernel_id, nothing.l1_hit_rate), (0, 0, None, None))

    def test_the_best_spelling_counts_and_only_once(self):
        raw = {"fbpa__dram_read_bytes.sum": 7, "dram__bytes_op_read.sum": 5}
        self.assertEqual(aggregate.aggregated([kernel(1, raw=raw), kernel(1, raw={"fbpa__dram_read_bytes.sum": 7})]).total_dram_bytes_read, 12)

    def test_units_make_bytes(self):
        factors = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "byte/block": 1, "Kbyte/block": 1e3, "%": None, "": None, None: None}
        for unit, factor in factors.items():
            self.assertEqual(aggregate.factor_to_bytes(unit), factor, unit)
        found = aggregate.aggregated([kernel(1, raw={"dram__bytes_read.sum": 2.5})], {"dram__bytes_read.sum": "Kbyte"})
        self.assertEqual(found.total_dram_bytes_read, 2500)

    def profile_of(self, kernels, units=None, **in_file):
        value = OperatorAttributedProfile.from_dict(small())
        value.units = units
        value.operators[0].kernels = kernels
        value.operators[0].aggregated = aggregate.aggregated(kernels, units)
        for name, number in in_file.items():
            setattr(value.operators[0].aggregated, name, number)
        return value.check_aggregates()

    def test_files_with_units_weight_hit_rates_by_accesses(self):
        hits, accesses = "lts__t_sector_hit_rate.pct", "lts__t_sectors.sum"
        kernels = [kernel(10, raw={hits: 50, accesses: 1}), kernel(30, raw={hits: 90, accesses: 3})]
        units = {hits: "%", accesses: "sector"}
        self.assertEqual(aggregate.aggregated(kernels, units).l2_hit_rate, (50 * 1 + 90 * 3) / 4)
        self.assertEqual(aggregate.aggregated(kernels).l2_hit_rate, (50 * 10 + 90 * 30) / 40, "1.0 weights by duration")
        kernels[0].metrics.raw[accesses] = "n/a"
        self.assertEqual(aggregate.aggregated(kernels, units).l2_hit_rate, (50 * 10 + 90 * 30) / 40, "one kernel has no accesses")

    def test_files_with_units_have_no_counters_where_a_part_was_measured(self):
        name = "smsp__inst_executed.sum"
        kernels = [kernel(79, raw={name: 5}), kernel(21)]
        self.assertIsNone(aggregate.aggregated(kernels, {name: "inst"}).total_executed_instructions)
        self.assertEqual(aggregate.aggregated(kernels).total_executed_instructions, 5)
        kernels[0].duration_ns = 84
        self.assertEqual(aggregate.aggregated(kernels, {name: "inst"}).total_executed_instructions, 5)

    def test_what_follows_is_reproduced(self):
        report = self.profile_of([kernel(10, raw={"dram__bytes_read.sum": 3})])
        self.assertEqual((report.differences(), report.caveats), ([], []))
        self.assertEqual(report.reproduced(), len(report.checks))

    def test_why_a_value_does_not_follow(self):
        both = {"lts__t_sector_hit_rate.pct": 80.0, "lts__t_request_hit_rate.pct": 60.0}
        for report, member, reason in (
            (self.profile_of([kernel(10, raw=both)], l2_hit_rate=60.0), "l2_hit_rate", "other_metric"),
            (self.profile_of([kernel(10, raw=both)], l2_hit_rate=61.0), "l2_hit_rate", "unexplained"),
            (self.profile_of([kernel(10)], total_duration_ns=11), "total_duration_ns", "unexplained"),
            (
                self.profile_of([kernel(10, raw={"dram__bytes_read.sum": 3})], {"dram__bytes_read.sum": "Kbyte"}, total_dram_bytes_read=3),
                "total_dram_bytes_read",
                "units_ignored",
            ),
        ):
            self.assertEqual([(one.member, one.reason) for one in report.differences()], [(member, reason)])
            self.assertIn(aggregate.REASONS[reason], report.summary())

    def test_what_is_wrong_with_values_that_follow(self):
        share, read = "dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram__bytes_read.sum"
        for kernels, kinds in (
            ([kernel(10, raw={read: 3}), kernel(10)], ["missing_rows"]),
            ([kernel(10)], ["no_counters"]),
            ([kernel(10, raw={read: 3.5})], ["scaled_unit"]),
            ([kernel(1000, raw={read: 700.25, share: 40.0}), kernel(1000, raw={read: 1.5, share: 50.0})], ["scaled_unit", "mixed_units"]),
        ):
            report = self.profile_of(kernels)
            self.assertEqual([one.kind for one in report.caveats], kinds)
            self.assertEqual(report.differences(), [])
            self.assertIn(aggregate.CAVEATS[kinds[0]], report.summary())


class CheckProfile(SdkTest):
    def said(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = check_profile.main([str(one) for one in arguments])
        return code, out.getvalue(), err.getvalue()

    def test_says_what_follows_and_names_files_that_it_cannot_read(self):
        good, wrong = self.folder / "good.json", self.folder / "wrong.json"
        value = small()
        value["operators"][0]["aggregated"]["registers_per_thread"] = 30
        good.write_text(json.dumps(value))
        self.assertEqual(self.said(good), (0, f"{good}: 22 of 22 aggregates follow from the kernels of the file\n", ""))
        value["operators"][0]["aggregated"]["kernel_count"] = 2
        wrong.write_text(json.dumps(value))
        self.assertEqual(self.said(good, wrong)[0], 1)
        wrong.write_text("{}")
        code, out, err = self.said(wrong, good)
        self.assertEqual((code, err), (2, f"{wrong}: $.schema_version is missing\n"))
        self.assertIn("22 of 22", out)
        self.assertEqual((self.said()[0], self.said("--help")[0]), (2, 2))

    def test_the_metrics_of_the_documentation_are_those_of_the_aggregates(self):
        page = (REPOSITORY / "docs/operators.md").read_text()
        block = next(one for one in page.split("```") if "gpu__time_duration.sum," in one)
        documented = set(block.replace("\n", "").split(","))
        self.assertEqual(documented - {name for rule in aggregate.RULES.values() for name in rule.names}, {"gpu__time_duration.sum"})
        for name, rule in aggregate.RULES.items():
            self.assertTrue(documented.intersection(rule.names), name)


@unittest.skipIf(not REAL, "no corpus of real profiles: set FRX_CORPUS to its folder")
class RealProfiles(SdkTest):
    def test_are_read_and_come_back_byte_by_byte(self):
        for path in REAL:
            read = OperatorAttributedProfile.load(path)
            self.assertEqual(read.to_json(), path.read_text().rstrip("\n"), path)
            self.assertEqual(violations(read.to_dict(), SCHEMAS["profile"]), [], path)
            self.assertEqual(read.extra, {})

    def test_aggregates_follow_from_kernels_but_for_the_hit_rate_of_l2(self):
        for path in REAL:
            report = OperatorAttributedProfile.load(path).check_aggregates()
            self.assertEqual({(one.member, one.reason) for one in report.differences()}, {("l2_hit_rate", "other_metric")}, path)

    def test_sizes_are_in_units_that_the_files_do_not_say(self):
        for path in REAL:
            kinds = {one.kind for one in OperatorAttributedProfile.load(path).check_aggregates().caveats}
            self.assertIn("scaled_unit", kinds, path)


if __name__ == "__main__":
    unittest.main()
