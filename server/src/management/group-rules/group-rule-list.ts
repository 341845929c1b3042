import type { Context } from '../../kernel/context.ts';
import type { KeysetPage } from '../../platform/http/index.ts';
import { type ListPorts, type PageQuery, pageById, type RawQuery } from '../resource/index.ts';
import type { GroupRule } from './group-rule.ts';
import { readGroupRules } from './store.ts';

export interface ListGroupRulesQuery extends PageQuery {
  readonly search: string | undefined;
}

/** Lists one page of rules whose names contain `search`, ignoring case. */
export const listGroupRules = (
  ports: ListPorts,
  context: Context,
  query: ListGroupRulesQuery,
  rawQuery: RawQuery,
): Promise<KeysetPage<GroupRule>> =>
  pageById(ports, context, 'listGroupRules', query, rawQuery, (request) =>
    readGroupRules(ports.db, context.orgId, query.search ?? null, request),
  );
