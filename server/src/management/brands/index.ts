import type { OrgId } from '../../kernel/words/ids.ts';
import { fillMail, type MailContent, type MailKind } from '../../platform/mail/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { languagesFor } from './customizations/read-content.ts';
import { templateOf } from './customizations/template-names.ts';
import { type MailReader, valuesFor } from './customizations/variables.ts';
import { findTemplateSettings } from './settings/settings-store.ts';
import { findContent } from './store.ts';

export { checkStoredCustomization, checkStoredTemplateSettings } from './check-stored.ts';
export { MAXIMUM_CUSTOMIZATIONS } from './customizations/change-customizations.ts';
export { mailLookFor } from './customizations/mail-look.ts';
export { changeThemeProperty, deleteThemeImage, uploadThemeImage } from './themes/change-theme.ts';
export {
  checkStoredTheme,
  checkStoredThemeImage,
  checkStoredThemeImages,
  type ImagePlaces,
} from './themes/check-stored.ts';
export { THEME_IMAGES, type ThemeImageName } from './themes/image-rules.ts';
export { createThemes, type Themes } from './themes/themes.ts';

/** Tells whether the org's settings withhold emails of this kind from the recipient. */
export async function isWithheld(
  db: Db,
  orgId: OrgId,
  kind: MailKind,
  isAdministrator: () => Promise<boolean>,
): Promise<boolean> {
  const template = templateOf(kind);
  if (template === undefined) return false;
  const { recipients } = await findTemplateSettings(db, orgId, template);
  return recipients === 'NO_USERS' || (recipients === 'ADMINS_ONLY' && !(await isAdministrator()));
}

/**
 * Returns the org's own text for an email of this kind, with the variables filled in. Returns null if there is no such
 * text or `reader` returns null.
 */
export async function customMailFor(
  db: Db,
  orgId: OrgId,
  { kind, locale }: { readonly kind: MailKind; readonly locale: string | null },
  reader: () => Promise<MailReader | null>,
): Promise<MailContent | null> {
  const template = templateOf(kind);
  if (template === undefined) return null;
  const content = await findContent(db, orgId, template, languagesFor(locale));
  if (content === undefined) return null;
  const known = await reader();
  return known === null ? null : fillMail(content, valuesFor(template, known));
}
