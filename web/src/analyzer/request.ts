// A request of the page to its server.
import {formatBytes} from '../parts/format';
import type {Chosen} from './chosen';
import type {Status} from './status';

export interface Asked {
  files: Chosen[];
  compares: boolean; // the two files are before and after
  gpu: string; // where the files do not say; "": nothing was named
  format: string;
}
export interface Answer {
  status: number;
  type: string;
  text: string;
}

const mediaTypes: Record<string, string> = {html: 'text/html', json: 'application/json', markdown: 'text/markdown', text: 'text/plain'};

// Whole events of a text/event-stream, from `at` on; the last element is where the next one begins.
function eventsOf(text: string, at: number, take: (name: string, data: string) => void): number {
  for (let end = text.indexOf('\n\n', at); end >= 0; at = end + 2, end = text.indexOf('\n\n', at)) {
    const lines = text.slice(at, end).split('\n');
    const name = lines.find((line) => line.startsWith('event: '))?.slice(7) ?? '';
    take(name, lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(line[5] === ' ' ? 6 : 5)).join('\n'));
  }
  return at;
}

// Sends files to /analyze, or two of them to /compare, with the progress of the server as events.
export function send(asked: Asked, call: XMLHttpRequest, status: Status): Promise<Answer> {
  const {files, compares, gpu, format} = asked;
  const form = new FormData();
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

// An answer whose status is not 200 says why in JSON.
export function problemOf({text, status}: Answer): [string, string?] {
  try {
    const {where, detail, hint} = JSON.parse(text);
    return [where ? `${where}: ${detail}` : detail, hint];
  } catch {
    return [`the server answered with status ${status}`];
  }
}
