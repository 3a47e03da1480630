// A command of commands.ts as React sees it: pending, refused, done. One at a time: a second click while it is
// under way does nothing. Whatever was read before is read again afterwards, whether it was done or refused:
// a command whose answer was lost may have been carried out.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

interface Following<Answer> {
  readonly onDone?: (answer: Answer) => void;
  /** What was changed is read again before `onDone`, which waits for two seconds at most. */
  readonly isDoneOnceRead?: boolean;
}

const longestReadMs = 2000;

export function useCommand<Input, Answer>(
  run: (input: Input) => Promise<Answer>,
  { onDone, isDoneOnceRead = false }: Following<Answer> = {},
) {
  const client = useQueryClient();
  const isRunning = useRef(false);
  const readAgain = () =>
    client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== '/orders/preview' });
  const mutation = useMutation<Answer, Error, Input>({
    mutationFn: run,
    onSuccess: async (answer) => {
      if (isDoneOnceRead) {
        const tooLong = new Promise((resolve) => setTimeout(resolve, longestReadMs));
        await Promise.race([readAgain(), tooLong]);
      }
      onDone?.(answer);
    },
    onSettled: (_answer, error) => {
      isRunning.current = false;
      if (error !== null || !isDoneOnceRead) void readAgain();
    },
  });
  const mutate = (input: Input, { onRefused }: { readonly onRefused?: (error: Error) => void } = {}) => {
    if (isRunning.current) return;
    isRunning.current = true;
    mutation.mutate(input, { ...(onRefused !== undefined && { onError: onRefused }) });
  };
  return { ...mutation, mutate };
}
