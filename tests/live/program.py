"""A stand-in for a training program: `program.py STEPS SECONDS [CODE]` ends STEPS steps in SECONDS and writes them as the SDK does."""

import json
import os
import sys
import time

steps, seconds, code = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0


def event(number, **payload):
    return json.dumps({"event_type": "step_end", "step_id": number, "span_id": f"s{number}", "timestamp_ns": time.monotonic_ns(),
                       "duration_ns": 20_000_000, "payload": {"step_kind": "train", "status": "ok", **payload}}) + "\n"


begin = time.monotonic()
with open(os.environ["FRX_RAW_TRACE_PATH"], "a", buffering=1, encoding="utf-8") as trace:
    for i in range(steps):
        time.sleep(max(0.0, begin + (i + 1) * seconds / steps - time.monotonic()))
        trace.write(event(i))
        trace.write(event(i, loss=1.5))  # the SDK writes a step again when it knows the loss
    trace.write("no event\n" + event(steps, status="error") + event(steps + 1, status="something else", step_kind="x" * 5000))
print(f"took {time.monotonic() - begin:.3f}")
sys.exit(code)
