/** The form of a `token` (RFC 9110 5.6.2). */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const WORD = `(?:${TOKEN}|${QUOTED})`;
const PARAMETER = `${TOKEN}(?:[ \\t]*=[ \\t]*${WORD})?`;
// Only one part of the pattern matches spaces before a semicolon. With two such parts, matching could take exponential
// time.
const PREFERENCE = new RegExp(`^(${TOKEN})(?:[ \\t]*=[ \\t]*(${WORD}))?(?:[ \\t]*;(?:[ \\t]*${PARAMETER})?)*$`);

function membersOf(header: string): string[] {
  const members: string[] = [];
  let member = '';
  let isQuoted = false;
  for (let index = 0; index < header.length; index += 1) {
    const character = header.charAt(index);
    if (isQuoted && character === '\\') {
      member += character + header.charAt(index + 1);
      index += 1;
      continue;
    }
    if (character === '"') isQuoted = !isQuoted;
    if (character === ',' && !isQuoted) {
      members.push(member);
      member = '';
    } else member += character;
  }
  return [...members, member].map((text) => text.trim()).filter((text) => text !== '');
}

const unquoted = (word: string): string => (word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\(.)/g, '$1') : word);

/** Returns the first value of each well-formed preference (RFC 7240 2), by its name in lower case. */
export function readPreferences(header: string | string[] | undefined): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>();
  // Several headers form one list (RFC 9110 5.3).
  for (const member of membersOf([header ?? []].flat().join(','))) {
    const match = PREFERENCE.exec(member);
    const name = match?.[1]?.toLowerCase();
    if (name !== undefined && !preferences.has(name)) preferences.set(name, unquoted(match?.[2] ?? ''));
  }
  return preferences;
}

/** Tells whether the client wants no body after a change: `return=minimal` (RFC 7240 4.2; specification 4.8). */
export const prefersMinimal = (header: string | string[] | undefined): boolean =>
  readPreferences(header).get('return')?.toLowerCase() === 'minimal';
