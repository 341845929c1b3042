import type { Clock } from '../../../kernel/clock.ts';
import { type OrgId, toOrgId } from '../../../kernel/words/ids.ts';
import { COST_KINDS, type Cost } from '../../../platform/crypto/passwords/index.ts';
import { createAuthorisationCache, type Db, prepared } from '../../../platform/postgres/index.ts';

export async function findDearestPasswords(db: Db, orgId: OrgId): Promise<Cost[]> {
  const text = `select k.kind, m.units::float8 as units from unnest($2::text[]) as k (kind) cross join lateral (
      select password_cost_units(s.password) as units from user_sign_in s
      where s.org_id = $1 and s.password is not null and password_cost_kind(s.password) = k.kind
      order by password_cost_units(s.password) desc limit 1) m`;
  return prepared<Cost>(db, 'user_dearest_passwords', text, [orgId, COST_KINDS]);
}

const MAXIMUM_ENTRIES = 20_000;

/** Creates a reader that caches its results, because each failed attempt needs them. */
export function dearestPasswordsReader(options: {
  readonly clock: Clock;
  readonly db: Db;
}): (orgId: OrgId) => Promise<readonly Cost[]> {
  const { clock, db } = options;
  const cache = createAuthorisationCache<readonly Cost[]>({
    clock,
    maximumEntries: MAXIMUM_ENTRIES,
    load: ({ id }) => findDearestPasswords(db, toOrgId(id)),
  });
  return async (orgId) => cache.get({ orgId, kind: 'passwordCosts', id: orgId });
}
