"""Many threads: no event is lost, and each thread has its own step."""

import threading
import unittest

import fournex
from support import SdkTest, of_type


def in_threads(count, work):
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


class Threads(SdkTest):
    def test_no_event_of_any_thread_is_lost(self):
        self.start()

        def work(_):
            for _ in range(200):
                with fournex.step_context(), fournex.phase("forward"):
                    pass

        in_threads(8, work)
        recorded = self.recorded()
        ends = of_type(recorded, "step_end")
        self.assertEqual(sorted(event["step_id"] for event in ends), list(range(1600)))
        self.assertEqual(len(of_type(recorded, "phase_span")), 3200)
        self.assertEqual(len({event["tid"] for event in ends}), 8)

    def test_a_phase_belongs_to_the_step_of_its_own_thread(self):
        self.start()
        both_open = threading.Barrier(2)

        def work(_):
            with fournex.step_context() as step:
                both_open.wait(10)
                with fournex.phase(f"of-{step['step_id']}"):
                    pass

        in_threads(2, work)
        for event in of_type(self.recorded(), "phase_span"):
            self.assertEqual(event["payload"]["phase_name"], f"of-{event['step_id']}")

    def test_waits_of_a_thread_that_only_fetches_are_not_blamed_on_a_step(self):
        self.start()
        in_threads(1, lambda _: list(fournex.instrument_dataloader(range(3))))
        with fournex.step_context(0):
            pass
        waits = of_type(self.recorded(), "dataloader_span", stage="next")
        self.assertEqual({event["step_id"] for event in waits} - {None}, set())


if __name__ == "__main__":
    unittest.main()
