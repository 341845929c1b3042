import type { RequestOptions } from '../support/client.ts';
import { multipart, PNG } from '../support/multipart.ts';
import { TEXTS } from '../sweeps/worst-bodies.ts';
import { byName, items, type SpecialInput, times } from './worst-special-input.ts';

const svg = (inside: string): RequestOptions =>
  multipart('file', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${inside}</svg>`));

export const IMAGES: SpecialInput[] = [
  ...byName(
    {
      ...TEXTS,
      elements: (bytes: number) => times('<g><g id="a"/></g>', bytes - 100),
      depth: (bytes: number) => `${times('<g>', (bytes * 3) / 7)}${times('</g>', (bytes * 4) / 7 - 100)}`,
      attributes: (bytes: number) => `<g ${times('a="b" ', bytes - 100)}/>`,
      'attributes with different names': (bytes: number) =>
        `<g ${items(bytes - 100, 14, (index) => `a${index}="b"`).join(' ')}/>`,
      'open tags': (bytes: number) => times('<', bytes - 100),
      comments: (bytes: number) => times('<!--', bytes - 100),
      entities: (bytes: number) => times('&#106;', bytes - 100),
      'entities in an address': (bytes: number) => `<a href="${times('&#106;', bytes - 120)}"/>`,
      styles: (bytes: number) => `<g style="${times('url( ', bytes - 120)}"/>`,
      blanks: (bytes: number) => `<a href=${' '.repeat(bytes - 200)}>`,
    },
    svg,
  ),
  { label: 'a long PNG', make: (bytes) => multipart('file', Buffer.concat([PNG, Buffer.alloc(bytes - 400)])) },
  {
    label: 'many parts',
    make: (bytes) =>
      multipart('file', Buffer.from(times('\r\n--gatehouse-test-boundary\r\nA: b\r\n\r\n', bytes - 300))),
  },
  {
    label: 'almost boundaries',
    make: (bytes) => multipart('file', Buffer.from(times('\r\n--gatehouse-test-boundar', bytes - 300))),
  },
];
