// What React does with attributes and Preact does not: `autoFocus` moves the focus whenever a field appears, and
// `spellCheck={false}` is written.

import { options } from 'preact';

const before = options.vnode;

options.vnode = (vnode) => {
  const { type, props } = vnode;
  if (typeof type === 'string') {
    const attributes: Record<string, unknown> = props;
    if (attributes['autoFocus'] === true) vnode.ref ??= focus;
    delete attributes['autoFocus'];
    if (attributes['spellCheck'] === false) attributes['spellCheck'] = 'false';
  }
  before?.(vnode);
};

function focus(element: unknown): void {
  if (element instanceof HTMLElement) element.focus();
}
