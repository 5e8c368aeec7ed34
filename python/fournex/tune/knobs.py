"""The settings of a run: those of the trial where `frx tune` names them, else the program's own."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, TypeVar

from .variables import choice, switch, whole_number, word

AMP_DTYPES = ("bfloat16", "float16")
GRAPHS = "try_if_static_shapes"

Item = TypeVar("Item")


@dataclasses.dataclass(frozen=True)
class Knobs:
    """Made by `from_env`. What a trial does not name is as the program gave it.

    batch_size          samples a step
    num_workers         processes of the DataLoader; 0: the program itself loads
    pin_memory          whether batches are put into page-locked memory
    prefetch_factor     batches that each worker prepares ahead; None: as PyTorch has it
    persistent_workers  whether workers are kept between epochs
    amp_dtype           "bfloat16", "float16" or None: the type that `autocast` computes in
    torch_compile       whether `compile` compiles
    compile_mode        the mode of torch.compile, such as "reduce-overhead"; None: the default one
    cuda_graphs         whether the program should capture its step into a CUDA graph, provided that all of its shapes are fixed
    warmup_steps, measure_steps, max_steps, repeat_count
                        steps that are not measured, steps that are, their sum, and runs of each configuration; None without frx tune
    """

    batch_size: int = 32
    num_workers: int = 0
    pin_memory: bool = False
    prefetch_factor: Optional[int] = None
    persistent_workers: bool = False
    amp_dtype: Optional[str] = None
    torch_compile: bool = False
    compile_mode: Optional[str] = None
    cuda_graphs: bool = False
    warmup_steps: Optional[int] = None
    measure_steps: Optional[int] = None
    max_steps: Optional[int] = None
    repeat_count: Optional[int] = None
    _begun: List[int] = dataclasses.field(default_factory=lambda: [0], init=False, repr=False, compare=False)  # steps that `steps` gave out
    _checked: set = dataclasses.field(default_factory=set, init=False, repr=False, compare=False)  # devices whose autocast is known to work

    @classmethod
    def from_env(
        cls,
        batch_size: int = 32,
        num_workers: int = 0,
        pin_memory: bool = False,
        prefetch_factor: Optional[int] = None,
        persistent_workers: bool = False,
        amp_dtype: Optional[str] = None,
        torch_compile: bool = False,
        compile_mode: Optional[str] = None,
        cuda_graphs: bool = False,
        environment: Mapping[str, str] = os.environ,
    ) -> "Knobs":
        """The settings given here, replaced by those of the variables that are set.

        Raises ValueError, which names the variable, for a value that cannot be read.
        """
        named = {
            "batch_size": whole_number(environment, "FRX_BATCH_SIZE", 1),
            "num_workers": whole_number(environment, "FRX_NUM_WORKERS", 0),
            "pin_memory": switch(environment, "FRX_PIN_MEMORY"),
            "prefetch_factor": whole_number(environment, "FRX_PREFETCH_FACTOR", 1),
            "persistent_workers": switch(environment, "FRX_PERSISTENT_WORKERS"),
            "amp_dtype": choice(environment, "FRX_AMP_DTYPE", AMP_DTYPES),
            "torch_compile": switch(environment, "FRX_TORCH_COMPILE"),
            "compile_mode": word(environment, "FRX_TORCH_COMPILE_MODE"),
            "cuda_graphs": _graphs(environment),
            "warmup_steps": whole_number(environment, "FRX_TUNE_WARMUP_STEPS", 0),
            "measure_steps": whole_number(environment, "FRX_TUNE_MEASURE_STEPS", 1),
            "max_steps": whole_number(environment, "FRX_TUNE_MAX_STEPS", 0) or None,
            "repeat_count": whole_number(environment, "FRX_TUNE_REPEAT_COUNT", 1),
        }
        own = cls(batch_size, num_workers, pin_memory, prefetch_factor, persistent_workers, amp_dtype, torch_compile, compile_mode, cuda_graphs)
        return dataclasses.replace(own, **{name: value for name, value in named.items() if value is not None})

    # -- the loader --------------------------------------------------------------------------------------------------

    def loader_arguments(self) -> Dict[str, Any]:
        """Keyword arguments of torch.utils.data.DataLoader, which every version takes: what concerns workers only where there are some.

        With a batch_sampler of the program's own, take "batch_size" out.
        """
        arguments: Dict[str, Any] = {"batch_size": self.batch_size, "num_workers": self.num_workers, "pin_memory": self.pin_memory}
        if self.num_workers > 0:
            arguments["persistent_workers"] = self.persistent_workers
            if self.prefetch_factor is not None:
                arguments["prefetch_factor"] = self.prefetch_factor
        return arguments

    # -- precision and compilation -----------------------------------------------------------------------------------

    @property
    def needs_grad_scaler(self) -> bool:
        """Whether gradients may become 0 unless the loss is scaled: ``torch.cuda.amp.GradScaler(enabled=knobs.needs_grad_scaler)``."""
        return self.amp_dtype == "float16"

    def autocast(self, device_type: str = "cuda") -> Any:
        """A context manager: torch.autocast in `amp_dtype`, or one that does nothing where that is None.

        Raises RuntimeError where PyTorch cannot. Most versions would only warn and compute as before, and the trial would measure the baseline
        under another name.
        """
        if self.amp_dtype is None:
            return contextlib.nullcontext()
        import torch

        dtype = getattr(torch, self.amp_dtype)
        if device_type not in self._checked:
            if not _autocast_works(torch, device_type, dtype):
                raise RuntimeError(f"FRX_AMP_DTYPE={self.amp_dtype}: PyTorch {torch.__version__} has no autocast to it on {device_type} here")
            self._checked.add(device_type)
        return torch.autocast(device_type, dtype=dtype)

    def compile(self, model: Any, **keywords: Any) -> Any:
        """`model`, compiled by torch.compile where `torch_compile` is set; `keywords` are passed on to it.

        Raises RuntimeError where PyTorch has no torch.compile.
        """
        if not self.torch_compile:
            return model
        import torch

        if not hasattr(torch, "compile"):
            raise RuntimeError(f"FRX_TORCH_COMPILE: PyTorch {torch.__version__} has no torch.compile; it came with 2.0")
        if self.compile_mode is not None:
            keywords["mode"] = self.compile_mode
        return torch.compile(model, **keywords)

    # -- the end -----------------------------------------------------------------------------------------------------

    def is_done(self, step: Optional[int] = None) -> bool:
        """Whether the trial wants no step number `step`, counted from 0 over all epochs; without a number, none after those of `steps`.

        Always False without frx tune.
        """
        return self.max_steps is not None and (self._begun[0] if step is None else step) >= self.max_steps

    def steps(self, batches: Iterable[Item]) -> Iterator[Item]:
        """The items of `batches`, until the trial has had all of its steps; nothing is fetched after that.

        Calls count on, so that a loop over epochs ends as well. Data that end earlier are not repeated.
        """
        if self.is_done():
            return
        for batch in batches:
            self._begun[0] += 1
            yield batch
            if self.is_done():
                return


def _graphs(environment: Mapping[str, str]) -> Optional[bool]:
    found = choice(environment, "FRX_CUDA_GRAPHS", (GRAPHS, "0"))
    return None if found is None else found == GRAPHS


def _autocast_works(torch: Any, device_type: str, dtype: Any) -> bool:
    try:
        with torch.autocast(device_type, dtype=dtype):
            return _is_autocast_on(torch, device_type)
    except RuntimeError:  # some versions raise where others warn
        return False


def _is_autocast_on(torch: Any, device_type: str) -> bool:
    try:
        return bool(torch.is_autocast_enabled(device_type))
    except TypeError:  # before PyTorch 2.4 there was a function for each kind of device
        return bool(torch.is_autocast_cpu_enabled() if device_type == "cpu" else torch.is_autocast_enabled())
