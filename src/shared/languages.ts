// The languages that the service speaks with people: a closed list, the first one where nobody says anything. What
// machines read, codes and the sentences beside them, is English whoever asks.

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];
