// What stops a start, as one sentence for the person who started it; a bug keeps its stack.

export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE') {
    return 'The port is taken by another program. Choose another with PORT.';
  }
  const isForPeople = [
    'ConfigProblem',
    'SchemaMismatch',
    'DataFolderInUse',
    'DataFolderUnusable',
    'EmbeddedServerFailed',
  ].includes(error.name);
  if (isForPeople) return error.message;
  if (error.name === 'DatabaseUnavailable') return `The database cannot be reached: ${error.message}`;
  return error.stack ?? error.message;
}
