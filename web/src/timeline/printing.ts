// Whether the page is being printed. Listened to before any figure is drawn: figures that were not in view yet are drawn for the print.
const listeners = new Set<() => void>();
let isPrinting = false;

function change(printing: boolean): void {
  isPrinting = printing;
  for (const listener of listeners) listener();
}
addEventListener('beforeprint', () => change(true));
addEventListener('afterprint', () => change(false));

export const prints = (): boolean => isPrinting;

// Returns what ends it.
export function onPrinting(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
