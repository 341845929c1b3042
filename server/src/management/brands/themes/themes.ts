import type { Clock } from '../../../kernel/clock.ts';
import { type OrgId, toOrgId } from '../../../kernel/words/ids.ts';
import type { Theme } from '../../../platform/pages/index.ts';
import { createAuthorisationCache, type Db } from '../../../platform/postgres/index.ts';
import { findTheme } from './theme-store.ts';
import { shownTheme } from './wire.ts';

/** How each org's pages look, at most a second old. */
export interface Themes {
  themeOf(orgId: OrgId): Promise<Theme>;
  /** Forgets that of an org: called after a change of it has committed. */
  drop(orgId: OrgId): void;
}

const MAXIMUM_ENTRIES = 20_000;

/** Themes of the orgs whose pages are looked at; pages of one org ask for it once a second. */
export function createThemes({ clock, db }: { readonly clock: Clock; readonly db: Db }): Themes {
  const cache = createAuthorisationCache<Theme>({
    clock,
    maximumEntries: MAXIMUM_ENTRIES,
    load: async ({ id }) => shownTheme(await findTheme(db, toOrgId(id))),
  });
  return {
    themeOf: (orgId) => cache.get({ orgId, kind: 'theme', id: orgId }),
    drop: (orgId) => cache.drop(orgId),
  };
}
