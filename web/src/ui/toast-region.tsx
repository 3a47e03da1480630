// The region that shows toasts (Base UI), loaded with the first toast.

import { Toast } from '@base-ui/react/toast';
import { t } from '@lingui/core/macro';
import { CircleCheck, X } from 'lucide-react';
import { useEffect } from 'react';
import { IconButton } from './button.tsx';

const manager = Toast.createToastManager();
const shownMilliseconds = 5_000;

/** `listen` receives a function that shows toasts; earlier toasts are shown at once. */
export default function ToastRegion({ listen }: { readonly listen: (show: (text: string) => void) => void }) {
  useEffect(() => listen((text) => void manager.add({ title: text, timeout: shownMilliseconds })), [listen]);
  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className="fixed inset-x-4 bottom-4 z-50 flex flex-col gap-2 sm:left-auto sm:w-88">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="rounded-control border border-line bg-card shadow-high transition-[opacity,translate] duration-200 data-ending-style:opacity-0 data-starting-style:translate-y-2 data-starting-style:opacity-0"
    >
      <Toast.Content className="flex items-center gap-3 py-1.5 pr-1.5 pl-4">
        <CircleCheck aria-hidden="true" className="size-4 shrink-0 text-good" />
        <Toast.Title className="min-w-0 flex-1 wrap-anywhere" />
        <Toast.Close render={<IconButton icon={X} label={t`Dismiss`} />} />
      </Toast.Content>
    </Toast.Root>
  ));
}
