interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
}

export function Meter({ label, value, max }: MeterProps) {
  return (
    <progress
      aria-label={label}
      value={Math.min(value, max)}
      max={Math.max(1, max)}
      className="block h-2 w-full appearance-none overflow-hidden rounded-full bg-fill forced-color-adjust-none forced-colors:border forced-colors:border-[CanvasText] [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-fill [&::-webkit-progress-value]:bg-accent"
    />
  );
}
