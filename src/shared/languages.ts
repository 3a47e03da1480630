// Languages for people; the first is the default. Machine-readable text, including error messages, is always English.

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];
