// What a script adds to the pages of /docs: the search, the language of the samples that was chosen last, and a
// copy button on code. Every page is whole without it.

const script = document.querySelector('script[data-passages]');

// ---- search

const form = document.querySelector('.search');
const field = form.querySelector('input');
const results = form.querySelector('.results');
const resultsMax = 8;
let passages = null;
form.hidden = false;

async function load() {
  passages ??= fetch(script.dataset.passages).then((response) => response.json());
  return passages;
}

async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return show([]);
  const scored = (await load()).flatMap((passage) => {
    const heading = passage.heading.toLowerCase();
    const all = `${passage.page} ${heading} ${passage.text}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return [];
    const inHeading = words.filter((word) => heading.includes(word)).length;
    return [{ passage, score: inHeading * 10 + (heading.startsWith(words[0]) ? 5 : 0) }];
  });
  scored.sort((a, b) => b.score - a.score);
  show(scored.slice(0, resultsMax).map(({ passage }) => passage));
}

function show(found) {
  const items = found.map(({ address, page, heading, text }) => {
    const link = document.createElement('a');
    link.href = address;
    const title = document.createElement('strong');
    title.textContent = heading === page ? page : `${page} › ${heading}`;
    const excerpt = document.createElement('small');
    excerpt.textContent = text.slice(0, 110);
    link.append(title, excerpt);
    const item = document.createElement('li');
    item.append(link);
    return item;
  });
  if (items.length === 0 && field.value.trim() !== '') {
    const none = document.createElement('li');
    none.className = 'none';
    none.textContent = 'Nothing found.';
    items.push(none);
  }
  results.replaceChildren(...items);
  results.hidden = items.length === 0;
}

field.addEventListener('focus', () => void load());
field.addEventListener('input', () => void search());
form.addEventListener('submit', (event) => {
  event.preventDefault();
  results.querySelector('a')?.click();
});
form.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    results.hidden = true;
    field.blur();
  }
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const links = [...results.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
  event.preventDefault();
  (links[at] ?? field).focus();
});
document.addEventListener('click', (event) => {
  if (!form.contains(event.target)) results.hidden = true;
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input:not([type=radio])')) return;
  event.preventDefault();
  field.focus();
});

// ---- samples: one choice of a language is a choice for every sample

const storageKey = 'docs-language';

function choose(language) {
  for (const radio of document.querySelectorAll('.tabs input')) {
    if (radio.dataset.language === language) radio.checked = true;
  }
}

function remembered() {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null; // storage may be forbidden
  }
}

const last = remembered();
if (last !== null) choose(last);
document.addEventListener('change', ({ target }) => {
  if (!target.matches('.tabs input')) return;
  const before = target.getBoundingClientRect().top;
  choose(target.dataset.language);
  scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' });
  try {
    localStorage.setItem(storageKey, target.dataset.language);
  } catch {
    // Then it is not remembered.
  }
});

// ---- copying

if (navigator.clipboard !== undefined) {
  for (const block of document.querySelectorAll('pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1_500);
    });
    block.append(button);
  }
}
