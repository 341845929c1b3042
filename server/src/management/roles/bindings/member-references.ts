import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { tooMany } from '../../../kernel/errors/field-errors.ts';
import { type AppId, mayBeClientId } from '../../../kernel/words/ids.ts';
import type { AssigneeKind } from '../assignments/assignee-store.ts';
import { KINDS } from '../assignments/assignees.ts';

/** A client is named by its address, or by the ORN of its app. */
export type MemberReference =
  | { readonly kind: AssigneeKind; readonly id: string }
  | { readonly kind: 'CLIENT'; readonly appId: AppId };

const PREFIXES: Readonly<Record<AssigneeKind, string>> = { USER: '00u', GROUP: '00g', CLIENT: '0oa' };
const COLLECTIONS: Readonly<Record<AssigneeKind, string>> = {
  USER: 'directory:{org}:users',
  GROUP: 'directory:{org}:groups',
  CLIENT: 'idp:{org}:apps',
};
const ID = /^\w{20}$/;

const isIdOf = (kind: AssigneeKind, id: string): boolean => ID.test(id) && id.startsWith(PREFIXES[kind]);

function readMember(text: string, { baseUrl, namespace, orgId }: Context): MemberReference {
  for (const kind of Object.keys(KINDS) as AssigneeKind[]) {
    const address = `${baseUrl}${KINDS[kind].path}/`;
    const name = `orn:${namespace.word}:${COLLECTIONS[kind].replace('{org}', orgId)}:`;
    const start = [address, name].find((one) => text.startsWith(one));
    const id = start === undefined ? '' : text.slice(start.length);
    if (kind === 'CLIENT' && start === address && mayBeClientId(id)) return { kind, id };
    if (isIdOf(kind, id)) return kind === 'CLIENT' ? { kind, appId: id } : { kind, id };
  }
  throw invalid('members', `${text.slice(0, 200)} is not a user, group or client of this org.`);
}

const MAXIMUM_MEMBERS = 1_000;

export function readMembersOf(texts: readonly string[], context: Context): readonly MemberReference[] {
  if (texts.length > MAXIMUM_MEMBERS) {
    throw tooMany('members', MAXIMUM_MEMBERS);
  }
  return [...new Map(texts.map((text) => [text, readMember(text, context)])).values()];
}
