// A view of a plane that is zoomed and moved with the mouse, with two fingers and with keys. Kept in the link.
import {useEffect, useRef, useState} from 'preact/hooks';
import {readState, useLinkKey, writeState} from '../state';

export type View = [number, number, number, number]; // from and to, of x and of y
export interface Plot {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
interface Point {
  x: number;
  y: number;
}

const deepest = 200; // times as large as the whole
const keyStep = 1.5;

function parse(text: string | null): View | null {
  const numbers = (text ?? '').split(',').map(Number);
  const [x0, x1, y0, y1] = numbers;
  return numbers.length === 4 && numbers.every(Number.isFinite) && x0 < x1 && y0 < y1 ? [x0, x1, y0, y1] : null;
}

// A range of that length around `middle`, inside the whole one.
function inside(low: number, high: number, whole: [number, number]): [number, number] {
  const most = whole[1] - whole[0];
  const length = Math.min(Math.max(high - low, most / deepest), most);
  const from = Math.min(Math.max((low + high - length) / 2, whole[0]), whole[1] - length);
  return [from, from + length];
}

export function useZoom(name: string, whole: View, plot: Plot) {
  const key = useLinkKey(name);
  const limited = (view: View): View => [
    ...inside(view[0], view[1], [whole[0], whole[1]]),
    ...inside(view[2], view[3], [whole[2], whole[3]]),
  ];
  const [chosen, setChosen] = useState<View | null>(() => parse(readState(key)));
  const view = chosen ? limited(chosen) : whole;
  const current = useRef(view);
  current.current = view;
  const isWhole = view.every((value, i) => Math.abs(value - whole[i]) < 1e-9);

  // Browsers limit how often the address may change.
  useEffect(() => {
    const timer = setTimeout(() => writeState(key, chosen && !isWhole ? view.map((value) => value.toFixed(3)).join(',') : null), 250);
    return () => clearTimeout(timer);
  }, [chosen]);

  const change = (next: View) => {
    current.current = limited(next);
    setChosen(current.current);
  };
  const width = plot.right - plot.left;
  const height = plot.bottom - plot.top;
  // What stands at `from` stands at `to` afterwards, `factor` times as large.
  const move = (factor: number, from: Point, to: Point) => {
    const [x0, x1, y0, y1] = current.current;
    const x = x0 + ((from.x - plot.left) / width) * (x1 - x0);
    const y = y0 + ((plot.bottom - from.y) / height) * (y1 - y0);
    const xs = (x1 - x0) / factor;
    const ys = (y1 - y0) / factor;
    const left = x - ((to.x - plot.left) / width) * xs;
    const low = y - ((plot.bottom - to.y) / height) * ys;
    change([left, left + xs, low, low + ys]);
  };
  const middle = {x: (plot.left + plot.right) / 2, y: (plot.top + plot.bottom) / 2};
  const zoomBy = (factor: number, at: Point = middle) => move(factor, at, at);
  const reset = () => setChosen(null);

  const place = (event: {clientX: number; clientY: number}, svg: Element): Point => {
    const box = svg.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  };
  const grip = useRef<{at: Point; apart: number} | null>(null);
  const fingers = (event: TouchEvent) => {
    const svg = event.currentTarget as Element;
    const [a, b] = [place(event.touches[0], svg), place(event.touches[1], svg)];
    return {at: {x: (a.x + b.x) / 2, y: (a.y + b.y) / 2}, apart: Math.hypot(a.x - b.x, a.y - b.y)};
  };

  const handlers = {
    // The wheel scrolls the page until the reader has chosen the figure, or holds Ctrl (as a pinch on a touch pad does).
    onWheel: (event: WheelEvent) => {
      const svg = event.currentTarget as Element;
      const wants = event.ctrlKey || event.metaKey || svg.closest('.zoomable')?.contains(document.activeElement);
      if (!wants) return;
      event.preventDefault();
      zoomBy(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), place(event, svg));
    },
    onPointerDown: (event: PointerEvent) => {
      if (event.pointerType === 'touch' || event.button !== 0) return;
      const svg = event.currentTarget as Element;
      svg.setPointerCapture(event.pointerId);
      grip.current = {at: place(event, svg), apart: 0};
    },
    onPointerUp: () => {
      grip.current = null;
    },
    onTouchStart: (event: TouchEvent) => {
      grip.current = event.touches.length === 2 ? fingers(event) : null;
    },
    onTouchMove: (event: TouchEvent) => {
      if (event.touches.length !== 2 || !grip.current) return;
      event.preventDefault();
      const now = fingers(event);
      move(now.apart / Math.max(grip.current.apart, 1), grip.current.at, now.at);
      grip.current = now;
    },
    onTouchEnd: () => {
      grip.current = null;
    },
  };
  // True while the mouse drags.
  const drag = (event: PointerEvent): boolean => {
    if (event.pointerType === 'touch' || !grip.current) return false;
    const at = place(event, event.currentTarget as Element);
    move(1, grip.current.at, at);
    grip.current = {at, apart: 0};
    return true;
  };
  const onKey = (event: KeyboardEvent, at?: Point) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '+' || event.key === '=') zoomBy(keyStep, at);
    else if (event.key === '-') zoomBy(1 / keyStep, at);
    else if (event.key === '0') reset();
    else return;
    event.preventDefault();
  };
  return {view, isWhole, handlers, drag, onKey, zoomIn: () => zoomBy(keyStep), zoomOut: () => zoomBy(1 / keyStep), reset};
}
