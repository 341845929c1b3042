import type { Context } from '../../kernel/context.ts';
import { invalid } from '../../kernel/errors.ts';
import type { AssigneeKind } from './assignee-store.ts';
import { KINDS } from './assignees.ts';

/** Somebody whom a request names. */
export interface MemberReference {
  readonly kind: AssigneeKind;
  readonly id: string;
}

const PREFIXES: Readonly<Record<AssigneeKind, string>> = { USER: '00u', GROUP: '00g', CLIENT: '0oa' };
const COLLECTIONS: Readonly<Record<AssigneeKind, string>> = {
  USER: 'directory:{org}:users',
  GROUP: 'directory:{org}:groups',
  CLIENT: 'idp:{org}:apps',
};
const ID = /^\w{20}$/;

function readMember(text: string, { baseUrl, namespace, orgId }: Context): MemberReference {
  for (const kind of Object.keys(KINDS) as AssigneeKind[]) {
    const collection = COLLECTIONS[kind].replace('{org}', orgId);
    const starts = [`${baseUrl}${KINDS[kind].path}/`, `orn:${namespace.word}:${collection}:`];
    const start = starts.find((one) => text.startsWith(one));
    const id = start === undefined ? '' : text.slice(start.length);
    if (ID.test(id) && id.startsWith(PREFIXES[kind])) return { kind, id };
  }
  throw invalid('members', `members: ${text.slice(0, 200)} names no user, group or client of this org.`);
}

const MAXIMUM_MEMBERS = 1_000;

/** Members by their addresses or names (ORN), each once. 400 E0000001. */
export function readMembersOf(texts: readonly string[], context: Context): readonly MemberReference[] {
  if (texts.length > MAXIMUM_MEMBERS) {
    throw invalid('members', `members: at most ${MAXIMUM_MEMBERS} at once.`);
  }
  return [...new Map(texts.map((text) => [text, readMember(text, context)])).values()];
}
