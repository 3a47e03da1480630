// The start of the pages: the sentences of the reader's language, and then the pages themselves.

import { language } from './text/language.ts';
import { loadTexts } from './text/texts.ts';
import './styles.css';

document.documentElement.lang = language;
await loadTexts('panel');
const { start } = await import('./start.tsx');
start();
