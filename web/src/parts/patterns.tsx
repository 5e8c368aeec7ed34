// Fillings of parts of time: the colour of the part, and a pattern of its own for each, so that they differ without colours as well.
import type {Part} from '../data';

const patterns = [
  'M0 0', // even
  'M-1 7 L7 -1 M-1 1 L1 -1 M5 7 L7 5', // rising
  'M-1 -1 L7 7 M5 -1 L7 1 M-1 5 L1 7', // falling
  'M2 3 H4', // dots
  'M0 3 H6', // across
  'M3 0 V6', // upright
  'M0 3 H6 M3 0 V6', // grid
];
const firstPattern: Record<Part, number> = {computing: 0, communication: 1, idle: 2, waiting: 3, copying: 4, other: 5};
const palest = 3;

export interface Filled {
  name: string;
  part: Part;
}

const partOf = (part: string): Part => (Object.hasOwn(firstPattern, part) ? (part as Part) : 'other');

// `name`: of this picture. The second of the same part is paler than the first, and has another pattern.
export function Fillings({parts, name}: {parts: Filled[]; name: string}) {
  return (
    <defs>
      {parts.map((one, i) => {
        const part = partOf(one.part);
        const before = parts.slice(0, i).filter((other) => partOf(other.part) === part).length;
        const pattern = patterns[(firstPattern[part] + before) % patterns.length];
        return (
          <pattern
            key={i}
            id={`${name}-${i}`}
            class={`tile part-${part} paler-${Math.min(before, palest)}`}
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
          >
            <rect width="6" height="6" />
            <path d={pattern} />
          </pattern>
        );
      })}
    </defs>
  );
}

export const filling = (name: string, i: number) => `url(#${name}-${i})`;
