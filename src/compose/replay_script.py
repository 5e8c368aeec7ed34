# ---------------------------------------------------------------------------
# From here on the script is the same for every operator.

class Tensor:
    """A tensor as it was recorded; dtype or strides None: not recorded."""

    def __init__(self, shape, dtype, strides):
        self.shape, self.dtype, self.strides = shape, dtype, strides


class Missing:
    """A value that was not recorded: "number", "list", or "" for what may be anything."""

    def __init__(self, what):
        self.what = what


def tensor(shape, dtype=None, strides=None):
    return Tensor(tuple(shape), dtype, strides)


def missing(what=""):
    return Missing(what)


class CannotRun(Exception):
    """What is missing, in one line."""


# Which overload of the operator has been recorded.

def base_type(argument):
    text = str(argument.type)
    while text.startswith("Optional[") and text.endswith("]"):
        text = text[len("Optional["):-1]
    return text.replace("SymInt", "int")


def is_optional(argument):
    return str(argument.type).startswith("Optional[")


NUMBERS = ("number", "Scalar", "int", "float", "bool", "complex")


def fit_of_number(value, kind):
    if isinstance(value, bool):
        return {"bool": 4, "number": 1, "Scalar": 1}.get(kind)
    if isinstance(value, int):
        return {"int": 4, "number": 3, "Scalar": 3, "float": 2}.get(kind)
    return {"float": 4, "number": 3, "Scalar": 3}.get(kind)


def fit_of_list(values, kind):
    if not kind.startswith("List[") or "Tensor" in kind or "str" in kind:
        return None
    fits = [fit_of_number(value, kind[5:-1]) for value in values]
    return None if None in fits else 4


def fit_of_missing(what, argument, kind):
    if what == "number":
        return 3 if kind in NUMBERS else None
    if what == "list":
        return (1 if "str" in kind else 3) if kind.startswith("List[") and "Tensor" not in kind else None
    if is_optional(argument):
        return 2
    # Overloads that name dimensions by texts are rare.
    return 0 if "str" in kind else 1 if kind in NUMBERS + ("Tensor",) else 2


def fit(argument, recorded):
    """How well what was recorded fits an argument of a schema; None: not at all."""
    kind = base_type(argument)
    if isinstance(recorded, Tensor):
        return 4 if kind == "Tensor" else None
    if isinstance(recorded, Missing):
        return fit_of_missing(recorded.what, argument, kind)
    if isinstance(recorded, list) and (not recorded or isinstance(recorded[0], Tensor)):
        if "Tensor" in kind and kind.startswith("List["):
            return 4
    if isinstance(recorded, list):
        return fit_of_list(recorded, kind)
    return fit_of_number(recorded, kind)


def fit_of_schema(schema, inputs):
    arguments = schema.arguments
    extra = inputs[len(arguments):]
    if any(not isinstance(one, Missing) or one.what for one in extra):
        return None
    rest = arguments[len(inputs):]
    if any(not (one.has_default_value() or is_optional(one)) for one in rest):
        return None
    fits = [fit(argument, one) for argument, one in zip(arguments, inputs)]
    return None if None in fits else sum(fits) - 10 * (len(rest) + len(extra))


def schema_for(inputs):
    schemas = torch._C._jit_get_schemas_for_operator(OPERATOR)
    if not schemas:
        raise CannotRun("PyTorch %s has no operator %s" % (torch.__version__, OPERATOR))
    fitting = [(fit_of_schema(schema, inputs), schema) for schema in schemas]
    fitting = [(points, schema) for points, schema in fitting if points is not None]
    if not fitting:
        raise CannotRun("no overload of %s in PyTorch %s takes the inputs that were recorded (%d of them); there are: %s"
                        % (OPERATOR, torch.__version__, len(inputs), "; ".join(str(schema) for schema in schemas)))
    return max(fitting, key=lambda one: one[0])[1]


def function_of(schema):
    space, name = OPERATOR.split("::")
    return getattr(getattr(getattr(torch.ops, space), name), schema.overload_name or "default")


# What stands in for values that were not recorded.

USUAL = {"alpha": 1, "beta": 1, "value": 1, "eps": 1e-5, "epsilon": 1e-5, "momentum": 0.1, "p": 0.5, "padding_idx": -1, "groups": 1,
         "reduction": 1, "ignore_index": -100, "norm_type": 2, "train": True, "training": True, "cudnn_enabled": True, "tensors": None}


def spatial(given):
    """A number for each dimension that a convolution runs over."""
    weight = given.get("weight")
    return max(1, len(weight.shape) - 2) if isinstance(weight, Tensor) else 1


def inferred(name, given):
    """From the shapes of other inputs; None: they do not tell."""
    self, weight = given.get("self", given.get("input")), given.get("weight")
    if name == "normalized_shape" and isinstance(weight, Tensor):
        return list(weight.shape)
    if name == "groups" and isinstance(self, Tensor) and isinstance(weight, Tensor) and len(weight.shape) > 1 and weight.shape[1]:
        return max(1, self.shape[1] // weight.shape[1])
    if name == "num_weights":
        return 1000
    if name in ("stride", "dilation"):
        return [1] * spatial(given)
    if name in ("padding", "output_padding"):
        return [0] * spatial(given)
    return None


def usual_value(argument, given):
    name, kind = argument.name, base_type(argument)
    found = inferred(name, given)
    if found is None and name in USUAL:
        found = USUAL[name]
    if found is None and kind in ("bool", "float", "number", "Scalar"):
        found = {"bool": False, "float": 1.0}.get(kind, 1)
    return found


class Plan:
    """The inputs of a call, by name of the argument, and what was assumed for them."""

    def __init__(self, schema, inputs, settings, device):
        self.schema, self.device, self.notes, self.dims = schema, device, [], []
        self.given, self.left_out = {}, set()
        known = {argument.name for argument in schema.arguments}
        for name in settings:
            if name not in known:
                raise CannotRun("--set %s: %s has %s" % (name, OPERATOR, ", ".join(one.name for one in schema.arguments)))
        for argument, one in zip(schema.arguments, inputs):
            self.given[argument.name] = one
        self.given.update(settings)
        for argument in schema.arguments[len(inputs):]:
            if argument.name not in settings:
                self.left_out.add(argument.name)
        for argument in schema.arguments:
            if isinstance(self.given.get(argument.name), Missing):
                self.assume(argument)

    def assume(self, argument):
        name, kind = argument.name, base_type(argument)
        what = self.given.pop(name).what
        if kind == "Device":
            self.given[name] = self.device
        elif kind == "Tensor" and not is_optional(argument):
            self.given[name] = Tensor((), None, None)
            self.notes.append("%s: nothing was recorded; a tensor without dimensions" % name)
        elif argument.has_default_value():
            self.left_out.add(name)
            if what or argument.default_value is not None:
                self.notes.append("%s: its value was not recorded; the default, %r" % (name, argument.default_value))
        elif is_optional(argument):
            self.given[name] = None
            self.notes.append("%s: its value was not recorded; None" % name)
        elif name in ("dim", "axis", "dims") and kind in ("int", "List[int]"):
            self.dims.append((name, kind))
            self.given[name] = -1 if kind == "int" else [-1]
        else:
            self.given[name] = usual_value(argument, self.given)
            if self.given[name] is None:
                raise CannotRun("the value of %s was not recorded (PyTorch 2.1 and newer record numbers, with record_shapes=True; lists of "
                                "optional tensors are never recorded): give it with --set %s=VALUE" % (name, name))
            self.notes.append("%s: its value was not recorded; %r" % (name, self.given[name]))

    def choices_of_dims(self):
        """Values of dimensions that were not recorded, the likeliest first."""
        first = next((one for one in self.given.values() if isinstance(one, Tensor)), None)
        ranks = len(first.shape) if first else 1
        for choice in itertools.product(*[range(-1, -ranks - 1, -1)] * len(self.dims)):
            for (name, kind), value in zip(self.dims, choice):
                self.given[name] = value if kind == "int" else [value]
            yield


# Random inputs.

INDEXED = {"embedding": "weight", "embedding_renorm": "self", "embedding_bag": "weight", "_embedding_bag": "weight",
           "_embedding_bag_forward_only": "weight"}
PROBABILITIES = {"bernoulli", "multinomial", "binary_cross_entropy", "binary_cross_entropy_backward", "logit", "poisson", "log", "log2",
                 "log10", "sqrt", "rsqrt", "pow", "native_batch_norm", "batch_norm"}


def base_name():
    return OPERATOR.split("::")[1].rstrip("_")


def size_at(one, dim):
    return one.shape[dim] if isinstance(one, Tensor) and one.shape else 1


def first_wrong_index(name, given):
    """The number below which values of this input have to be; None: it holds no indices."""
    operator, self = base_name(), given.get("self", given.get("input"))
    if name == "indices" and operator in INDEXED:
        return size_at(given.get(INDEXED[operator]), 0)
    if name == "indices" and operator.startswith("embedding") and isinstance(given.get("num_weights"), int):
        return given["num_weights"]
    if name == "indices" and "max_pool" in operator:
        return math.prod(self.shape[2:]) if isinstance(self, Tensor) else 1
    if name == "index" and isinstance(given.get("dim"), int):
        return size_at(self, given["dim"])
    if name == "index" and operator == "take":
        return math.prod(self.shape)
    if name == "target" and "nll_loss" in operator or name == "target" and operator == "cross_entropy_loss":
        return size_at(self, 1 if len(self.shape) > 1 else 0)
    if name == "self" and operator == "one_hot" and isinstance(given.get("num_classes"), int) and given["num_classes"] > 0:
        return given["num_classes"]
    return None


def type_of(one, name, above):
    if one.dtype is not None:
        if not hasattr(torch, one.dtype):
            raise CannotRun("PyTorch %s has no type %s" % (torch.__version__, one.dtype))
        return getattr(torch, one.dtype)
    if above is not None:
        return torch.int64
    return torch.bool if name in ("mask", "condition") else torch.float32


def random_elements(count, dtype, above, device, generator):
    if dtype == torch.bool:
        return torch.randint(0, 2, (count,), device=device, generator=generator).to(torch.bool)
    if above is not None and not dtype.is_floating_point:
        return torch.randint(0, max(1, above), (count,), device=device, generator=generator).to(dtype)
    if not dtype.is_floating_point and not dtype.is_complex:
        return torch.randint(1, 8, (count,), device=device, generator=generator).to(dtype)
    if dtype.is_complex:
        return torch.randn(count, dtype=dtype, device=device, generator=generator)
    draw = torch.rand if base_name() in PROBABILITIES else torch.randn
    return draw(count, device=device, generator=generator).to(dtype)


def made(one, name, above, device, generator):
    """A tensor of this shape whose strides are the recorded ones, also those of 0, which repeat elements."""
    dtype = type_of(one, name, above)
    strides = one.strides
    if strides is None:
        strides, next_stride = [], 1
        for size in reversed(one.shape):
            strides.insert(0, next_stride)
            next_stride *= max(1, size)
    elements = 0 if 0 in one.shape else 1 + sum((size - 1) * stride for size, stride in zip(one.shape, strides))
    storage = torch.empty_strided((elements,), (1,), dtype=dtype, device=device)
    storage.copy_(random_elements(elements, dtype, above, device, generator))
    return storage.as_strided(one.shape, tuple(strides))


def made_all(plan, device, generator):
    """The values of the arguments, by name."""
    values = {}
    for name, one in plan.given.items():
        if isinstance(one, Tensor):
            values[name] = made(one, name, first_wrong_index(name, plan.given), device, generator)
        elif isinstance(one, list) and one and isinstance(one[0], Tensor):
            given = plan.given
            is_index = base_name() in ("index", "index_put", "_index_put_impl") and name == "indices"
            values[name] = [made(item, name, size_at(given["self"], at) if is_index else None, device, generator)
                            for at, item in enumerate(one)]
        else:
            values[name] = one
    if isinstance(values.get("offsets"), torch.Tensor):
        offsets = values["offsets"]
        offsets.copy_(torch.arange(offsets.numel(), device=device).clamp(max=max(0, values["indices"].numel() - 1)))
    return values


def call_of(function, plan, values):
    """The call with all of its inputs, which may be repeated."""
    positional, named, is_after_gap = [], {}, False
    for argument in plan.schema.arguments:
        if argument.name in plan.left_out:
            is_after_gap = True
        elif argument.kwarg_only or is_after_gap:
            named[argument.name] = values[argument.name]
        else:
            positional.append(values[argument.name])
    return lambda: function(*positional, **named)


def runnable(inputs, settings, device, seed):
    """The plan and the call. Dimensions that were not recorded become the first with which PyTorch accepts the call."""
    schema = schema_for(inputs)
    plan, function, refusal = Plan(schema, inputs, settings, device), function_of(schema), None
    for _ in plan.choices_of_dims():
        generator = torch.Generator(device=device)
        generator.manual_seed(seed)
        torch.manual_seed(seed)
        call = call_of(function, plan, made_all(plan, device, generator))
        try:
            with torch.no_grad():
                call()
        except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError) as error:
            refusal = refusal or error
            continue
        for name, _ in plan.dims:
            plan.notes.append("%s: its value was not recorded; %r" % (name, plan.given[name]))
        return plan, call
    raise CannotRun("PyTorch refuses the call: %s" % " ".join(str(refusal).split())[:300])


# Times.

def times_on_gpu(call, iterations):
    """Nanoseconds of each run, between two events of the GPU; the marks are for ncu and nsys."""
    events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(iterations)]
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    for number, (begin, end) in enumerate(events):
        torch.cuda.nvtx.range_push("frx::measure#%d" % number)
        begin.record()
        call()
        end.record()
        torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()
    return [begin.elapsed_time(end) * 1e6 for begin, end in events]


def times_on_cpu(call, iterations):
    times = []
    for _ in range(iterations):
        begin = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - begin)
    return times


def measured(call, device, warmup, iterations):
    with torch.no_grad():
        for _ in range(warmup):
            call()
        times = sorted((times_on_gpu if device.startswith("cuda") else times_on_cpu)(call, iterations))
    at = lambda part: times[min(len(times) - 1, int(part * len(times)))]
    return {"median_ns": at(0.5), "first_quartile_ns": at(0.25), "third_quartile_ns": at(0.75)}


def time_text(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return "%.3g %s" % (ns / size, unit)
    return "%.3g ns" % ns


def input_text(one):
    if isinstance(one, Tensor):
        strides = "" if one.strides is None else " strides %s" % list(one.strides)
        return "%s %s%s" % (one.dtype or "float32?", list(one.shape), strides)
    if isinstance(one, list) and one and isinstance(one[0], Tensor):
        return "[" + ", ".join(input_text(item) for item in one) + "]"
    return "?" if isinstance(one, Missing) else repr(one)


def replayed(recorded, options, device):
    inputs = recorded["inputs"]()
    plan, call = runnable(inputs, options.settings, device, options.seed)
    result = measured(call, device, options.warmup, options.iterations)
    result.update({key: value for key, value in recorded.items() if key != "inputs"})
    result["operator"] = OPERATOR
    result["overload"] = plan.schema.overload_name or "default"
    result["signature"] = [input_text(one) for one in inputs]
    result["notes"] = plan.notes
    return result


def show(result, options, device):
    where = torch.cuda.get_device_name() if device.startswith("cuda") else "cpu"
    print("%s.%s (%s)" % (result["operator"], result["overload"], ", ".join(result["signature"])))
    print("  measured : median %s, quartiles %s and %s, of %d runs after %d (%s, PyTorch %s)"
          % (time_text(result["median_ns"]), time_text(result["first_quartile_ns"]), time_text(result["third_quartile_ns"]),
             options.iterations, options.warmup, where, torch.__version__))
    print("  recorded : %s of %s, call %d; %d with these inputs, %s together%s"
          % (time_text(result["recorded_ns"]), "GPU time" if RECORDED_ON_GPU else "CPU time", result["call"], result["calls"],
             time_text(result["all_recorded_ns"]), " (" + GPU + ")" if GPU else ""))
    if "flops" in result and result["median_ns"] > 0:
        print("  work     : %.4g operations, %.4g per second" % (result["flops"], result["flops"] / result["median_ns"] * 1e9))
    if "bytes" in result and result["median_ns"] > 0:
        print("  traffic  : %.4g bytes at least, %.4g per second" % (result["bytes"], result["bytes"] / result["median_ns"] * 1e9))
    for note in result["notes"]:
        print("  assumed  : " + note)


def setting(text):
    name, equals, value = text.partition("=")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        raise argparse.ArgumentTypeError("expected NAME=VALUE with a value as Python writes it, found %r" % text)


def parsed_options():
    parser = argparse.ArgumentParser(description="Runs %s with random inputs of the recorded shapes." % OPERATOR.replace("%", "%%"))
    parser.add_argument("--iterations", type=int, default=ITERATIONS, help="runs that are measured (default %(default)s)")
    parser.add_argument("--warmup", type=int, default=WARMUP, help="runs before them (default %(default)s)")
    parser.add_argument("--device", default="auto", help="auto (cuda where there is one), cuda, cuda:1, cpu")
    parser.add_argument("--seed", type=int, default=0, help="of the random inputs (default %(default)s)")
    parser.add_argument("--shape", type=int, help="only these inputs, by number from 0")
    parser.add_argument("--set", dest="settings", type=setting, action="append", default=[], metavar="NAME=VALUE",
                        help="the value of an argument of the operator, instead of the recorded one")
    parser.add_argument("--json", action="store_true", help="one object of JSON for each shape")
    options = parser.parse_args()
    options.settings = dict(options.settings)
    if options.iterations < 1 or options.warmup < 0:
        parser.error("--iterations takes 1 or more, --warmup 0 or more")
    if options.shape is not None and not 0 <= options.shape < len(CALLS):
        parser.error("--shape takes 0 to %d" % (len(CALLS) - 1))
    return options


def main():
    options = parsed_options()
    for module in MODULES:
        importlib.import_module(module)
    device = ("cuda" if torch.cuda.is_available() else "cpu") if options.device == "auto" else options.device
    failed = False
    for number, recorded in enumerate(CALLS):
        if options.shape is not None and number != options.shape:
            continue
        try:
            result = replayed(recorded, options, device)
        except CannotRun as reason:
            print("inputs_%d: %s" % (number, reason), file=sys.stderr)
            failed = True
            continue
        print(json.dumps(result)) if options.json else show(result, options, device)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
