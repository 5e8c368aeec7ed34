// Long work in short pieces, so that frames stay on time.
const piece_ms = 5;

// Runs `work` to its end, `finished` then. Returns what stops it.
export function inPauses(work: Generator<void>, finished: () => void): () => void {
  let timer = 0;
  const go = () => {
    const end = performance.now() + piece_ms;
    do {
      if (work.next().done) return finished();
    } while (performance.now() < end);
    timer = window.setTimeout(go, 8);
  };
  timer = window.setTimeout(go, 60);
  return () => clearTimeout(timer);
}
