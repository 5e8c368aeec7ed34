// Files that a person chose, dropped or pasted.
export interface Chosen {
  file: File;
  path: string;
}

// The files of a drop, folders opened.
export async function filesOf(transfer: DataTransfer): Promise<Chosen[]> {
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

const early = /before|baseline|base|orig|old|slow|naive|first/i;
const late = /after|optimi[sz]ed|new|fast|tuned|second/i;

// Two files as before and after: by what their names say, else in the order in which they were given.
export function inTime([first, second]: [Chosen, Chosen]): [Chosen, Chosen] {
  const name = ({path}: Chosen) => path.split('/').pop() ?? path;
  const isSwapped = (early.test(name(second)) && !early.test(name(first))) || (late.test(name(first)) && !late.test(name(second)));
  return isSwapped ? [second, first] : [first, second];
}

// Text out of the clipboard as a file: PTX says its version and its target, anything else is CUDA.
export function pastedFile(text: string): Chosen {
  const isPtx = /^\s*\.version\s/m.test(text) && /^\s*\.target\s/m.test(text);
  const path = isPtx ? 'pasted.ptx' : 'pasted.cu';
  return {file: new File([text], path, {type: 'text/plain'}), path};
}
