"""Layout plans for PyTorch: applied when a variable of the environment names one, and taken back without a trace.

    import fournex.layout

    fournex.layout.seed()                      # before the model is made, so that both sides of a trial begin equal
    model = make_model()
    with fournex.layout.Trial(model) as trial:  # applies the plan of FRX_LAYOUT_PLAN, if there is one
        for batch, target in loader:
            with trial.window(items=len(batch)):
                loss = step(batch, target)
            trial.loss(loss)
            if trial.enough:
                break
        trial.output(model(probe))

``frx layout trial --plan plan.json -- python train.py`` starts such a program several times, with and without the plan. Outside of a trial every call
costs next to nothing and writes nothing. A program that only wants the plan calls ``fournex.layout.apply(model)``. PyTorch is imported when
a model is handed over, and never before.
"""

from .applied import Applied, apply
from .plan import Change, Plan, PlanError, plan_in_environment, read_plan
from .trial import Trial, seed

__all__ = ["Applied", "Change", "Plan", "PlanError", "Trial", "apply", "plan_in_environment", "read_plan", "seed"]
