// Measures the sentences of a document. A list item ends a sentence even without a full stop. Headings, tables, code blocks
// and front matter are not counted. A link counts as many words as it shows, `code` as one. Fragments below four words do
// not count.

import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

export const medianMax = 18;
export const longMax = 32;
const longShareMax = 0.05;
const fragmentWordsMax = 3;

interface Sentence {
  readonly line: number;
  readonly words: number;
  readonly text: string;
}

export interface Lengths {
  readonly median: number;
  readonly long: readonly Sentence[];
  readonly isShort: boolean;
}

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
  readonly position?: { readonly start: { readonly line: number } };
}

const sentencesOf = new Intl.Segmenter('en', { granularity: 'sentence' });
const wordsOf = new Intl.Segmenter('en', { granularity: 'word' });

export function measureSentences(markdown: string): Lengths {
  const body = markdown.replace(/^---\n[\s\S]*?\n---\n/, (matter) => matter.replaceAll(/[^\n]/g, ''));
  const tree = fromMarkdown(body, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const sentences = paragraphsOf(tree as Node).flatMap((paragraph) => {
    const line = paragraph.position?.start.line ?? 0;
    return [...sentencesOf.segment(textOf(paragraph).replaceAll(/\s+/g, ' '))]
      .map(({ segment }) => ({ line, words: countWords(segment), text: segment.trim() }))
      .filter(({ words }) => words > fragmentWordsMax);
  });
  const counts = sentences.map(({ words }) => words).toSorted((a, b) => a - b);
  const median = counts[Math.floor((counts.length - 1) / 2)] ?? 0;
  const long = sentences.filter(({ words }) => words > longMax).toSorted((a, b) => b.words - a.words);
  const isShort = median <= medianMax && long.length <= counts.length * longShareMax;
  return { median, long, isShort };
}

function paragraphsOf(node: Node): readonly Node[] {
  if (node.type === 'paragraph') return [node];
  if (node.type === 'table' || node.type === 'heading') return [];
  return (node.children ?? []).flatMap(paragraphsOf);
}

function textOf(node: Node): string {
  // Dots and spaces in code must not end sentences or add words. The capital in 'Code' lets it begin a sentence.
  if (node.type === 'inlineCode') return 'Code';
  if (node.type === 'html') return '';
  if (node.type === 'break') return ' ';
  return node.value ?? (node.children ?? []).map(textOf).join('');
}

function countWords(text: string): number {
  return [...wordsOf.segment(text)].filter(({ isWordLike }) => isWordLike).length;
}
