"""A real PyTorch training loop on the CPU, its loader slow on purpose: every wait belongs to the step that used the batch."""

import unittest

from support import SdkTest, collected, events_in, needs_torch, of_type, run

EPOCHS, BATCHES, BATCH, DELAY_MS = 2, 4, 3, 10

TRAIN = f"""
    import time
    import torch
    from torch.utils.data import DataLoader, Dataset
    import fournex as frx

    class Slow(Dataset):
        def __len__(self):
            return {BATCHES * BATCH}
        def __getitem__(self, index):
            DECODE
            time.sleep({DELAY_MS / 1000})
            return torch.full((16,), float(index)), index % 2

    if __name__ == "__main__":
        torch.manual_seed(0)
        torch.set_num_threads(1)
        model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        loader = frx.instrument_dataloader(DataLoader(Slow(), batch_size={BATCH}, num_workers=WORKERS))
        for epoch in range({EPOCHS}):
            for step, (x, y) in enumerate(loader):
                with frx.step_context(step=step, batch={{"x": x, "y": y}}, model=model, epoch=epoch) as current:
                    optimizer.zero_grad()
                    with frx.phase("forward"):
                        loss = torch.nn.functional.cross_entropy(model(x), y)
                    with frx.phase("backward"):
                        loss.backward()
                    with frx.phase("optimizer"):
                        optimizer.step()
                    current.set_loss(loss)
                    current.set_items(len(x))
"""


@needs_torch
class TrainingLoop(SdkTest):
    def trained(self, workers, decode="pass"):
        run(TRAIN.replace("WORKERS", str(workers)).replace("DECODE", decode), collected(self.trace), self.folder)
        return events_in(self.trace)

    def check(self, recorded, workers):
        steps = list(range(EPOCHS * BATCHES))
        begins, ends = of_type(recorded, "step_start"), of_type(recorded, "step_end")
        self.assertEqual([event["step_id"] for event in begins], steps)
        self.assertEqual([event["step_id"] for event in ends], steps)
        waits = of_type(recorded, "dataloader_span", stage="next")
        self.assertEqual([event["step_id"] for event in waits], steps)
        self.assertEqual({event["payload"]["num_workers"] for event in waits}, {workers})
        for name in ("forward", "backward", "optimizer"):
            spans = of_type(recorded, "phase_span", phase_name=name)
            self.assertEqual([event["step_id"] for event in spans if event["duration_ns"]], steps)
        for event in ends:
            self.assertIsInstance(event["payload"]["loss"], float)
            self.assertGreater(event["payload"]["throughput_items_per_sec"], 0)
        shapes = {str(event["payload"]["shapes"]) for event in of_type(recorded, "shape_snapshot")}
        self.assertEqual(shapes, {str({"batch.x": [BATCH, 16], "batch.y": [BATCH]})})
        self.assertEqual(of_type(recorded, "system_info")[0]["payload"]["pytorch_version"][0].isdigit(), True)
        return waits

    def test_without_workers_each_step_waits_for_its_whole_batch(self):
        for wait in self.check(self.trained(0), 0):
            self.assertGreaterEqual(wait["duration_ns"], BATCH * DELAY_MS * 1e6)

    def test_workers_leave_the_trace_to_the_parent(self):
        waits = self.check(self.trained(2), 2)
        # The first batch of an epoch is not ahead of anybody: all of it is waited for.
        self.assertGreaterEqual(waits[0]["duration_ns"], BATCH * DELAY_MS * 1e6)
        self.assertEqual([path.name for path in self.trace.parent.iterdir()], ["trace.jsonl"])

    def test_spans_in_workers_go_to_files_of_their_own(self):
        recorded = self.trained(2, decode='with frx.phase("decode"): pass')
        self.check(recorded, 2)
        self.assertEqual(of_type(recorded, "phase_span", phase_name="decode"), [])
        workers = [events_in(path) for path in self.trace.parent.glob("trace.pid*.jsonl")]
        self.assertEqual(len(workers), 2 * EPOCHS)
        decoded = sum(len(of_type(one, "phase_span", phase_name="decode")) for one in workers)
        self.assertEqual(decoded, 2 * EPOCHS * BATCHES * BATCH)


@needs_torch
class LoadersOfPyTorch(SdkTest):
    def test_a_loader_that_a_framework_holds_is_measured_in_place(self):
        program = """
            import torch
            from torch.utils.data import DataLoader, TensorDataset
            import fournex as frx
            if __name__ == "__main__":
                loader = DataLoader(TensorDataset(torch.arange(8)), batch_size=2, num_workers=2, persistent_workers=True)
                assert frx.instrument_in_place(loader) and isinstance(loader, DataLoader) and len(loader) == 4
                for epoch in range(2):
                    assert [batch[0].tolist() for batch in loader] == [[0, 1], [2, 3], [4, 5], [6, 7]]
        """
        run(program, collected(self.trace), self.folder)
        waits = of_type(events_in(self.trace), "dataloader_span", stage="next")
        self.assertEqual([wait["payload"]["batch_size"] for wait in waits], [2] * 8)


if __name__ == "__main__":
    unittest.main()
