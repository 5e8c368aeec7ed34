"""What a program takes from `frx tune`, and tells it: the settings of a trial, and whether the results are still right.

    import fournex.tune

    knobs = fournex.tune.Knobs.from_env(batch_size=32, num_workers=0)     # the program's own values; those of a trial replace them
    loader = DataLoader(dataset, **knobs.loader_arguments())
    model = knobs.compile(model)
    fournex.tune.check_output(model(probe), "logits")                     # before the first step, with fixed weights and inputs
    for step, batch in enumerate(knobs.steps(loader)):                    # ends at the last step that the trial wants
        with fournex.step_context(step=step, batch=batch) as current:
            with knobs.autocast("cuda"):
                loss = model(batch)
            current.set_loss(loss)
    fournex.tune.report_quality(validation_loss=evaluate(model))

``frx tune -- python train.py`` starts such a program several times and sets the variables ``FRX_*`` (docs/sdk.md). Without them the values of
the program hold, every call costs next to nothing, and nothing is written. PyTorch is imported when the program asks for something of
it, and never before.
"""

from .knobs import Knobs
from .outputs import check_output
from .quality import report_quality

__all__ = ["Knobs", "check_output", "report_quality"]
