// Progress of a long command on standard error: one line that is rewritten on a terminal, otherwise an occasional line.

import { type CommandOutput, commandIo } from './command-io.ts';

export interface ProgressLine {
  show(done: number, note: string): void;
  say(sentence: string): void;
  end(): void;
}

const barCharacters = 24;
const lineWidth = 80;

export function createProgressLine(total: number, output: CommandOutput = commandIo().stderr): ProgressLine {
  let last = '';
  const clear = '\r\u001b[K';
  function end(): void {
    if (output.isTTY && last !== '') output.write(clear);
    last = '';
  }
  return {
    show(done, note) {
      const text = `${done} of ${total}${note === '' ? '' : `, ${note}`}`;
      if (text === last) return;
      last = text;
      if (!output.isTTY) {
        output.write(`${text}\n`);
        return;
      }
      const filled = total === 0 ? 0 : Math.floor((done / total) * barCharacters);
      const bar = '█'.repeat(filled) + '░'.repeat(barCharacters - filled);
      output.write(`${clear}${`${bar} ${text}`.slice(0, (output.columns ?? lineWidth) - 1)}`);
    },
    say(sentence) {
      end();
      output.write(`${sentence}\n`);
    },
    end,
  };
}
