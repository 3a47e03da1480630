// Loads the texts in the reader's language, then starts the pages.

import { language } from './text/language.ts';
import { loadTexts } from './text/texts.ts';
import './styles.css';

document.documentElement.lang = language;
await loadTexts('panel');
const { start } = await import('./start.tsx');
start();
