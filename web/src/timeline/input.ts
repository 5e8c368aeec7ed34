// Hands: wheel, mouse, touch and keys.
import type {Hit, Span} from './hit';
import {headHeight, stepsHeight} from './layout';
import type {Stage} from './stage';

const still = 5; // px that a click may move
const double_ms = 350;

// At this point of the window.
export type OnPoint = (hit: Hit | null, x: number, y: number) => void;

interface Pointer {
  x: number;
  y: number;
}

// Returns what ends it.
export function listenTo(stage: Stage, focused: HTMLElement, onPoint: OnPoint): () => void {
  const {canvas} = stage.places;
  const {view} = stage;
  const pointers = new Map<number, Pointer>();
  let begin: Pointer | null = null; // of a press that has not moved
  let mode: 'pan' | 'range' = 'pan';
  let lastClick = {time: -Infinity, x: 0, y: 0};

  const placeOf = (event: MouseEvent): Pointer => {
    const box = canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  };
  const hitAt = ({x, y}: Pointer) => stage.finder.at(stage.look, x, y);

  const onWheel = (event: WheelEvent) => {
    const isAsked = event.ctrlKey || event.metaKey || focused.contains(document.activeElement);
    if (!isAsked) return;
    event.preventDefault();
    onPoint(null, 0, 0);
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      stage.show(view.panned((event.deltaX || event.deltaY) * unit));
      return;
    }
    // A pinch on a touch pad comes as small steps with ctrl.
    const factor = Math.exp(-event.deltaY * unit * (event.ctrlKey && Math.abs(event.deltaY) < 40 ? 0.01 : 0.0025));
    stage.show(view.zoomed(factor, view.time(Math.max(view.left, placeOf(event).x))));
  };

  const onDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    focused.focus({preventScroll: true});
    canvas.setPointerCapture(event.pointerId);
    const place = placeOf(event);
    pointers.set(event.pointerId, place);
    begin = pointers.size === 1 ? place : null;
    mode = place.y > stepsHeight && place.y < headHeight && place.x >= view.left ? 'range' : 'pan';
  };

  const pinch = (id: number, place: Pointer) => {
    const other = [...pointers].find(([key]) => key !== id)![1];
    const before = pointers.get(id)!;
    const distance = Math.max(20, Math.abs(before.x - other.x));
    const middle = view.time((before.x + other.x) / 2);
    stage.show(view.zoomed(Math.max(20, Math.abs(place.x - other.x)) / distance, middle));
    stage.show(view.panned((before.x - place.x) / 2));
  };

  const onMove = (event: PointerEvent) => {
    const place = placeOf(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      const hit = hitAt(place);
      onPoint(hit, event.clientX, event.clientY);
      canvas.style.cursor = place.y > stepsHeight && place.y < headHeight ? 'col-resize' : hit?.on === 'group' ? 'pointer' : 'default';
      return;
    }
    if (begin && Math.hypot(place.x - begin.x, place.y - begin.y) < still) return;
    onPoint(null, 0, 0);
    if (pointers.size === 2) {
      pinch(event.pointerId, place);
    } else if (mode === 'range') {
      const from = stage.range && !begin ? stage.range : null;
      stage.range = rangeBetween(from, view.time((begin ?? place).x), view.time(place.x));
      stage.changed();
    } else {
      canvas.style.cursor = 'grabbing';
      stage.show(view.panned(before.x - place.x));
      if (event.pointerType === 'mouse') stage.scrollLanes(before.y - place.y);
    }
    begin = null;
    pointers.set(event.pointerId, place);
  };

  let anchor = 0;
  const rangeBetween = (now: Span | null, first: number, time: number): Span => {
    if (!now) anchor = first;
    return {begin: Math.max(0, Math.min(anchor, time)), end: Math.min(view.span, Math.max(anchor, time))};
  };

  const onUp = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId)) return;
    canvas.style.cursor = 'default';
    if (!begin || event.type === 'pointercancel') return;
    const place = begin;
    begin = null;
    const isDouble = event.timeStamp - lastClick.time < double_ms && Math.hypot(place.x - lastClick.x, place.y - lastClick.y) < 12;
    lastClick = {time: isDouble ? -Infinity : event.timeStamp, ...place};
    press(hitAt(place), isDouble);
    if (event.pointerType !== 'mouse') onPoint(hitAt(place), event.clientX, event.clientY);
  };

  const press = (hit: Hit | null, isDouble: boolean) => {
    if (mode === 'range') {
      stage.range = null;
    } else if (hit?.on === 'group') {
      stage.fold(hit.name);
    } else if (isDouble && hit && 'span' in hit) {
      stage.goTo(hit);
    } else {
      stage.select(hit && 'span' in hit ? hit : null);
    }
    stage.changed();
  };

  const onLeave = () => onPoint(null, 0, 0);
  canvas.addEventListener('wheel', onWheel, {passive: false});
  canvas.addEventListener('pointerdown', onDown);
  canvas.addEventListener('pointermove', onMove);
  canvas.addEventListener('pointerup', onUp);
  canvas.addEventListener('pointercancel', onUp);
  canvas.addEventListener('pointerleave', onLeave);
  return () => {
    canvas.removeEventListener('wheel', onWheel);
    canvas.removeEventListener('pointerdown', onDown);
    canvas.removeEventListener('pointermove', onMove);
    canvas.removeEventListener('pointerup', onUp);
    canvas.removeEventListener('pointercancel', onUp);
    canvas.removeEventListener('pointerleave', onLeave);
  };
}
