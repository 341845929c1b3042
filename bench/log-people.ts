import { createHash } from 'node:crypto';
import type { ClientContext } from '../server/src/kernel/client.ts';
import type { Actor } from '../server/src/kernel/context.ts';

// This file generates people and service apps for the log. People sign in from one to three places, with a browser at
// each.

/** Returns a function that yields pseudo-random numbers, the same ones in every run (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Makes an id like those of the product: a prefix and 17 characters. */
export const idOf = (prefix: string, kind: string, number: number): string =>
  prefix + createHash('sha256').update(`${kind} ${number}`).digest('hex').slice(0, 17);

const FIRST = (
  'Ada Alan Barbara Bjarne Clara Dana Dennis Donald Edsger Frances Grace Guido Hedy Ivan Joan John Karen Ken ' +
  'Kathleen Larry Leslie Linus Lynn Maurice Margaret Niklaus Noam Ole Peter Radia Robin Rózsa Shafi Sophie Tim Tony ' +
  'Ursula Vint Whitfield Yukihiro'
).split(' ');
const LAST = (
  'Allen Babbage Church Dijkstra Estrin Floyd Goldberg Hopper Iverson Jensen Kay Lamport Mauchly Naur Ousterhout ' +
  'Perlis Quillen Ritchie Sammet Turing Übermann Vaughan-Williams Wirth Yao Zuse'
).split(' ');

const BROWSERS: readonly (readonly [raw: string, os: string, browser: string, device: string])[] = [
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/14#.0.0.0 Safari/537.36',
    'Windows 10',
    'CHROME',
    'Computer',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.# ' +
      'Safari/605.1.15',
    'Mac OS X',
    'SAFARI',
    'Computer',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:14#.0) Gecko/20100101 Firefox/14#.0', 'Linux', 'FIREFOX', 'Computer'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_# like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.# ' +
      'Mobile/15E148 Safari/604.1',
    'iOS (iPhone)',
    'SAFARI',
    'Mobile',
  ],
  [
    'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/14#.0.0.0 Mobile ' +
      'Safari/537.36',
    'Android 16',
    'CHROME',
    'Mobile',
  ],
];

export interface Person {
  readonly actor: Actor;
  readonly clients: readonly ClientContext[];
}

const addressOf = (random: () => number): string =>
  `${20 + Math.floor(random() * 180)}.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}.` +
  `${1 + Math.floor(random() * 254)}`;

function clientOf(random: () => number): ClientContext {
  const [raw, os, browser, device] = BROWSERS[Math.floor(random() ** 1.5 * BROWSERS.length)] ?? ['', '', '', ''];
  const ipAddress = addressOf(random);
  return {
    ipAddress,
    ipChain: random() < 0.2 ? [ipAddress, addressOf(random)] : [ipAddress],
    userAgent: { rawUserAgent: raw.replaceAll('#', String(Math.floor(random() * 8))), os, browser },
    device,
    deviceFingerprint: random() < 0.5 ? idOf('', 'fingerprint', Math.floor(random() * 1e9)) : null,
    acceptLanguage: 'en',
  };
}

export function makePeople(org: string, count: number): readonly Person[] {
  const random = randomNumbers(count + org.length);
  return Array.from({ length: count }, (_, index) => {
    const first = FIRST[index % FIRST.length] ?? '';
    const last = LAST[Math.floor(index / FIRST.length) % LAST.length] ?? '';
    const number = Math.floor(index / (FIRST.length * LAST.length));
    const login = `${first}.${last}${number === 0 ? '' : number}@example.com`.toLowerCase();
    return {
      actor: {
        id: idOf('00u', `${org} user`, index),
        type: 'User',
        alternateId: login,
        displayName: `${first} ${last}${number === 0 ? '' : ` ${number}`}`,
      },
      clients: Array.from({ length: 1 + (index % 3) }, () => clientOf(random)),
    };
  });
}

export function makeServices(org: string, count: number): readonly Person[] {
  const random = randomNumbers(count + 1_000);
  return Array.from({ length: count }, (_, index) => ({
    actor: {
      id: idOf('0oa', `${org} service`, index),
      type: 'PublicClientApp',
      alternateId: idOf('0oa', `${org} service`, index),
      displayName: `Service ${index}`,
    },
    clients: [
      {
        ...clientOf(random),
        userAgent: { rawUserAgent: `sync-agent/2.${index}`, os: 'Unknown', browser: 'UNKNOWN' },
        device: 'Unknown',
        deviceFingerprint: null,
      },
    ],
  }));
}
