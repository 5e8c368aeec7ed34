"""The callbacks for Hugging Face and Lightning, against stand-ins for those packages.

The stand-ins call the callbacks in the order in which the real trainers do; whether the real ones still do, only the real ones
can show: they are not part of Debian.
"""

import importlib
import sys
import types
import unittest
from unittest import mock

import fournex
from support import SdkTest, clean_environment, of_type, run


class Loader:
    """A loader of three batches, as both trainers hold one."""

    def __iter__(self):
        return iter([10, 20, 30])


def stand_in(**modules):
    """Modules by their names with the attributes given, in place of the real packages, and our module imported anew."""
    made = {}
    for name, attributes in modules.items():
        module = types.ModuleType(name.replace("__", "."))
        module.__dict__.update(attributes)
        made[module.__name__] = module
    return mock.patch.dict(sys.modules, made)


def callback_of(name):
    full = "fournex.integrations." + name
    sys.modules.pop(full, None)
    try:
        return importlib.import_module(full).FournexCallback()
    finally:
        sys.modules.pop(full, None)


class Fetcher:
    """What Lightning holds while it trains: an iterator over its loaders that is made before any callback runs."""

    def __init__(self, loader):
        self._inner = iter(loader)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._inner)


class HuggingFace(SdkTest):
    def train(self, callback, loader):
        """One epoch with two batches per optimizer step, as Trainer._inner_training_loop goes."""
        args, control = object(), object()
        state = types.SimpleNamespace(global_step=0)
        callback.on_train_begin(args, state, control, train_dataloader=loader, model=None)
        for number, _ in enumerate(loader):
            if number % 2 == 0:
                callback.on_step_begin(args, state, control)
            if number % 2 == 1:
                callback.on_pre_optimizer_step(args, state, control)
                callback.on_optimizer_step(args, state, control)
                state.global_step += 1
                callback.on_step_end(args, state, control)
        callback.on_train_end(args, state, control)

    def test_records_steps_optimizer_and_waits(self):
        self.start()
        with stand_in(transformers={"TrainerCallback": object}):
            self.train(callback_of("huggingface"), Loader())
        recorded = self.recorded()
        self.assertEqual([event["step_id"] for event in of_type(recorded, "step_end")], [0, 1])
        optimizer = [event for event in of_type(recorded, "phase_span", phase_name="optimizer") if event["duration_ns"]]
        self.assertEqual([event["step_id"] for event in optimizer], [0])
        waits = of_type(recorded, "dataloader_span", stage="next", loader_name="train")
        self.assertEqual([event["step_id"] for event in waits], [0, 0, 1])

    def test_is_silent_while_recording_is_off(self):
        before = len(fournex.get_local_events())
        with stand_in(transformers={"TrainerCallback": object}):
            self.train(callback_of("huggingface"), Loader())
        self.assertEqual(len(fournex.get_local_events()), before)


class Lightning(SdkTest):
    def train(self, callback, loader, fail_at=None, with_fetcher=True):
        """One epoch of automatic optimization, as the fit loop goes, and a validation batch."""
        trainer = types.SimpleNamespace(train_dataloader=types.SimpleNamespace(flattened=[loader]), current_epoch=4)
        if with_fetcher:
            trainer.fit_loop = types.SimpleNamespace(_data_fetcher=Fetcher(loader))
            loader = trainer.fit_loop._data_fetcher
        module = types.SimpleNamespace(training=True)
        callback.on_train_epoch_start(trainer, module)
        for number, batch in enumerate(loader):
            callback.on_train_batch_start(trainer, module, batch, number)
            if number == fail_at:
                callback.on_exception(trainer, module, ValueError("in training_step"))
                return
            callback.on_before_backward(trainer, module, 0.5)
            callback.on_after_backward(trainer, module)
            callback.on_before_optimizer_step(trainer, module, None)
            callback.on_train_batch_end(trainer, module, None, batch, number)
        callback.on_validation_batch_start(trainer, module, 1, 0)
        callback.on_validation_batch_end(trainer, module, None, 1, 0)
        callback.on_train_end(trainer, module)

    def recorded_of(self, package, fail_at=None, with_fetcher=True):
        self.start()
        names = {"lightning": {}, "lightning__pytorch": {}, "lightning__pytorch__callbacks": {"Callback": object}}
        if package == "pytorch_lightning":
            names = {"pytorch_lightning": {}, "pytorch_lightning__callbacks": {"Callback": object}}
        with stand_in(**names):
            self.train(callback_of("lightning"), Loader(), fail_at, with_fetcher)
        return self.recorded()

    def test_records_steps_phases_losses_and_waits(self):
        for package, with_fetcher in (("lightning", True), ("pytorch_lightning", True), ("lightning", False)):
            recorded = self.recorded_of(package, with_fetcher=with_fetcher)
            ends = of_type(recorded, "step_end", step_kind="train")
            self.assertEqual([event["step_id"] for event in ends], [0, 1, 2])
            self.assertEqual({event["payload"]["loss"] for event in ends}, {0.5})
            self.assertEqual({event["payload"]["epoch"] for event in ends}, {4})
            for name in ("forward", "backward", "optimizer"):
                spans = of_type(recorded, "phase_span", phase_name=name)
                self.assertEqual([event["step_id"] for event in spans if event["duration_ns"]], [0, 1, 2], name)
            waits = of_type(recorded, "dataloader_span", stage="next")
            self.assertEqual([event["step_id"] for event in waits], [0, 1, 2])
            self.assertEqual([event["step_id"] for event in of_type(recorded, "step_end", step_kind="eval")], [3])

    def test_an_exception_ends_the_step_with_its_status(self):
        recorded = self.recorded_of("lightning", fail_at=1)
        self.assertEqual([event["payload"]["status"] for event in of_type(recorded, "step_end")], ["ok", "error"])


class WithoutFrameworks(SdkTest):
    def test_the_package_imports_neither(self):
        program = """
            import sys
            import fournex, fournex.integrations
            for name in ("transformers", "lightning", "pytorch_lightning", "torch"):
                assert name not in sys.modules, name
        """
        run(program, clean_environment(), self.folder)


if __name__ == "__main__":
    unittest.main()
