// Opens and closes the machine code behind a line of source.
'use strict';

function toggle(target) {
  const source = target.closest && target.closest('.livesrc');
  const code = source && source.nextElementSibling;
  if (!code || code.className.indexOf('asm') !== 0) return false;
  source.setAttribute('aria-expanded', String(code.classList.toggle('open')));
  return true;
}

document.addEventListener('click', (event) => {
  if (!String(window.getSelection())) toggle(event.target);
});
document.addEventListener('keydown', (event) => {
  if ((event.key === 'Enter' || event.key === ' ') && toggle(event.target))
    event.preventDefault();
});
