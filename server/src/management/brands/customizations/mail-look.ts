import type { Context } from '../../../kernel/context.ts';
import { type MailLook, mailLookOf } from '../../../platform/pages/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { findTheme } from '../themes/theme-store.ts';
import { shownTheme } from '../themes/wire.ts';

/** The org's theme in built-in mails; null when it has none. */
export const mailLookFor = async (db: Db, { canonicalUrl, orgId }: Context): Promise<MailLook | null> =>
  mailLookOf(shownTheme(await findTheme(db, orgId)), canonicalUrl);
