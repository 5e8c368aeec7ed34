"""Settings: keyword before environment before default, and paths that do not depend on the folder."""

import os
import unittest

import fournex
from fournex import config
from support import SdkTest


class Settings(unittest.TestCase):
    def test_a_keyword_beats_the_environment_which_beats_the_default(self):
        variables = {"FRX_JOB_NAME": "from-environment", "FRX_SAMPLE_INTERVAL_MS": "250"}
        self.assertEqual(config.resolve({}, {})["job_name"], "unknown-job")
        self.assertEqual(config.resolve({}, variables)["job_name"], "from-environment")
        self.assertEqual(config.resolve({"job_name": "given"}, variables)["job_name"], "given")
        self.assertEqual(config.resolve({}, variables)["sample_interval_ms"], 250)
        self.assertEqual(config.resolve({"sample_interval_ms": 50}, variables)["sample_interval_ms"], 50)

    def test_defaults_are_the_documented_ones(self):
        settings = config.resolve({}, {})
        self.assertEqual(settings["sample_interval_ms"], 1000)
        self.assertRegex(settings["run_id"], "^run-[0-9a-f]{12}$")
        self.assertEqual(settings["output_dir"], os.path.abspath("traces"))
        self.assertEqual(settings["raw_trace_path"], os.path.abspath(f"traces/{settings['run_id']}.jsonl"))
        self.assertEqual(settings["derived_summary_path"], os.path.abspath(f"traces/{settings['run_id']}_summary.json"))

    def test_relative_paths_are_made_absolute_at_once(self):
        self.assertEqual(config.resolve({}, {"FRX_RAW_TRACE_PATH": "a/b.jsonl"})["raw_trace_path"], os.path.abspath("a/b.jsonl"))

    def test_a_variable_that_is_no_number_counts_as_not_set(self):
        for text in ("", "soon", "-5", "0"):
            self.assertEqual(config.resolve({}, {"FRX_SAMPLE_INTERVAL_MS": text})["sample_interval_ms"], 1000)

    def test_streaming_follows_keyword_variable_and_auto_persist(self):
        def streams(given=None, **environment):
            return config.resolve({} if given is None else {"stream_trace": given}, environment)["stream_trace"]

        self.assertFalse(streams())
        self.assertTrue(streams(FRX_AUTO_PERSIST="1"))
        self.assertTrue(streams(FRX_STREAM_TRACE="yes"))
        for off in ("0", "", "false", "False"):
            self.assertFalse(streams(FRX_STREAM_TRACE=off, FRX_AUTO_PERSIST="1"))
        self.assertFalse(streams(False, FRX_STREAM_TRACE="1"))


class Init(SdkTest):
    def test_a_misspelt_keyword_is_an_error_that_names_it(self):
        with self.assertRaisesRegex(TypeError, "jobname"):
            fournex.init(jobname="x")

    def test_returns_the_settings_in_force(self):
        settings = self.start(job_name="mine")
        self.assertEqual(settings["job_name"], "mine")
        self.assertTrue(settings["active"])
        self.assertEqual(settings["trace_path"], str(self.trace))
        self.assertEqual(fournex.get_runtime_config(), settings)

    def test_a_new_run_writes_its_own_file_and_numbers_its_steps_anew(self):
        self.start()
        with fournex.step_context(5):
            pass
        second = self.folder / "second.jsonl"
        self.start(raw_trace_path=str(second))
        with fournex.step_context(0) as step:
            self.assertEqual(step["step_id"], 0)
        self.assertEqual(len(self.recorded()), 3)
        self.assertEqual(len(fournex.load_run_record(str(second))), 3)

    def test_the_same_file_again_is_begun_anew(self):
        for _ in range(2):
            self.start()
        self.assertEqual(len(self.recorded()), 1)


if __name__ == "__main__":
    unittest.main()
