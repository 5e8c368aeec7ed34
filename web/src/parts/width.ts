// How wide an element is, kept up to date; 0 before it is known.
import {useLayoutEffect, useRef, useState} from 'preact/hooks';
import type {RefObject} from 'preact';

export function useWidth<Kind extends HTMLElement = HTMLDivElement>(): [RefObject<Kind>, number] {
  const place = useRef<Kind>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const measure = () => setWidth(Math.floor(element.clientWidth));
    measure();
    const watched = new ResizeObserver(measure);
    watched.observe(element);
    return () => watched.disconnect();
  }, []);
  return [place, width];
}

// Of an SVG: on paper, which may be narrower, it gets smaller as a whole.
export const sizeOfPicture = (width: number, height: number) => ({width, height, viewBox: `0 0 ${width} ${height}`});

// Names of patterns in a page, where figures are drawn apart from each other.
let ids = 0;
export function useName(): string {
  return useState(() => `figure-${++ids}`)[0];
}
