import { FIRST_REVISION } from '../../../kernel/version.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { NO_THEME, type ThemeColours, type ThemeImages, type TouchPoints } from '../../../platform/pages/index.ts';
import { type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { ThemeImageType } from './image-rules.ts';

/** The choices of an org: images by their digests, colours and touch points. */
export interface StoredTheme extends TouchPoints, ThemeColours, ThemeImages {
  readonly revision: number;
}

export interface ThemeImage {
  readonly digest: string;
  readonly mediaType: ThemeImageType;
  readonly content: Buffer;
}

/** Members and their columns, in the same order. */
const COLUMNS = [
  ['primary_color', 'primaryColorHex'],
  ['primary_color_contrast', 'primaryColorContrastHex'],
  ['secondary_color', 'secondaryColorHex'],
  ['secondary_color_contrast', 'secondaryColorContrastHex'],
  ['logo', 'logo'],
  ['favicon', 'favicon'],
  ['background_image', 'backgroundImage'],
  ['sign_in_page', 'signInPageTouchPointVariant'],
  ['end_user_dashboard', 'endUserDashboardTouchPointVariant'],
  ['error_page', 'errorPageTouchPointVariant'],
  ['email_template', 'emailTemplateTouchPointVariant'],
  ['loading_page', 'loadingPageTouchPointVariant'],
  ['revision', 'revision'],
] as const satisfies readonly (readonly [column: string, member: keyof StoredTheme])[];

const SELECTED = COLUMNS.map(([column, member]) => `${column} as "${member}"`).join(', ');
const NAMES = COLUMNS.map(([column]) => column);
const VALUES = NAMES.map((_, index) => `$${index + 3}`).join(', ');
const CHANGES = NAMES.map((name) => `${name} = excluded.${name}`).join(', ');

/** The theme of an org that has chosen nothing. */
const UNCHOSEN: StoredTheme = { ...NO_THEME, revision: FIRST_REVISION };

export async function findTheme(db: Db, orgId: OrgId): Promise<StoredTheme> {
  const text = `select ${SELECTED} from themes where org_id = $1`;
  const [row] = await prepared<StoredTheme>(db, 'theme_find', text, [orgId]);
  return row ?? UNCHOSEN;
}

export async function setTheme(tx: Tx, orgId: OrgId, theme: StoredTheme, now: Date): Promise<void> {
  const text = `insert into themes (org_id, last_updated_at, ${NAMES.join(', ')}) values ($1, $2, ${VALUES})
    on conflict (org_id) do update set last_updated_at = excluded.last_updated_at, ${CHANGES}
      where themes.org_id = $1`;
  await prepared(tx, 'theme_set', text, [orgId, now, ...COLUMNS.map(([, member]) => theme[member])]);
}

export async function findThemeImage(db: Db, orgId: OrgId, digest: string): Promise<ThemeImage | undefined> {
  const text = `select digest, media_type as "mediaType", content from theme_images where org_id = $1 and digest = $2`;
  const [row] = await prepared<ThemeImage>(db, 'theme_image_find', text, [orgId, digest]);
  return row;
}

/** Stores an image, unless the same one is stored for another place. */
export async function addThemeImage(tx: Tx, orgId: OrgId, image: ThemeImage, now: Date): Promise<void> {
  const text = `insert into theme_images (org_id, digest, media_type, content, created_at) values ($1, $2, $3, $4, $5)
    on conflict (org_id, digest) do nothing`;
  await prepared(tx, 'theme_image_add', text, [orgId, image.digest, image.mediaType, image.content, now]);
}

/** Removes images that no place of the theme shows any more. */
export async function removeUnusedImages(tx: Tx, orgId: OrgId): Promise<void> {
  const text = `delete from theme_images i where i.org_id = $1 and not exists (
      select from themes t where t.org_id = $1 and i.digest in (t.logo, t.favicon, t.background_image))`;
  await run(tx, text, [orgId]);
}
