import type { Context } from '../../kernel/context.ts';
import { type CursorCodec, type KeysetPage, keysetPage } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { GroupRule } from './group-rule.ts';
import { readGroupRules } from './store.ts';

export interface ListGroupRulesQuery {
  readonly search: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** Lists one page of the org's rules whose name contains `search`, by id. 400 E0000001 for a cursor. */
export function listGroupRules(
  ports: { readonly db: Db; readonly cursors: CursorCodec },
  context: Context,
  query: ListGroupRulesQuery,
  rawQuery: readonly (readonly [string, string])[],
): Promise<KeysetPage<GroupRule>> {
  const { after, before, limit, search } = query;
  return keysetPage(
    ports.cursors,
    { orgId: context.orgId, list: 'listGroupRules', limit, after, before, query: rawQuery },
    (rule: GroupRule) => rule.id,
    (request) => readGroupRules(ports.db, context.orgId, search ?? null, request),
  );
}
