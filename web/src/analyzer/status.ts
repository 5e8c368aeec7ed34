// What the page of frx serve says while it works, and when it cannot.
import {formatBytes, formatNs} from '../parts/format';

export const by = <Kind extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as Kind;

// What is being done. Its phase is read aloud; numbers that change each moment are not.
export class Status {
  private readonly bar = document.createElement('progress');
  private readonly details = document.createElement('p');
  private begin = performance.now();
  private readonly read = new Map<string, {read: number; all: number}>();
  private done = 0;
  private all = 0;

  constructor() {
    this.details.className = 'dim';
    this.bar.setAttribute('aria-label', 'Progress');
    by('numbers').replaceChildren(this.bar, this.details);
    by('working').hidden = false;
  }

  phase(name: string): void {
    if (by('phase').textContent === name) return;
    by('phase').textContent = name;
    this.details.textContent = '';
    this.bar.removeAttribute('value');
    this.begin = performance.now();
  }

  share(share: number, words: string): void {
    this.bar.value = Math.min(1, share);
    const seconds = (performance.now() - this.begin) / 1000;
    // The first moments say little about what is to come.
    const left = seconds > 1 && share > 0.02 && share < 1 ? (seconds * (1 - share)) / share : null;
    this.details.textContent = left === null ? words : `${words}, about ${formatNs(Math.ceil(left) * 1e9)} left`;
  }

  progress(data: string): void {
    this.phase('Reading');
    const {file, bytes_read: read, bytes, files_done: done, files: all} = JSON.parse(data);
    if (file !== undefined) this.read.set(String(file), {read, all: bytes});
    else [this.done, this.all] = [done, all];
    const each = [...this.read.values()];
    const [got, of] = [each.reduce((sum, one) => sum + one.read, 0), each.reduce((sum, one) => sum + one.all, 0)];
    const share = this.all > 0 ? this.done / this.all : of > 0 ? got / of : 0;
    const words = [this.all > 0 ? `${this.done} of ${this.all} files` : '', of > 0 ? `${formatBytes(got)} of ${formatBytes(of)}` : ''];
    if (share >= 1) this.phase('Analysing');
    else this.share(share, words.filter(Boolean).join(', '));
  }

  end(): void {
    by('phase').textContent = '';
    by('working').hidden = true;
  }
}

export function showProblem(text: string, hint = ''): void {
  const section = document.createElement('section');
  for (const words of [text, hint].filter(Boolean)) {
    const line = document.createElement('p');
    line.className = words === text ? 'red' : '';
    line.textContent = words;
    section.append(line);
  }
  by('problem').replaceChildren(...(text ? [section] : []));
}
