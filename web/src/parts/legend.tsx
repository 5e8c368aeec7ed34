// What colours, patterns and shapes mean.
import type {ComponentChildren} from 'preact';

export interface Entry {
  name: string;
  mark: ComponentChildren; // SVG in a square of 16
  pressed?: boolean;
  toggle?: () => void; // shows and hides what it stands for
}

const Mark = ({children}: {children: ComponentChildren}) => (
  <svg width="16" height="16" aria-hidden="true">
    {children}
  </svg>
);

export function Legend({entries, label}: {entries: Entry[]; label: string}) {
  return (
    <ul class="legend" aria-label={label}>
      {entries.map(({name, mark, pressed, toggle}) => (
        <li key={name}>
          {toggle ? (
            <button type="button" aria-pressed={pressed} onClick={toggle}>
              <Mark>{mark}</Mark> {name}
              <span class="state">{pressed ? '' : ' (hidden)'}</span>
            </button>
          ) : (
            <span>
              <Mark>{mark}</Mark> {name}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
