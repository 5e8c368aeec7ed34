// What an answer needs in a browser: its figures drawn, and buttons that copy the command beside them. In reports and on the page of frx serve.
import {render} from 'preact';
import type {FigureKind} from './data';
import {drawFigure, isFigureKind} from './figures/all';

// A figure is <section data-figure="KIND"> with its numbers in a <script type="application/json">. It is drawn when it comes into view.
export function drawFigures(root: ParentNode): void {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        seen.unobserve(entry.target);
        draw(entry.target as HTMLElement);
      }
    },
    {rootMargin: '400px'},
  );
  for (const section of root.querySelectorAll<HTMLElement>('section[data-figure]')) seen.observe(section);
  // All of them are printed.
  addEventListener('beforeprint', () => root.querySelectorAll<HTMLElement>('section[data-figure]').forEach(draw));
}

function draw(section: HTMLElement): void {
  const kind = section.dataset.figure ?? '';
  const place = section.querySelector('.figure');
  const numbers = section.querySelector('script[type="application/json"]');
  if (!place || !numbers || place.childElementCount > 0 || !isFigureKind(kind)) return;
  const same = [...document.querySelectorAll(`section[data-figure="${kind}"]`)];
  render(drawFigure(kind as FigureKind, JSON.parse(numbers.textContent ?? ''), same.indexOf(section) + 1), place);
}

document.addEventListener('click', async (event) => {
  const button = (event.target as Element).closest<HTMLElement>('button[data-copy]');
  const code = button?.parentElement?.querySelector('code');
  if (!button || !code) return;
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
  } catch {
    // A page that was opened from disk may not use the clipboard: the text is selected instead.
    getSelection()?.selectAllChildren(code);
    return;
  }
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 1500);
});

drawFigures(document);
