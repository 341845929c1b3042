import type { Clock } from '../../../kernel/clock.ts';
import { type OrgId, toOrgId } from '../../../kernel/words/ids.ts';
import type { Theme } from '../../../platform/pages/index.ts';
import { createAuthorisationCache, type Db } from '../../../platform/postgres/index.ts';
import { findTheme } from './theme-store.ts';
import { shownTheme } from './wire.ts';

/** A cache of the orgs' themes, in the form that pages show. */
export interface Themes {
  themeOf(orgId: OrgId): Promise<Theme>;
  /** Call this after a change to the theme has been committed. */
  drop(orgId: OrgId): void;
}

const MAXIMUM_ENTRIES = 20_000;

export function createThemes({ clock, db }: { readonly clock: Clock; readonly db: Db }): Themes {
  const cache = createAuthorisationCache<Theme>({
    clock,
    maximumEntries: MAXIMUM_ENTRIES,
    load: async ({ id }) => shownTheme(await findTheme(db, toOrgId(id))),
  });
  return {
    themeOf: async (orgId) => cache.get({ orgId, kind: 'theme', id: orgId }),
    drop: (orgId) => cache.drop(orgId),
  };
}
