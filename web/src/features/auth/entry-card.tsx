import { Globe, type LucideIcon, SunMoon } from 'lucide-react';
import type { ReactNode } from 'react';
import { LanguageChoice } from '../../ui/language-choice.tsx';
import { ThemeChoice } from '../../ui/theme-choice.tsx';
import { useWindowTitle } from '../../ui/window-title.ts';
import { Logo } from '../brand/logo.tsx';

interface EntryCardProps {
  readonly title: string;
  readonly heading?: string;
  readonly below?: ReactNode;
  readonly isSignedIn?: boolean;
  readonly children: ReactNode;
}

export function EntryCard({ title, heading, below, isSignedIn = false, children }: EntryCardProps) {
  useWindowTitle(title);
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center px-5 py-10">
      <div className="mb-6 flex justify-center">
        <Logo />
      </div>
      <div className="rounded-card border border-line bg-card p-6 shadow-lift sm:p-7">
        {heading === undefined ? null : <h1 className="mb-5 text-lg">{heading}</h1>}
        {children}
      </div>
      {below}
      <div className="mt-5 flex justify-center gap-1.5">
        <Named icon={Globe}>
          <LanguageChoice isSignedIn={isSignedIn} className="pl-7" />
        </Named>
        <Named icon={SunMoon}>
          <ThemeChoice className="pl-7" />
        </Named>
      </div>
    </main>
  );
}

/** A select with an icon instead of a label. */
function Named({ icon: Icon, children }: { readonly icon: LucideIcon; readonly children: ReactNode }) {
  return (
    <span className="relative inline-flex items-center">
      <Icon aria-hidden="true" className="pointer-events-none absolute left-2 size-3.5 text-soft" />
      {children}
    </span>
  );
}
