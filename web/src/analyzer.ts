// The page of frx serve: files go to /analyze or /compare, and what comes back is shown. Nothing is concluded here.
import {render} from 'preact';
import {formatBytes, formatNs} from './parts/format';
import {drawFigures} from './report';

interface Chosen {
  file: File;
  path: string;
}
interface Answer {
  status: number;
  type: string;
  text: string;
}

const by = <Kind extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as Kind;
const drop = by('drop');
let files: Chosen[] = [];
let compares = false; // whether the two files are before and after
let running: XMLHttpRequest | null = null;

// The files of a drop, folders opened.
async function filesOf(transfer: DataTransfer): Promise<Chosen[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return [...transfer.files].map((file) => ({file, path: file.name}));
  const found: Chosen[] = [];
  const visit = async (entry: FileSystemEntry, prefix: string): Promise<void> => {
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      found.push({file, path: prefix + entry.name});
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) return;
      for (const inner of some) await visit(inner, `${prefix}${entry.name}/`);
    }
  };
  for (const entry of entries) await visit(entry, '');
  return found;
}

// Text out of the clipboard as a file: PTX says its version and its target, anything else is CUDA.
function pastedFile(text: string): Chosen {
  const isPtx = /^\s*\.version\s/m.test(text) && /^\s*\.target\s/m.test(text);
  const path = isPtx ? 'pasted.ptx' : 'pasted.cu';
  return {file: new File([text], path, {type: 'text/plain'}), path};
}

// Whole events of a text/event-stream, from `at` on; the last element is where the next one begins.
function eventsOf(text: string, at: number, take: (name: string, data: string) => void): number {
  for (let end = text.indexOf('\n\n', at); end >= 0; at = end + 2, end = text.indexOf('\n\n', at)) {
    const lines = text.slice(at, end).split('\n');
    const name = lines.find((line) => line.startsWith('event: '))?.slice(7) ?? '';
    take(name, lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(line[5] === ' ' ? 6 : 5)).join('\n'));
  }
  return at;
}

// What is being done. Its phase is read aloud; numbers that change each moment are not.
class Status {
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

function send(format: string, call: XMLHttpRequest, status: Status): Promise<Answer> {
  const form = new FormData();
  const gpu = by<HTMLInputElement>('gpu').value.trim();
  if (gpu) form.append('gpu_model', gpu);
  files.forEach(({file, path}, i) => form.append(compares ? 'ab'[i] : 'files', file, path));
  return new Promise((resolve, reject) => {
    let at = 0;
    let answer: Answer | null = null;
    const typeOf = () => call.getResponseHeader('Content-Type') ?? '';
    const read = () => {
      if (!typeOf().startsWith('text/event-stream')) return;
      at = eventsOf(call.responseText, at, (name, data) => {
        if (name === 'progress') status.progress(data);
        if (name === 'result') answer = {status: 200, type: mediaTypes[format], text: data};
        if (name === 'problem') answer = {status: JSON.parse(data).status ?? 500, type: 'application/problem+json', text: data};
      });
    };
    call.open('POST', `${compares ? '/compare' : '/analyze'}?format=${format}`);
    call.setRequestHeader('Accept', 'text/event-stream');
    const token = sessionStorage.getItem('token');
    if (token) call.setRequestHeader('Authorization', `Bearer ${token}`);
    call.upload.onprogress = ({loaded, total}) => status.share(loaded / total, `${formatBytes(loaded)} of ${formatBytes(total)}`);
    call.upload.onload = () => status.phase('Analysing');
    call.onprogress = read;
    call.onload = () => {
      read();
      if (!typeOf().startsWith('text/event-stream')) answer = {status: call.status, type: typeOf(), text: call.responseText};
      if (answer) resolve(answer);
      else reject(new Error('the server ended before its answer'));
    };
    call.onerror = () => reject(new Error('the server cannot be reached'));
    call.onabort = () => reject(null);
    call.send(form);
  });
}

function showProblem(text: string, hint = ''): void {
  const section = document.createElement('section');
  for (const words of [text, hint].filter(Boolean)) {
    const line = document.createElement('p');
    line.className = words === text ? 'red' : '';
    line.textContent = words;
    section.append(line);
  }
  by('problem').replaceChildren(...(text ? [section] : []));
}

// An answer whose status is not 200 says why in JSON.
function problemOf({text, status}: Answer): [string, string?] {
  try {
    const {where, detail, hint} = JSON.parse(text);
    return [where ? `${where}: ${detail}` : detail, hint];
  } catch {
    return [`the server answered with status ${status}`];
  }
}

// Null: there is no answer, and the page says why.
async function ask(format: string): Promise<Answer | null> {
  running?.abort();
  const call = (running = new XMLHttpRequest());
  const status = new Status();
  status.phase(`Sending ${files.length === 1 ? files[0].path : `${files.length} files`}`);
  showProblem('');
  try {
    const answer = await send(format, call, status);
    if (answer.status === 200) return answer;
    if (answer.status === 401) {
      sessionStorage.setItem('token', prompt('The token of this server') ?? '');
      showProblem('this server needs a token', 'send the files again');
    } else {
      showProblem(...problemOf(answer));
    }
  } catch (error) {
    if (error) showProblem((error as Error).message);
  } finally {
    // Another request may have taken its place.
    if (running === call) {
      status.end();
      running = null;
    }
  }
  return null;
}

function clearAnswer(): void {
  const answer = by('answer');
  // What was looked at in the answer before is nothing in the next one.
  if (answer.childElementCount > 0) history.replaceState(null, '', location.pathname + location.search);
  for (const figure of answer.querySelectorAll('.figure')) render(null, figure);
  answer.replaceChildren();
  by('downloads').classList.add('hidden');
}

async function show(): Promise<void> {
  clearAnswer();
  by('pair').hidden = files.length !== 2;
  by('before').textContent = files[0].path;
  by('after').textContent = files.at(-1)!.path;
  by('together').hidden = !compares;
  by('compare').textContent = compares ? 'Swap before and after' : 'Compare as before and after';
  const answer = await ask('html');
  if (!answer) return;
  // The style and the script of the answer are those of this page already, and may not be applied again. Nothing of a parsed page is run:
  // the scripts in it are the numbers of its figures.
  const text = answer.text.slice(answer.text.indexOf('<main>'), answer.text.lastIndexOf('</main>'));
  const main = new DOMParser().parseFromString(text, 'text/html').querySelector('main');
  if (!main) return showProblem('the server answered with no page', `its answer is ${answer.type}`);
  by('answer').replaceChildren(...main.childNodes);
  drawFigures(by('answer'));
  document.title = `frx: ${by('answer').querySelector('h1')?.textContent ?? 'answer'}`;
  by('downloads').classList.remove('hidden');
  drop.classList.add('small');
  by('answer').focus();
}

function analyse(chosen: Chosen[]): void {
  files = chosen.filter(({file}) => file.size > 0 || chosen.length === 1);
  compares = false;
  if (files.length > 0) void show();
  else showProblem('there are no files in it');
}

by('compare').addEventListener('click', () => {
  if (compares) files.reverse();
  compares = true;
  void show();
});
by('together').addEventListener('click', () => {
  compares = false;
  void show();
});
by('cancel').addEventListener('click', () => {
  running?.abort();
  by('files').focus();
});

const endings: Record<string, string> = {html: 'html', json: 'json', markdown: 'md', text: 'txt'};
const mediaTypes: Record<string, string> = {html: 'text/html', json: 'application/json', markdown: 'text/markdown', text: 'text/plain'};
by('downloads').addEventListener('click', async (event) => {
  const format = (event.target as HTMLElement).dataset.format;
  const answer = format ? await ask(format) : null;
  if (!format || !answer) return;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([answer.text], {type: answer.type}));
  link.download = `${files[0].path.split('/').pop()}.frx.${endings[format]}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});

for (const id of ['files', 'folder']) {
  const input = by<HTMLInputElement>(id);
  input.addEventListener('change', () => {
    const chosen = [...(input.files ?? [])].map((file) => ({file, path: file.webkitRelativePath || file.name}));
    input.value = '';
    if (chosen.length > 0) analyse(chosen);
  });
}
drop.addEventListener('submit', (event) => event.preventDefault());
addEventListener('dragover', (event) => {
  event.preventDefault();
  drop.classList.add('over');
});
addEventListener('dragleave', (event) => {
  if (!event.relatedTarget) drop.classList.remove('over');
});
addEventListener('drop', async (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  if (event.dataTransfer) analyse(await filesOf(event.dataTransfer));
});
addEventListener('paste', ({target, clipboardData}) => {
  // Into a field it is pasted as ever.
  if (target instanceof HTMLInputElement || !clipboardData) return;
  const text = clipboardData.getData('text/plain');
  if (clipboardData.files.length > 0) analyse([...clipboardData.files].map((file) => ({file, path: file.name})));
  else if (text.trim()) analyse([pastedFile(text)]);
});
