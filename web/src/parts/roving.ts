// Many things with one stop of the Tab key: arrow keys, Home and End move between them.
import {useRef, useState} from 'preact/hooks';

type Moves = Record<string, (at: number, count: number) => number>;

const lineMoves: Moves = {
  ArrowRight: (at) => at + 1,
  ArrowDown: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  ArrowUp: (at) => at - 1,
  PageDown: (at) => at + 10,
  PageUp: (at) => at - 10,
  Home: () => 0,
  End: (_, count) => count - 1,
};

// In a grid up and down move by a whole row.
export function gridMoves(columns: number): Moves {
  return {
    ...lineMoves,
    ArrowDown: (at, count) => (at + columns < count ? at + columns : at),
    ArrowUp: (at) => (at >= columns ? at - columns : at),
  };
}

export function useRoving(count: number, moves: Moves = lineMoves) {
  const [current, setCurrent] = useState(0);
  const elements = useRef(new Map<number, HTMLElement | SVGElement>());
  const at = Math.max(0, Math.min(current, count - 1));
  const focus = (next: number) => {
    const to = Math.max(0, Math.min(next, count - 1));
    setCurrent(to);
    elements.current.get(to)?.focus();
  };
  return {
    current: at,
    focus,
    // For each of them: {...roving.item(i)}.
    item: (i: number) => ({
      // In lower case: names of attributes of SVG are kept as they are written.
      tabindex: i === at ? 0 : -1,
      ref: (element: HTMLElement | SVGElement | null) => {
        if (element) elements.current.set(i, element);
        else elements.current.delete(i);
      },
      onKeyDown: (event: KeyboardEvent) => {
        const move = moves[event.key];
        if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        focus(move(i, count));
      },
    }),
  };
}
