// Texts that must fit: measured in the font of the page, shortened in the middle, where C++ names differ least.
const shortMark = '...';

export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = Math.max(most - shortMark.length, 2);
  const head = Math.ceil(kept * 0.6);
  return text.slice(0, head) + shortMark + text.slice(text.length - (kept - head));
}

// In tooltips and labels for screen readers; tables have the whole name.
export const longName = (text: string) => shorten(text, 400);

let canvas: CanvasRenderingContext2D | null | undefined;

export function textWidth(text: string, size = 12): number {
  canvas ??= document.createElement('canvas').getContext('2d');
  if (!canvas) return text.length * size * 0.62;
  canvas.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(text).width;
}

export function fitText(text: string, width: number, size = 12): string {
  let fitting = shorten(text, 300);
  while (fitting.length > 5) {
    const needed = textWidth(fitting, size);
    if (needed <= width) break;
    // At least one less, or this would not end.
    fitting = shorten(text, Math.min(fitting.length - 1, Math.max(5, Math.ceil((fitting.length * width) / needed))));
  }
  return fitting;
}
