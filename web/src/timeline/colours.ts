// Colours and patterns of the canvas, from the variables of timeline.css as they are now: light, dark, or for print.
import {causes, type Cause} from './causes';

// By the names of kinds in TimelineData.
const variables: Record<string, string> = {
  computing: 'computing',
  communication: 'communication',
  copy: 'copy',
  fill: 'fill',
  operator: 'operator',
  annotation: 'annotation',
  'CUDA call': 'call',
  Python: 'python',
  synchronisation: 'sync',
  profiler: 'profiler',
};

export interface Colours {
  ink: string;
  dim: string;
  paper: string;
  panel: string;
  line: string;
  accent: string;
  onKind: string; // text on the colour of a kind
  kinds: string[];
  gaps: Record<Cause, string | CanvasPattern>;
  gapInk: Record<Cause, string>;
}

export function coloursOf(element: Element, kinds: string[], context: CanvasRenderingContext2D): Colours {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim() || '#888888';
  const gapInk = {} as Colours['gapInk'];
  const gaps = {} as Colours['gaps'];
  for (const cause of causes) {
    gapInk[cause] = read(`tl-gap-${cause}`);
    gaps[cause] = patternOf(context, cause, gapInk[cause]) ?? gapInk[cause];
  }
  return {
    ink: read('ink'),
    dim: read('dim'),
    paper: read('paper'),
    panel: read('panel'),
    line: read('line'),
    accent: read('accent'),
    onKind: read('tl-on-kind'),
    kinds: kinds.map((kind) => read(`tl-${Object.hasOwn(variables, kind) ? variables[kind] : 'other'}`)),
    gaps,
    gapInk,
  };
}

export function drawPattern(place: HTMLCanvasElement, cause: Cause, root: Element): void {
  const context = place.getContext('2d')!;
  context.clearRect(0, 0, place.width, place.height);
  const ink = getComputedStyle(root).getPropertyValue(`--tl-gap-${cause}`).trim();
  context.fillStyle = patternOf(context, cause, ink) ?? ink;
  context.fillRect(0, 0, place.width, place.height);
}

const side = 8; // px of a pattern

// Each cause has strokes of its own, so that it can be told without its colour.
function patternOf(context: CanvasRenderingContext2D, cause: Cause, ink: string): CanvasPattern | null {
  const tile = document.createElement('canvas');
  tile.width = tile.height = side;
  const brush = tile.getContext('2d');
  if (!brush) return null;
  brush.fillStyle = brush.strokeStyle = ink;
  brush.globalAlpha = 0.16;
  brush.fillRect(0, 0, side, side);
  brush.globalAlpha = 0.6;
  brush.beginPath();
  for (const [x0, y0, x1, y1] of strokes[cause]) {
    brush.moveTo(x0, y0);
    brush.lineTo(x1, y1);
  }
  brush.stroke();
  if (cause === 'first_use') brush.fillRect(3, 3, 2, 2);
  return context.createPattern(tile, 'repeat');
}

const rising = [[-1, 9, 9, -1], [-1, 1, 1, -1], [7, 9, 9, 7]];
const falling = [[-1, -1, 9, 9], [7, -1, 9, 1], [-1, 7, 1, 9]];
const strokes: Record<Cause, number[][]> = {
  input: rising,
  sync: falling,
  allocator: [...rising, ...falling],
  first_use: [],
  host: [[0, 4, 8, 4]],
  device: [[4, 0, 4, 8]],
  unknown: [[3, 4, 5, 4]],
};
