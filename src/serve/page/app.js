// The page of frx serve: files go to /analyze, and what comes back is shown. Nothing is concluded here.
const by = (id) => document.getElementById(id);
let files = [];

// The files of a drop, folders opened: [{file, path}].
async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) return [...transfer.files].map((file) => ({file, path: file.name}));
  const found = [];
  const visit = async (entry, prefix) => {
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      found.push({file, path: prefix + entry.name});
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) return;
      for (const inner of some) await visit(inner, `${prefix}${entry.name}/`);
    }
  };
  for (const entry of entries) await visit(entry, '');
  return found;
}

function request(format, onProgress) {
  const form = new FormData();
  if (by('gpu').value.trim()) form.append('gpu_model', by('gpu').value.trim());
  for (const {file, path} of files) form.append('files', file, path);
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open('POST', `/analyze?format=${format}`);
    const token = sessionStorage.getItem('token');
    if (token) call.setRequestHeader('Authorization', `Bearer ${token}`);
    call.upload.onprogress = (event) => onProgress(event.loaded, event.total);
    call.onload = () => resolve({status: call.status, type: call.getResponseHeader('Content-Type') ?? '', text: call.responseText});
    call.onerror = () => reject(new Error('the server cannot be reached'));
    call.send(form);
  });
}

function showProblem(text, hint) {
  const box = by('problem');
  box.replaceChildren();
  if (!text) return;
  const section = document.createElement('section');
  const words = document.createElement('p');
  words.className = 'red';
  words.textContent = text;
  section.append(words);
  if (hint) {
    const more = document.createElement('p');
    more.textContent = hint;
    section.append(more);
  }
  box.append(section);
}

// An answer whose status is not 200 says why in JSON.
function problemOf(answer) {
  try {
    const problem = JSON.parse(answer.text);
    return [problem.where ? `${problem.where}: ${problem.detail}` : problem.detail, problem.hint];
  } catch {
    return [`the server answered with status ${answer.status}`, ''];
  }
}

async function ask(format) {
  const status = by('status');
  const bar = document.createElement('progress');
  bar.setAttribute('aria-label', 'Progress');
  const words = document.createElement('p');
  words.textContent = `Sending ${files.length === 1 ? files[0].path : `${files.length} files`}`;
  status.replaceChildren(words, bar);
  showProblem('');
  try {
    const answer = await request(format, (sent, all) => {
      bar.max = all;
      bar.value = sent;
      if (sent < all) return;
      words.textContent = 'Analysing';
      bar.removeAttribute('value');
    });
    if (answer.status === 401) {
      sessionStorage.setItem('token', prompt('The token of this server') ?? '');
      showProblem('this server needs a token', 'send the files again');
      return null;
    }
    if (answer.status !== 200) {
      showProblem(...problemOf(answer));
      return null;
    }
    return answer;
  } catch (error) {
    showProblem(error.message);
    return null;
  } finally {
    status.replaceChildren();
  }
}

async function analyse(chosen) {
  files = chosen.filter(({file}) => file.size > 0 || chosen.length === 1);
  if (files.length === 0) return showProblem('there are no files in it');
  by('answer').replaceChildren();
  by('downloads').classList.add('hidden');
  const answer = await ask('html');
  if (!answer) return;
  // The style and the script of the answer are those of this page already, and may not be applied again.
  const begin = answer.text.indexOf('<main>'), end = answer.text.lastIndexOf('</main>');
  const page = new DOMParser().parseFromString(answer.text.slice(begin, end), 'text/html');
  by('answer').replaceChildren(...page.querySelector('main').childNodes);
  document.title = `frx: ${by('answer').querySelector('h1').textContent}`;
  by('downloads').classList.remove('hidden');
  drop.classList.add('small');
  by('answer').focus();
}

const endings = {html: 'html', json: 'json', markdown: 'md', text: 'txt'};
by('downloads').addEventListener('click', async (event) => {
  const format = event.target.dataset.format;
  if (!format) return;
  const answer = await ask(format);
  if (!answer) return;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([answer.text], {type: answer.type}));
  link.download = `${files[0].path.split('/').pop()}.frx.${endings[format]}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});

for (const id of ['files', 'folder']) {
  by(id).addEventListener('change', () => {
    const chosen = [...by(id).files].map((file) => ({file, path: file.webkitRelativePath || file.name}));
    by(id).value = '';
    if (chosen.length > 0) analyse(chosen);
  });
}
const drop = by('drop');
drop.addEventListener('submit', (event) => event.preventDefault());
addEventListener('dragover', (event) => { event.preventDefault(); drop.classList.add('over'); });
addEventListener('dragleave', (event) => { if (!event.relatedTarget) drop.classList.remove('over'); });
addEventListener('drop', async (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  analyse(await filesOf(event.dataTransfer));
});
