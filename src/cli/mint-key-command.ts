// sellthrough mint-key: generates a key for ADMIN_API_KEY. Stores nothing.

import { Command } from 'commander';
import { mintApiKey } from '../features/identity/api-key.ts';
import { commandIo } from './command-io.ts';

export function mintKeyCommand(): Command {
  return new Command('mint-key')
    .description('generate an API key for ADMIN_API_KEY (stored nowhere)')
    .option('--json', 'print it as JSON', false)
    .action(({ json }: { json: boolean }) => {
      const key = mintApiKey('live');
      commandIo().stdout.write(json ? `${JSON.stringify({ api_key: key })}\n` : `${key}\n`);
    });
}
