"""A stand-in for a collector of OpenTelemetry: it takes POST /v1/metrics and checks each request against the shapes of OTLP's JSON."""

import http.server
import json
import re
import threading
import time

U64 = re.compile(r"[0-9]{1,20}")
KNOWN_UNITS = {"hw.gpu.utilization": "1", "hw.gpu.memory.usage": "By", "hw.gpu.memory.limit": "By", "hw.power": "W", "hw.temperature": "Cel",
               "frx.run.steps": "{step}", "frx.run.step.duration": "s"}


def only(value, required, optional=()):
    """`value` is an object that has these members and no others."""
    assert isinstance(value, dict), value
    assert set(required) <= set(value) <= set(required) | set(optional), sorted(value)
    return value


def text(value):
    assert isinstance(value, str) and value, value
    return value


def whole(value):
    assert isinstance(value, str) and U64.fullmatch(value) and int(value) < 2**64, value
    return int(value)


def number(value):
    assert isinstance(value, (int, float)) and not isinstance(value, bool), value
    return float(value)


def attributes(values):
    found = {}
    assert isinstance(values, list)
    for one in values:
        only(one, ["key", "value"])
        assert isinstance(one["value"], dict) and len(one["value"]) == 1, one
        (kind, value), = one["value"].items()
        found[text(one["key"])] = whole(value) if kind == "intValue" else text(value)
        assert kind in ("intValue", "stringValue"), kind
    assert len(found) == len(values), "an attribute twice"
    return found


def points_of(metric):
    kind, = set(metric) - {"name", "unit"}
    data = metric[kind]
    if kind == "gauge":
        only(data, ["dataPoints"])
    else:
        only(data, ["dataPoints", "aggregationTemporality"], ["isMonotonic"] if kind == "sum" else [])
        assert data["aggregationTemporality"] == 2
        assert kind == "histogram" or isinstance(data["isMonotonic"], bool)
    assert data["dataPoints"], "a metric without a point"
    for point in data["dataPoints"]:
        common = ["attributes", "startTimeUnixNano", "timeUnixNano"]
        if kind == "histogram":
            only(point, [*common, "count", "sum", "bucketCounts", "explicitBounds"])
            counts = [whole(one) for one in point["bucketCounts"]]
            assert sum(counts) == whole(point["count"]) and len(counts) == len(point["explicitBounds"]) + 1
            assert point["explicitBounds"] == sorted(point["explicitBounds"])
            value = whole(point["count"])
        else:
            assert kind in ("gauge", "sum"), kind
            only(point, common, ["asInt", "asDouble"])
            assert ("asInt" in point) != ("asDouble" in point)
            value = whole(point["asInt"]) if "asInt" in point else number(point["asDouble"])
        assert 0 < whole(point["startTimeUnixNano"]) <= whole(point["timeUnixNano"]) < (time.time() + 60) * 1e9
        yield attributes(point["attributes"]), value, point


def checked(body):
    """{metric: [(attributes, value)]} and the attributes of the resource."""
    only(body, ["resourceMetrics"])
    resource, = body["resourceMetrics"]
    only(resource, ["resource", "scopeMetrics"])
    only(resource["resource"], ["attributes"])
    scope, = resource["scopeMetrics"]
    only(scope, ["scope", "metrics"])
    only(scope["scope"], ["name", "version"])
    metrics = {}
    for metric in scope["metrics"]:
        assert text(metric["name"]) not in metrics, "a metric twice"
        assert metric["unit"] == KNOWN_UNITS.get(metric["name"], metric["unit"])
        metrics[metric["name"]] = [(its, value) for its, value, _ in points_of(metric)]
    return metrics, attributes(resource["resource"]["attributes"])


class Collector(http.server.ThreadingHTTPServer):
    """Answers with the statuses of a list in turn, the last one again and again. None: never."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, statuses=(200,), port=0, body=b"{}"):
        super().__init__(("127.0.0.1", port), Handler)
        self.statuses, self.body = list(statuses), body
        self.taken, self.wrong, self.headers, self.requests = [], [], [], 0
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def kill(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            status = self.server.statuses[min(self.server.requests, len(self.server.statuses) - 1)]
            self.server.requests += 1
            self.server.headers.append(dict(self.headers))
            try:
                assert self.path == "/v1/metrics", self.path
                assert self.headers["Content-Type"] == "application/json"
                found = checked(json.loads(body))
                if status == 200:
                    self.server.taken.append(found)
            except (AssertionError, ValueError, KeyError) as error:
                self.server.wrong.append(repr(error))
        if status is None:
            time.sleep(30)
            return
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(self.server.body)))
            self.end_headers()
            self.wfile.write(self.server.body)
        except OSError:
            pass  # the client has left

    def log_message(self, *_):
        pass
