import type { Clock } from '../../../kernel/clock.ts';
import { type OrgId, toOrgId } from '../../../kernel/words/ids.ts';
import type { Theme } from '../../../platform/pages/index.ts';
import { createAuthorisationCache, type Db } from '../../../platform/postgres/index.ts';
import { findTheme } from './theme-store.ts';
import { shownTheme } from './wire.ts';

/** The themes of orgs for their pages, at most a second old. */
export interface Themes {
  themeOf(orgId: OrgId): Promise<Theme>;
  /** Drops an org's theme from the cache; call this after a change of it has committed. */
  drop(orgId: OrgId): void;
}

const MAXIMUM_ENTRIES = 20_000;

/** Caches the themes of orgs whose pages are visited; each is read once a second at most. */
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
