import type { Context } from '../../../kernel/context.ts';
import { type MailLook, mailLookOf } from '../../../platform/pages/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { findTheme } from '../themes/theme-store.ts';
import { shownTheme } from '../themes/wire.ts';

/** Returns null if the theme does not change emails. */
export const mailLookFor = async (db: Db, { canonicalUrl, orgId }: Context): Promise<MailLook | null> =>
  mailLookOf(shownTheme(await findTheme(db, orgId)), canonicalUrl);
