// Which lines of a file are drawn: those with findings and stalls, and what is around them.
import type {SourceData} from '../data';

export type Finding = SourceData['findings'][number];
export type Stall = SourceData['stalls'][number];
export interface SourceLine {
  number: number;
  text: string | null; // null: not known
  findings: Finding[];
  stall: Stall | null;
  gap: [number, number] | null; // lines before it that are not drawn
}

const around = 8;
export const drawnFirst = 400;

export interface Drawn {
  lines: SourceLine[];
  known: number; // all that could be drawn
}

export function linesOf(data: SourceData, file: number, all: boolean): Drawn {
  const lines = new Map<number, SourceLine>();
  const at = (number: number): SourceLine => {
    const found = lines.get(number) ?? {number, text: null, findings: [], stall: null, gap: null};
    lines.set(number, found);
    return found;
  };
  for (const {number, text} of data.files[file]?.lines ?? []) at(number).text = text;
  for (const finding of data.findings) if (finding.file === file) at(finding.line).findings.push(finding);
  for (const stall of data.stalls) if (stall.file === file) at(stall.line).stall = stall;

  const known = [...lines.values()].sort((a, b) => a.number - b.number);
  const drawn = all || known.length <= drawnFirst ? known : mostImportant(known);
  let before = 0;
  for (const line of drawn) {
    if (line.number > before + 1) line.gap = [before + 1, line.number - 1];
    before = line.number;
  }
  return {lines: drawn, known: known.length};
}

// Around findings first, then around the lines that wait longest; where there are neither, the beginning.
function mostImportant(known: SourceLine[]): SourceLine[] {
  const marked = known.map((_, i) => i).filter((i) => known[i].findings.length > 0 || known[i].stall);
  const weight = (i: number) => (known[i].findings.length > 0 ? 1000 : 0) + (known[i].stall?.share_pct ?? 0);
  marked.sort((a, b) => weight(b) - weight(a));
  const chosen = new Set<number>();
  for (const middle of marked.length > 0 ? marked : [0]) {
    if (chosen.size >= drawnFirst) break;
    const reach = marked.length > 0 ? around : drawnFirst;
    for (let i = Math.max(0, middle - reach); i <= Math.min(known.length - 1, middle + reach); ++i) chosen.add(i);
  }
  return known.filter((_, i) => chosen.has(i)).slice(0, drawnFirst + 2 * around);
}
