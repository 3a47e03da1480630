// Finds an account by a part of its name, to choose it.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { foundAccountsQuery } from '../../api/queries.ts';
import { Choice } from '../../ui/choice.tsx';
import { TextField } from '../../ui/field.tsx';
import { useText } from '../../ui/use-text.ts';

interface AccountSearchProps {
  readonly chosen: number | null;
  /** null: what was chosen is no longer shown. */
  readonly onChoose: (accountId: number | null) => void;
}

const accountsShown = 8;

export function AccountSearch({ chosen, onChoose }: AccountSearchProps) {
  const [typed, { onText, ...typedField }] = useText();
  const words = typed.trim();
  const { data } = useQuery({
    ...foundAccountsQuery({ q: words, limit: accountsShown }),
    enabled: words !== '',
  });
  const found = words === '' ? [] : (data?.data ?? []);
  return (
    <>
      <TextField
        label={t`Account`}
        kind="name"
        autoFocus
        hint={
          words !== '' && data !== undefined && found.length === 0
            ? t`No such account.`
            : t`Part of a username or name.`
        }
        {...typedField}
        onText={(text) => {
          onText(text);
          onChoose(null);
        }}
      />
      {found.length === 0 ? null : (
        <Choice
          label={t`Accounts found`}
          look="cards"
          value={chosen}
          options={found.map(({ id, username, display_name: name }) => ({
            value: id,
            title: <bdi>{username}</bdi>,
            ...(name !== username && { note: <bdi>{name}</bdi> }),
          }))}
          onChoose={onChoose}
        />
      )}
    </>
  );
}
