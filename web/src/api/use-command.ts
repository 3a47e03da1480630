// Runs a command in React, once at a time. Then all reads are refetched, even after a failure: it may have been executed.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

interface Following<Answer> {
  readonly onDone?: (answer: Answer) => void;
  /** If true, `onDone` waits up to two seconds for the refetched data. */
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
