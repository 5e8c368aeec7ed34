// Buttons that copy the command beside them.
document.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-copy]');
  if (!button) return;
  const text = button.parentElement.querySelector('code').textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page that was opened from disk may not use the clipboard: the text is selected instead.
    const range = document.createRange();
    range.selectNodeContents(button.parentElement.querySelector('code'));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return;
  }
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy'; }, 1500);
});
