// A link to a page of the panel in running text or a table's cell.

import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';
import { classNames } from './class-names.ts';
import { rowLinkClasses } from './data-table.tsx';

type AnchorProps = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly ref?: Ref<HTMLAnchorElement> };

function Anchor({ children, className, ...rest }: AnchorProps) {
  return (
    <a
      {...rest}
      className={classNames(
        'text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent',
        className,
      )}
    >
      {children}
    </a>
  );
}

function RowAnchor({ children, ...rest }: AnchorProps) {
  return (
    <a {...rest} data-row-link className={rowLinkClasses}>
      {children}
    </a>
  );
}

/** Of a figure: it is underlined only where it is pointed at. */
function FigureAnchor(props: AnchorProps) {
  return <Anchor {...props} className="decoration-transparent" />;
}

const CreatedTextLink = createLink(Anchor);
const CreatedRowLink = createLink(RowAnchor);
const CreatedFigureLink = createLink(FigureAnchor);

export const TextLink: LinkComponent<typeof Anchor> = (props) => <CreatedTextLink {...props} />;
/** Its whole row follows it. */
export const RowLink: LinkComponent<typeof RowAnchor> = (props) => <CreatedRowLink {...props} />;
export const FigureLink: LinkComponent<typeof FigureAnchor> = (props) => <CreatedFigureLink {...props} />;
