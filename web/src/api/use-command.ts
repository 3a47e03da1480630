// A command of commands.ts as React sees it: pending, refused, done. One at a time: a second click while it is
// under way does nothing. Whatever was read before is read again afterwards, whether it was done or refused:
// a command whose answer was lost may have been carried out.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

interface Following<Answer> {
  readonly onDone?: (answer: Answer) => void;
}

export function useCommand<Input, Answer>(
  run: (input: Input) => Promise<Answer>,
  { onDone }: Following<Answer> = {},
) {
  const client = useQueryClient();
  const isRunning = useRef(false);
  const mutation = useMutation<Answer, Error, Input>({
    mutationFn: run,
    onSuccess: (answer) => onDone?.(answer),
    onSettled: () => {
      isRunning.current = false;
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== '/orders/preview' });
    },
  });
  const mutate = (input: Input, { onRefused }: { readonly onRefused?: (error: Error) => void } = {}) => {
    if (isRunning.current) return;
    isRunning.current = true;
    mutation.mutate(input, { ...(onRefused !== undefined && { onError: onRefused }) });
  };
  return { ...mutation, mutate };
}
