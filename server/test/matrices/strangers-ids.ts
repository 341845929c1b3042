import { randomInt } from 'node:crypto';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import type { TestOrg, TestService } from '../support/service.ts';
import { idsOfEverything } from '../sweeps/ids-of-everything.ts';

export type Ids = Readonly<Record<string, string>>;

export interface StrangersIds {
  readonly own: Ids;
  readonly foreign: Ids;
  readonly unknown: Ids;
}

const CLASSES = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

const anotherCharacter = (character: string): string => {
  const known = CLASSES.find((one) => one.includes(character));
  return known === undefined ? character : (known[randomInt(known.length)] ?? character);
};

/** Makes an unknown id of the same form. The kind (first three characters) and the org (last three) stay unchanged. */
const unknownLike = (id: string): string =>
  id.slice(0, 3) + Array.from(id.slice(3, -3), anotherCharacter).join('') + id.slice(-3);

const LINKED_OBJECT = ['linkedObjectName', 'relationshipName', 'primaryRelationshipName'] as const;

async function defineLinkedObject(org: TestOrg): Promise<Ids> {
  const side = (name: string) => ({ name, title: name, type: 'USER' });
  await org.admin.post('/api/v1/meta/schemas/user/linkedObjects', {
    body: { primary: side('teacherThere'), associated: side('pupilThere') },
  });
  return Object.fromEntries(LINKED_OBJECT.map((name) => [name, 'teacherThere']));
}

export async function strangersIds(service: TestService, org: TestOrg, other: TestOrg): Promise<StrangersIds> {
  const own = await idsOfEverything(service, org);
  const foreign = { ...(await idsOfEverything(service, other)), ...(await defineLinkedObject(other)) };
  const unknown = Object.fromEntries(Object.entries(own).map(([name, id]) => [name, unknownLike(id)]));
  return { own, foreign, unknown };
}

/** Routes that check other parts of the request before they look up the ids. */
const ASKS_FIRST: ReadonlySet<string> = new Set(['cloneApplicationKey']);

/** Routes whose answer is the same for everybody, whatever the ids. */
const LOOKS_UP_NOTHING: ReadonlySet<string> = new Set(['listSupportedSecurityQuestions']);

export const isAnswerToStrangers = ({ operationId }: AnyRoute, status: number): boolean =>
  status === 404 ||
  (LOOKS_UP_NOTHING.has(operationId) && status === 200) ||
  (ASKS_FIRST.has(operationId) && status >= 400 && status < 500);

export interface Variant {
  readonly name: string;
  readonly foreign: Ids;
  readonly unknown: Ids;
}

/** A parameter with the same value in both orgs is a word, not an id. */
const isWord = ({ foreign, own }: StrangersIds, name: string): boolean => foreign[name] === own[name];

export function variantsOf(route: AnyRoute, ids: StrangersIds): readonly Variant[] {
  const names = [...route.url.matchAll(/:(\w+)/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => name in ids.own && !isWord(ids, name));
  const put = (from: Ids, chosen: readonly string[]): Ids => ({
    ...ids.own,
    ...Object.fromEntries(chosen.map((name) => [name, from[name] ?? ''])),
  });
  const choices = names.length > 1 ? [...names.map((name) => [name]), names] : names.map((name) => [name]);
  return choices.map((chosen) => ({
    name: `${route.method} ${route.url} with ${chosen.join(', ')}`,
    foreign: put(ids.foreign, chosen),
    unknown: put(ids.unknown, chosen),
  }));
}
