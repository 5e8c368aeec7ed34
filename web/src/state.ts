// What a reader looks at, kept in the fragment of the address, so that a link shows the same: #timeline=120,480&kernels=3.
import {useState} from 'preact/hooks';

const stored = () => new URLSearchParams(location.hash.slice(1));

export function readState(key: string): string | null {
  return stored().get(key);
}

export function writeState(key: string, value: string | null): void {
  const all = stored();
  if (value === null) all.delete(key);
  else all.set(key, value);
  const text = all.toString();
  // A page that was opened from disk may not change its history in some browsers.
  try {
    history.replaceState(null, '', text ? `#${text}` : location.pathname + location.search);
  } catch {
    /* the link then shows the beginning */
  }
}

// Like useState, for a text that the link carries. Null: nothing was chosen.
export function useLinkedState(key: string): [string | null, (value: string | null) => void] {
  const [value, setValue] = useState(() => readState(key));
  return [
    value,
    (next) => {
      writeState(key, next);
      setValue(next);
    },
  ];
}
