export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex gap-1">
      {keys.split(' ').map((key) => (
        <kbd
          key={key}
          className="rounded border border-line bg-card px-1.5 font-sans text-xs leading-5 text-soft"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
