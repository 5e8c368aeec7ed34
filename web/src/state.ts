// What a reader looks at, kept in the fragment of the address, so that a link shows the same: #timeline=120,480&kernels=3.
import {createContext} from 'preact';
import {useContext, useState} from 'preact/hooks';

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

// Which of the figures of its kind on the page a figure is: 1, 2, ... Each has state of its own in the link.
export const Ordinal = createContext(1);

export function useLinkKey(key: string): string {
  const ordinal = useContext(Ordinal);
  return ordinal === 1 ? key : `${key}.${ordinal}`;
}

// Like useState, for a text that the link carries. Null: nothing was chosen.
export function useLinkedState(name: string): [string | null, (value: string | null) => void] {
  const key = useLinkKey(name);
  const [value, setValue] = useState(() => readState(key));
  return [
    value,
    (next) => {
      writeState(key, next);
      setValue(next);
    },
  ];
}
