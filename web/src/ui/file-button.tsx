import { buttonClasses } from './button.tsx';

interface FileButtonProps {
  readonly label: string;
  readonly accept: string;
  readonly disabled?: boolean;
  readonly onFile: (file: File) => void;
}

/** A file input labeled in the page's language. The native one is labeled in the browser's language. */
export function FileButton({ label, accept, disabled = false, onFile }: FileButtonProps) {
  return (
    <label
      aria-disabled={disabled || undefined}
      className={buttonClasses(
        'plain',
        'relative cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
      )}
    >
      <input
        type="file"
        accept={accept}
        disabled={disabled}
        className="sr-only"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) onFile(file);
          // Clear the value, so that the same file can be chosen again after a refusal.
          target.value = '';
        }}
      />
      {label}
    </label>
  );
}
