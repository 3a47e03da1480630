// The demo's customers: people and small firms from several countries. As in real lists, there are accents, apostrophes,
// long names and right-to-left names. Called by play-demo-year.ts.
// Invariant: references are unique, and e-mail addresses use reserved domains.

import type { Random } from './seeded-random.ts';

export interface Person {
  readonly reference: string;
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
/** Used now and then, because a layout that was tried only with short names breaks with long ones. */
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
    const mailbox = random.pick(['hello', 'info', 'office', 'team']);
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

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[øłıß]/g, (letter) => barred[letter] ?? '')
    .normalize('NFD')
    .replace(/[^a-z]/g, '');
}
