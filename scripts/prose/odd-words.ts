// Words and patterns that make a reader stop, and the places that may keep them. Names in code are checked too, so that a
// word does not come back through a variable.

interface Rule {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Matches whole words only: nothing in `items-stretch` or `./twin-store`. */
const words = (text: string) => new RegExp(`(?<![\\w/-])(?:${text})(?![\\w-])`, 'i');

const rules: readonly Rule[] = [
  { pattern: words('whoever|whatever|nobody|somebody|anybody'), instead: 'name the actor' },
  { pattern: words("nobody's|somebody's|anybody's"), instead: 'name the owner' },
  {
    pattern: words('(?<!there )(?:is|are|was|were|be) none|none that|none of (?:its|their|his|our) own'),
    instead: 'say what is, not what is not',
  },
  { pattern: words('one that is'), instead: 'repeat the noun' },
  { pattern: words('so that it may'), instead: '"to"' },
  {
    pattern: words('(?:is|are|was|were|it|them|kept|works?|runs?|asks?|once) no more|for ever'),
    instead: '"no longer", "forever"',
  },
  { pattern: words('does not do|will not do'), instead: 'name what is wrong' },
  { pattern: words('a moment ago'), instead: '"recently", or the time' },
  { pattern: words('always true:'), instead: '"Invariant:"' },
  { pattern: words('tells?|told|tellings?'), instead: '"send", "report", "show", "notify"' },
  { pattern: words('hears?|heard|deaf|speech|speeches'), instead: '"receive", "listen", "text"' },
  { pattern: words('deeds?|happenings?'), instead: '"action", "event"' },
  { pattern: words('twins?'), instead: '"test account", "copy"' },
  { pattern: words('doors?'), instead: '"guard", "socket", "endpoint"' },
  { pattern: words('stretch|stretches|stretched'), instead: '"range", "period"' },
  { pattern: words('purses?|lots?'), instead: '"reservation", "many"' },
  { pattern: words('strangers?'), instead: '"unknown caller", "someone else"' },
  { pattern: words('anew|afresh|lest|hitherto|whereof|thereof|thence'), instead: 'a word of today' },
  {
    pattern:
      /\bWhat (?:came|comes|cannot|could|has|had|would|will|must|may|holds|stands|belongs|remains|counts|no|only)\b/,
    instead: 'begin with the noun',
  },
];

/** British spellings, for code and texts that cspell does not check. Public names keep theirs. */
const britishForms = new RegExp(
  [
    'colour|favour(?!ite)|behaviour|neighbour|honour|labour|rumour|mould',
    'catalogue|dialogue|centre(?!d)|metre|defence|offence|licence|grey(?!list)|artefact|judgement',
    'fulfil(?!l)|labelled(?!by)|modelled|signalled|signalling|travelled|learnt|spelt|whilst|amongst',
    '(?:normal|serial|organ|recogn|real|optim|minim|maxim|summar|author|custom|util|final|priorit|initial|synchron|capital|emphas)is(?:e|es|ed|ing|ation)\\b',
  ].join('|'),
  'i',
);

interface Exemption {
  /** The beginning of the path; after a star, its end. */
  readonly file: string;
  readonly text: string;
  readonly reason: string;
}

const exemptions: readonly Exemption[] = [
  ...[
    'sdk/README.md',
    'docs/panel-api.md',
    'proof/machines/fuzzer.ts',
    'proof/refusals/',
    'src/features/brand/',
    'test/browser/docs-site.test.ts',
    'test/browser/theme.test.ts',
    'test/service/',
    'web/src/features/audit/audit-words.ts',
    'web/src/features/brand/brand-page.tsx',
    'web/src/ui/field-problems.ts',
  ].map((file) => ({
    file,
    text: 'colour',
    reason: 'a field of the API, a column, a detail of the audit log',
  })),
  ...['src/features/brand/read-logo.ts', 'test/service/brand.test.ts', 'web/src/ui/field-problems.ts'].map(
    (file) => ({ file, text: 'RGB or grey', reason: 'a detail of an error' }),
  ),
  {
    file: 'src/features/audit/audit-panel-routes.ts',
    text: 'nobody has this username',
    reason: 'a detail of an error',
  },
  {
    file: 'src/platform/database/embedded/control-socket.ts',
    text: "'door'",
    reason: 'a folder that commands of other versions use',
  },
  { file: 'src/features/ledger/facet-index.ts', text: 'stretch', reason: 'a column' },
  ...[
    'src/features/audit/read-security-events.ts',
    'src/features/auth/sign-in-log.ts',
    'src/platform/audit-log/remove-addresses.ts',
    'web/src/features/audit/',
    'test/',
  ].map((file) => ({
    file,
    text: 'deed',
    reason: 'an action and a field of stored audit entries',
  })),
  ...['scripts/try-places.ts', 'scripts/throwaway-postgres.ts'].map((file) => ({
    file,
    text: 'nobody',
    reason: 'a user of the system',
  })),
  { file: 'clients/python/src/sellthrough/', text: 'is None', reason: 'Python' },
  { file: 'scripts/demo/', text: 'customer=nobody', reason: 'a customer that does not exist' },
  ...['nobody', "'stranger'"].map((text) => ({
    file: 'proof/refusals/',
    text,
    reason: 'names in recorded cases',
  })),
  { file: 'proof/machines/panel-fuzzer.ts', text: "'nobody'", reason: 'an invalid e-mail address' },
  { file: 'test/unit/sdk-contract.test.ts', text: 'colour', reason: 'a made-up field of the API' },
  { file: 'compose.valkey.yaml', text: 'user: nobody', reason: 'a user of the system' },
  { file: 'test/harness/become-nobody.mjs', text: 'nobody', reason: 'a user of the system' },
  { file: 'web/src/shell/', text: 'speech input', reason: 'the term of the field' },
  { file: 'web/src/features/keys/address-notice.tsx', text: 'tell the operator', reason: 'people talk' },
  ...['of the twin is gone', "a twin's id", "the twin's account row", "of the twin are the twin's"].map(
    (text) => ({
      file: 'proof/oracle/AMBIGUITIES.md',
      text,
      reason: 'quotes the specification',
    }),
  ),
  { file: 'docs/reliability.md', text: 'none that was not committed', reason: 'what a machine printed' },
  { file: 'test/harness/tcp-proxy.ts', text: 'half heard', reason: 'the name of a fault' },
];

interface Finding {
  readonly line: number;
  readonly word: string;
  readonly instead: string;
}

export function findOddWords(file: string, text: string): Finding[] {
  const ofFile = exemptions.filter((exemption) => isFor(exemption, file));
  return text.split('\n').flatMap((line, index) => {
    let rest = line;
    for (const exemption of ofFile) {
      if (!rest.includes(exemption.text)) continue;
      used.add(exemption);
      rest = rest.replaceAll(exemption.text, '');
    }
    for (const { pattern, instead } of rules) {
      const [word] = pattern.exec(rest) ?? [];
      if (word !== undefined) return { line: index + 1, word, instead };
    }
    const [word] = britishForms.exec(rest) ?? [];
    return word === undefined ? [] : { line: index + 1, word, instead: 'the American form' };
  });
}

const used = new Set<Exemption>();

/** Exemptions that no line has needed since the program started. */
export function unusedExemptions(): readonly Exemption[] {
  return exemptions.filter((exemption) => !used.has(exemption));
}

function isFor({ file: place }: Exemption, file: string): boolean {
  return place.startsWith('*') ? file.endsWith(place.slice(1)) : file.startsWith(place);
}
