// In test mode, waits for the test's balance and clock before it shows the page, so that live values never flash.

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFreshListsWith } from '../../api/fresh-lists.ts';
import { MeContext, useMe } from '../../api/me.ts';
import { panelMode } from '../../api/panel-mode.ts';
import { balanceQuery, testClockQuery } from '../../api/queries.ts';
import { TestClockContext } from '../../api/test-clock.ts';

interface TestModeGateProps {
  readonly waiting: ReactNode;
  readonly failed: (error: Error, retry: () => void) => ReactNode;
  readonly children: ReactNode;
}

export function TestModeGate(props: TestModeGateProps) {
  return panelMode === 'test' ? <Gate {...props} /> : props.children;
}

function Gate({ waiting, failed, children }: TestModeGateProps) {
  const me = useMe();
  const balance = useQuery(balanceQuery);
  const clock = useQuery(testClockQuery);
  const now = clock.data?.clock.now;
  useFreshListsWith(balance.data && now && `${balance.data.balance} ${now}`);
  if (balance.data === undefined || now === undefined) {
    const error = balance.error ?? clock.error;
    if (error === null) return waiting;
    return failed(error, () => {
      void balance.refetch();
      void clock.refetch();
    });
  }
  return (
    <MeContext
      value={{
        ...me,
        account: { ...me.account, balance: balance.data.balance },
        receivable: balance.data.receivable,
        topups: { ...me.topups, methods: ['card', 'bank_transfer'] },
      }}
    >
      <TestClockContext value={now}>{children}</TestClockContext>
    </MeContext>
  );
}
