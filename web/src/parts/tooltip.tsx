// What is known of the thing under the pointer or with the focus. It stands beside that thing, never on it, and inside the window.
import type {ComponentChildren} from 'preact';
import {useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
interface Shown {
  at: Element | Box;
  content: ComponentChildren;
}

const space = 8; // between a thing, its tooltip and the edge of the window

function placeBeside(box: Box, width: number, height: number): {left: number; top: number} {
  const wide = document.documentElement.clientWidth;
  const high = innerHeight;
  const within = (value: number, most: number) => Math.max(space, Math.min(value, most - space));
  const left = within((box.left + box.right - width) / 2, wide - width);
  const top = within((box.top + box.bottom - height) / 2, high - height);
  if (box.top - space - height >= space) return {left, top: box.top - space - height};
  if (box.bottom + space + height <= high - space) return {left, top: box.bottom + space};
  if (box.right + space + width <= wide - space) return {left: box.right + space, top};
  if (box.left - space - width >= space) return {left: box.left - space - width, top};
  // It fits nowhere beside: to the edge that leaves more space.
  return {left, top: box.top > high - box.bottom ? space : Math.max(space, high - height - space)};
}

function put(tooltip: HTMLElement, at: Element | Box): void {
  const {width, height} = tooltip.getBoundingClientRect();
  const {left, top} = placeBeside(at instanceof Element ? at.getBoundingClientRect() : at, width, height);
  tooltip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

export function useTooltip() {
  const [shown, setShown] = useState<Shown | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const hide = () => setShown(null);

  useLayoutEffect(() => {
    if (place.current && shown) put(place.current, shown.at);
  }, [shown]);

  useEffect(() => {
    if (!shown) return;
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && hide();
    // It goes with its thing, which the page scrolls to when it gets the focus.
    const onScroll = () => (shown.at instanceof Element && place.current ? put(place.current, shown.at) : hide());
    addEventListener('scroll', onScroll, {capture: true, passive: true});
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('scroll', onScroll, {capture: true});
      removeEventListener('keydown', onKey);
    };
  }, [shown]);

  return {
    show: (at: Element | Box, content: ComponentChildren) => setShown({at, content}),
    hide,
    tooltip: shown && (
      <div class="tooltip" ref={place} aria-hidden="true">
        {shown.content}
      </div>
    ),
  };
}

// Names and values, one below the other.
export function Facts({title, facts}: {title: string; facts: [string, string][]}) {
  return (
    <>
      <strong>{title}</strong>
      <dl>
        {facts.map(([name, value], i) => (
          <div key={i}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

export function spoken(title: string, facts: [string, string][]): string {
  return `${title}. ${facts.map(([name, value]) => `${name}: ${value}`).join('. ')}.`;
}

// A finger leaves with each touch; what it showed stays.
export const unlessTouch = (leave: () => void) => (event: PointerEvent) => {
  if (event.pointerType !== 'touch') leave();
};
