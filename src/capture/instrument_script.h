// The Python part of instrument.cc: it reads argv[1], writes the new file to argv[2] and the difference to argv[3], and prints "KEY words"
// lines. It runs on Python 3.8 and newer, without any package.
#pragma once

namespace frx::capture {

inline constexpr const char* instrument_script = R"PYTHON(
import ast, difflib, io, sys, tokenize

BLOCKS = ('body', 'orelse', 'finalbody', 'handlers')
LIGHT = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.Expr, ast.Pass, ast.Raise)

def lines_of(text):
    return io.StringIO(text, newline='').readlines()

class Refused(Exception):
    pass

def inner(node):
    for block in BLOCKS:
        for child in getattr(node, block, []):
            if isinstance(child, ast.ExceptHandler):
                yield from child.body
            else:
                yield child

def is_import(node):
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return True
    if not isinstance(node, (ast.Try, ast.If)):
        return False
    children = list(inner(node))
    return any(is_import(c) for c in children) and all(isinstance(c, LIGHT) or is_import(c) for c in children)

def is_light(node):
    return isinstance(node, LIGHT + (ast.AugAssign, ast.Delete, ast.Assert)) or is_import(node)

def uses_fournex(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(a.name.split('.')[0] == 'fournex' for a in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and (node.module or '').split('.')[0] == 'fournex':
            return True
    return False

def knows_frx(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == 'frx':
            return True
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == 'frx':
            return True
        if isinstance(node, ast.arg) and node.arg == 'frx':
            return True
        if isinstance(node, ast.alias) and (node.asname or node.name) == 'frx':
            return True
    return False

def layout(raw):
    """The lines on which logical lines end, and the lines that begin inside a string."""
    ends, inside, open_strings = [], set(), []
    starts = {getattr(tokenize, n, None) for n in ('FSTRING_START', 'TSTRING_START')} - {None}
    stops = {getattr(tokenize, n, None) for n in ('FSTRING_END', 'TSTRING_END')} - {None}
    for token in tokenize.tokenize(io.BytesIO(raw).readline):
        if token.type == tokenize.NEWLINE:
            ends.append(token.start[0])
        elif token.type == tokenize.STRING:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif token.type in starts:
            open_strings.append(token.start[0])
        elif token.type in stops:
            inside.update(range(open_strings.pop() + 1, token.end[0] + 1))
    return ends, inside

def place_of_init(tree, lines, ends):
    at = 0
    body = tree.body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
        at = body[0].end_lineno
    for node in body:
        if not is_light(node):
            break
        if is_import(node):
            at = node.end_lineno
    if at == 0:
        while at < len(lines) and lines[at].startswith('#'):
            at += 1
        return at
    return next(end for end in ends if end >= at)

def calls_backward(node):
    return any(isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == 'backward' for n in ast.walk(node))

def training_loops(tree):
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.While, ast.AsyncFor)) and calls_backward(node):
            if not any(n is not node and isinstance(n, (ast.For, ast.While, ast.AsyncFor)) and calls_backward(n) for n in ast.walk(node)):
                found.append(node)
    return found

def step_call(loop):
    """The call to put around the body, or None where the loop does not say its step."""
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
        return None
    if not isinstance(loop.iter.func, ast.Name) or loop.iter.func.id != 'enumerate':
        return None
    if not isinstance(loop.target, ast.Tuple) or len(loop.target.elts) != 2 or not isinstance(loop.target.elts[0], ast.Name):
        return None
    words = ['step=' + loop.target.elts[0].id]
    if isinstance(loop.target.elts[1], ast.Name):
        words.append('batch=' + loop.target.elts[1].id)
    if any(isinstance(n, ast.Name) and n.id == 'model' and isinstance(n.ctx, ast.Load) for s in loop.body for n in ast.walk(s)):
        words.append('model=model')
    return 'frx.step_context(' + ', '.join(words) + ')'

def with_steps(lines, loop, call, inside, newline):
    first, last = loop.body[0].lineno, loop.body[-1].end_lineno
    if first <= loop.iter.end_lineno:
        raise Refused('its body stands on the line of the loop')
    line = lines[first - 1]
    indent = line[:len(line) - len(line.lstrip(' \t'))]
    unit = '\t' if '\t' in indent else '    '
    changed = [indent + 'with ' + call + ':' + newline]
    for number in range(first, last + 1):
        text = lines[number - 1]
        changed.append(text if number in inside or not text.strip() else unit + text)
    return lines[:first - 1] + changed + lines[last:]

class Undo(ast.NodeTransformer):
    """Takes out what was put in."""
    def visit_With(self, node):
        self.generic_visit(node)
        call = node.items[0].context_expr
        ours = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
        return node.body if ours and call.func.value.id == 'frx' and call.func.attr == 'step_context' else node
    def visit_Import(self, node):
        return None if [a.name for a in node.names] == ['fournex'] else node
    def visit_Expr(self, node):
        call = node.value
        ours = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
        return None if ours and call.func.value.id == 'frx' and call.func.attr == 'init' else node

def same_program(old, raw, path):
    new = ast.parse(raw, path)
    compile(raw, path, 'exec', dont_inherit=True)
    return ast.dump(Undo().visit(new)) == ast.dump(old)

def propose(path, target, difference):
    with open(path, 'rb') as file:
        raw = file.read()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    text = raw.decode(encoding)
    tree = ast.parse(raw, path)
    if uses_fournex(tree):
        print('state already_there')
        return
    if knows_frx(tree):
        raise Refused("it uses the name 'frx' for something else")
    lines = lines_of(text)
    ends, inside = layout(raw)
    newline = next((end for line in lines[:1] for end in ('\r\n', '\n', '\r') if line.endswith(end)), '\n')
    at = place_of_init(tree, lines, ends)
    loops, suggestion, covered = training_loops(tree), '', lines
    call = step_call(loops[0]) if len(loops) == 1 else None
    if not loops:
        suggestion = 'no loop that calls backward() was found'
    elif len(loops) > 1:
        suggestion = 'there are several training loops, the first in line %d' % loops[0].lineno
    elif call is None:
        suggestion = 'the loop in line %d does not count its steps' % loops[0].lineno
    else:
        try:
            covered = with_steps(lines, loops[0], call, inside, newline)
        except Refused as why:
            suggestion, call = 'the loop in line %d: %s' % (loops[0].lineno, why), None
    def assemble(source, steps):
        head = source[:at]
        if head and not head[-1].endswith(('\n', '\r')):
            head = head[:-1] + [head[-1] + newline]
        added = [newline, 'import fournex as frx' + newline, 'frx.init(job_name="my-run")' + newline, newline]
        return head + added + source[at:]
    for source, steps in ((covered, True), (lines, False)):
        if steps and call is None:
            continue
        new = assemble(source, steps)
        data = ''.join(new).encode(encoding)
        try:
            good = same_program(tree, data, path)
        except (SyntaxError, ValueError):
            good = False
        if good:
            break
        if steps:
            suggestion = 'the loop in line %d could not be covered safely' % loops[0].lineno
    else:
        raise Refused('no place was found where the lines would not change the program')
    with open(target, 'wb') as file:
        file.write(data)
    plain = lambda part: [line.rstrip('\r\n') for line in part]
    with open(difference, 'w', encoding='utf-8', errors='replace') as file:
        file.write('\n'.join(difflib.unified_diff(plain(lines), plain(new), path, path, lineterm='')) + '\n')
    print('state proposed')
    if steps:
        print('steps yes')
    if suggestion:
        print('suggestion', suggestion)

try:
    propose(*sys.argv[1:4])
except SyntaxError as error:
    print('state refused')
    print('reason line %s is no Python that %s understands: %s' % (error.lineno, sys.version.split()[0], ' '.join(str(error.msg).split())))
except Refused as error:
    print('state refused')
    print('reason', error)
except (ValueError, LookupError, RecursionError, MemoryError, tokenize.TokenError, StopIteration) as error:
    print('state refused')
    print('reason it could not be parsed:', ' '.join(str(error).split()))
)PYTHON";

}  // namespace frx::capture
