import { createLink, type LinkComponent } from '@tanstack/react-router';
import { AnchorButton } from './button.tsx';

const CreatedButtonLink = createLink(AnchorButton);

export const ButtonLink: LinkComponent<typeof AnchorButton> = (props) => <CreatedButtonLink {...props} />;
