// The page of frx serve: files go to /analyze or /compare, and what comes back is shown. Nothing is concluded here.
import {render} from 'preact';
import {filesOf, inTime, pastedFile, type Chosen} from './analyzer/chosen';
import {problemOf, send, type Answer} from './analyzer/request';
import {by, showProblem, Status} from './analyzer/status';
import {drawFigures} from './report';

const drop = by('drop');
let files: Chosen[] = [];
let compares = false; // whether the two files are before and after
let refused = 0; // status of the last answer that was none
let running: XMLHttpRequest | null = null;

// Null: there is no answer, and the page says why.
async function ask(format: string): Promise<Answer | null> {
  running?.abort();
  const call = (running = new XMLHttpRequest());
  const status = new Status();
  status.phase(`Sending ${files.length === 1 ? files[0].path : `${files.length} files`}`);
  showProblem('');
  refused = 0;
  try {
    const answer = await send({files, compares, gpu: by<HTMLInputElement>('gpu').value.trim(), format}, call, status);
    if (answer.status === 200) return answer;
    refused = answer.status;
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

function showPair(): void {
  by('pair').hidden = files.length !== 2;
  by('before').textContent = files[0].path;
  by('after').textContent = files.at(-1)!.path;
  by('together').hidden = !compares;
  by('compare').textContent = compares ? 'Swap before and after' : 'Compare as before and after';
}

async function show(): Promise<void> {
  clearAnswer();
  showPair();
  let answer = await ask('html');
  if (!answer && files.length === 2 && !compares && [400, 422].includes(refused)) {
    // Two profiles have no answer together: they are two measurements of one program.
    const problem = [...by('problem').childNodes];
    compares = true;
    answer = await ask('html');
    compares = answer !== null;
    if (!answer) by('problem').replaceChildren(...problem);
    showPair();
  }
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
  if (files.length === 2) files = inTime([files[0], files[1]]);
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
