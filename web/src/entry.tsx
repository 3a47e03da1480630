// The pages before the sign-in: a document of their own with Preact in place of React (entry-build.ts), a third of the size.
// Like main.tsx, it loads the texts first.

import { language } from './text/language.ts';
import { loadTexts } from './text/texts.ts';
import './styles.css';

document.documentElement.lang = language;
await Promise.all([loadTexts('panel'), loadTexts('entry')]);
const { startEntry } = await import('./start-entry.tsx');
startEntry();
