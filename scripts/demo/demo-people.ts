// The customers of the demo: people and small firms from several places, so that a list shows what a list of
// real customers shows: accents, apostrophes, long names, names written from right to left. Called by demo-year.ts.
// Always true: no reference twice, and every e-mail address is under a domain that can belong to nobody.

import type { Random } from './random.ts';

export interface Person {
  /** An e-mail address or a username, as a reseller sends it. */
  readonly reference: string;
  /** null: the reseller knows no name. */
  readonly name: string | null;
}

const firstNames = [
  ...[
    'Ada',
    'Amara',
    'Andreea',
    'Anna',
    'Astrid',
    'Aylin',
    'Beatriz',
    'Camille',
    'Carlos',
    'Chiara',
    'Daniel',
  ],
  ...['Deniz', 'Elena', 'Emeka', 'Emil', 'Fatima', 'Femke', 'Finn', 'Gabriel', 'Giulia', 'Hana', 'Henrik'],
  ...[
    'Ines',
    'Isla',
    'Ivan',
    'James',
    'Jana',
    'João',
    'Jonas',
    'Jürgen',
    'Kaito',
    'Katarzyna',
    'Lars',
    'Leila',
  ],
  ...['Lena', 'Léo', 'Lucía', 'Magnus', 'Maja', 'Marek', 'Mateo', 'Mei', 'Mila', 'Nadia', 'Niamh', 'Noah'],
  ...[
    'Nora',
    'Oksana',
    'Oliver',
    'Omar',
    'Paula',
    'Pedro',
    'Priya',
    'Rafael',
    'Rosa',
    'Ruben',
    'Sanne',
    'Sara',
  ],
  ...[
    'Sibel',
    'Sofia',
    'Søren',
    'Tariq',
    'Tess',
    'Thandi',
    'Tomáš',
    'Valentina',
    'Viktor',
    'Wanjiru',
    'Yara',
  ],
  ...['Yusuf', 'Zoë'],
];
const lastNames = [
  ...['Achieng', 'Almeida', 'Andersson', 'Bakker', 'Bauer', 'Bianchi', 'Brown', 'Castro', 'Chen', 'Clarke'],
  ...[
    'Costa',
    'de Vries',
    'Demir',
    'Dubois',
    'Eriksen',
    'Ferrari',
    'Fischer',
    'Fontaine',
    'García',
    'Haddad',
  ],
  ...[
    'Hansen',
    'Hoffmann',
    'Horvat',
    'Ibrahim',
    'Ivanova',
    'Jansen',
    'Kaya',
    'Kowalska',
    'Laurent',
    'Lindqvist',
  ],
  ...['López', 'Marković', 'Martins', 'Meyer', 'Moreau', 'Murphy', 'Nakamura', 'Nguyen', 'Novák', 'O’Brien'],
  ...['Okafor', 'Patel', 'Petrov', 'Popescu', 'Ricci', 'Rossi', 'Santos', 'Schneider', 'Silva', 'Smith'],
  ...['Sørensen', 'Tanaka', 'van der Berg', 'Vasquez', 'Virtanen', 'Weber', 'Williams', 'Wójcik', 'Yılmaz'],
];
const firmNames = [
  ...['Atelier', 'Bakery', 'Barbers', 'Bikes', 'Blooms', 'Books', 'Ceramics', 'Coffee', 'Dental', 'Garden'],
  ...['Hotel', 'Kitchen', 'Opticians', 'Records', 'Studio', 'Travel', 'Vineyard', 'Yoga'],
];
const firmOwners = [
  ...[
    'Acorn',
    'Alder',
    'Amber',
    'Birch',
    'Bluebird',
    'Canal',
    'Cedar',
    'Harbour',
    'Hazel',
    'Juniper',
    'Lantern',
  ],
  ...[
    'Linden',
    'Magpie',
    'Mill Lane',
    'Northgate',
    'Old Town',
    'Olive',
    'Orchard',
    'Poppy',
    'Quay',
    'Riverside',
  ],
  ...['Saffron', 'Sparrow', 'Tidal', 'Willow', 'Wren'],
];
/** Now and then one of these: they break what was only tried with short ones. */
const rareNames = [
  'Maximiliane Freifrau von Hohenstein-Wallenburg zu Oberau',
  'شركة النور للتصميم',
  'מאפיית הגליל',
  '株式会社さくらメディア',
  'Студия «Северный ветер»',
  'Κατερίνα Παπαδοπούλου',
  'Fish & Chips <Harbour> Ltd.',
];
const rareEvery = 45;
const mailDomains = ['example.com', 'example.org', 'example.net', 'mail.example', 'post.example'];

export function createPeople(random: Random): { next(): Person } {
  const taken = new Set<string>();

  /** The first of "anna", "anna2", "anna3" … that nobody has. */
  function free(make: (suffix: string) => string): string {
    for (let count = 1; ; count += 1) {
      const reference = make(count === 1 ? '' : String(count));
      if (taken.has(reference)) continue;
      taken.add(reference);
      return reference;
    }
  }

  function firm(): Person {
    const owner = random.pick(firmOwners);
    const kind = random.pick(firmNames);
    const domain = `${plain(owner)}-${plain(kind)}`;
    const mailbox = random.pick(['hello', 'info', 'office', 'social']);
    return { reference: free((suffix) => `${mailbox}@${domain}${suffix}.example`), name: `${owner} ${kind}` };
  }

  function human(): Person {
    const first = random.pick(firstNames);
    const last = random.pick(lastNames);
    const name = `${first} ${last}`;
    const style = random.below(10);
    if (style < 2) {
      const reference = free((suffix) => `${plain(first)[0]}${plain(last)}${suffix}`);
      return { reference, name: style === 0 ? null : name };
    }
    const domain = random.pick(mailDomains);
    return { reference: free((suffix) => `${plain(first)}.${plain(last)}${suffix}@${domain}`), name };
  }

  return {
    next() {
      const rare = random.below(rareEvery);
      if (rare === 0) {
        const name = random.pick(rareNames);
        return { reference: free((suffix) => `contact${suffix}@long-name.example`), name };
      }
      return rare % 3 === 0 ? firm() : human();
    },
  };
}

const barred: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', ı: 'i', ß: 'ss' };

/** "Søren O’Brien" as in an address: "sorenobrien". */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[øłıß]/g, (letter) => barred[letter] ?? '')
    .normalize('NFD')
    .replace(/[^a-z]/g, '');
}
