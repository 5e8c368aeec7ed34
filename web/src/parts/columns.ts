// Steps as columns of a picture: neighbouring ones are averaged where there are more steps than columns.
import type {StepsData} from '../data';

export interface Column {
  from: number; // index of the first step and one past the last
  to: number;
  isSkipped: boolean;
  ns: number[]; // mean of each part
  total: number;
  longest: number; // of a step in it
}

const ofStep = (data: StepsData, i: number) => data.parts.reduce((sum, part) => sum + (part.ns[i] ?? 0), 0);

export function columnOf(data: StepsData, from: number, to: number): Column {
  const ns = data.parts.map((part) => {
    let sum = 0;
    for (let i = from; i < to; ++i) sum += part.ns[i] ?? 0;
    return sum / (to - from);
  });
  let longest = 0;
  for (let i = from; i < to; ++i) longest = Math.max(longest, ofStep(data, i));
  return {from, to, isSkipped: from < data.skipped, ns, total: ns.reduce((a, b) => a + b, 0), longest};
}

export function columnsOf(data: StepsData, most: number): Column[] {
  const count = data.numbers.length;
  const each = Math.max(1, Math.ceil(count / Math.max(most, 1)));
  const columns: Column[] = [];
  for (let from = 0; from < count; ) {
    // A column is skipped as a whole or not at all.
    const end = from < data.skipped ? Math.min(data.skipped, count) : count;
    const to = Math.min(from + each, end);
    columns.push(columnOf(data, from, to));
    from = to;
  }
  return columns;
}
