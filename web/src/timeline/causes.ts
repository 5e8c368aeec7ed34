// Why a GPU is idle, in words and as a letter.
export const causes = ['input', 'sync', 'allocator', 'first_use', 'host', 'device', 'unknown'] as const;
export type Cause = (typeof causes)[number];

const words: Record<Cause, string> = {
  input: 'waiting for the data loader',
  sync: 'after a synchronisation',
  allocator: 'allocator',
  first_use: 'first use',
  host: 'not launched yet',
  device: 'launched, not begun',
  unknown: 'unknown',
};
const letters: Record<Cause, string> = {input: 'D', sync: 'S', allocator: 'A', first_use: 'F', host: 'N', device: 'L', unknown: '?'};

export const causeOf = (text: string): Cause => (causes as readonly string[]).includes(text) ? (text as Cause) : 'unknown';
export const wordsOf = (cause: string): string => words[causeOf(cause)];
export const letterOf = (cause: string): string => letters[causeOf(cause)];
