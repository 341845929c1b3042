import { FIRST_REVISION } from '../../../kernel/version.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { NO_THEME, type ThemeColours, type ThemeImages, type TouchPoints } from '../../../platform/pages/index.ts';
import { columns, type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';
import type { ThemeImageType } from './image-rules.ts';

/** The theme contains the digests of its images, which are stored separately. */
export interface StoredTheme extends TouchPoints, ThemeColours, ThemeImages {
  readonly revision: number;
}

export interface ThemeImage {
  readonly digest: string;
  readonly mediaType: ThemeImageType;
  readonly content: Buffer;
}

const THEMES = columns<StoredTheme, StoredTheme & { readonly lastUpdatedAt: Date }>('themes', {
  primaryColorHex: { is: 'changes', name: 'primary_color' },
  primaryColorContrastHex: { is: 'changes', name: 'primary_color_contrast' },
  secondaryColorHex: { is: 'changes', name: 'secondary_color' },
  secondaryColorContrastHex: { is: 'changes', name: 'secondary_color_contrast' },
  logo: 'changes',
  favicon: 'changes',
  backgroundImage: 'changes',
  signInPageTouchPointVariant: { is: 'changes', name: 'sign_in_page' },
  endUserDashboardTouchPointVariant: { is: 'changes', name: 'end_user_dashboard' },
  errorPageTouchPointVariant: { is: 'changes', name: 'error_page' },
  emailTemplateTouchPointVariant: { is: 'changes', name: 'email_template' },
  loadingPageTouchPointVariant: { is: 'changes', name: 'loading_page' },
  revision: 'changes',
  lastUpdatedAt: { is: 'changes', reads: null },
});
const COLUMNS = THEMES.select();
const SET = THEMES.upsert();

const UNCHOSEN: StoredTheme = { ...NO_THEME, revision: FIRST_REVISION };

export async function findTheme(db: Db, orgId: OrgId): Promise<StoredTheme> {
  const text = `select ${COLUMNS} from themes where org_id = $1`;
  const [row] = await prepared<StoredTheme>(db, 'theme_find', text, [orgId]);
  return row ?? UNCHOSEN;
}

export async function setTheme(tx: Tx, orgId: OrgId, theme: StoredTheme, now: Date): Promise<void> {
  const text = `${SET.text} where themes.org_id = $1`;
  await prepared(tx, 'theme_set', text, SET.values(orgId, { ...theme, lastUpdatedAt: now }));
}

export async function findThemeImage(db: Db, orgId: OrgId, digest: string): Promise<ThemeImage | undefined> {
  const text = `select digest, media_type as "mediaType", content from theme_images where org_id = $1 and digest = $2`;
  const [row] = await prepared<ThemeImage>(db, 'theme_image_find', text, [orgId, digest]);
  return row;
}

/** The theme may already use the same image in another place. */
export async function addThemeImage(tx: Tx, orgId: OrgId, image: ThemeImage, now: Date): Promise<void> {
  const text = `insert into theme_images (org_id, digest, media_type, content, created_at) values ($1, $2, $3, $4, $5)
    on conflict (org_id, digest) do nothing`;
  await prepared(tx, 'theme_image_add', text, [orgId, image.digest, image.mediaType, image.content, now]);
}

export async function removeUnusedImages(tx: Tx, orgId: OrgId): Promise<void> {
  const text = `delete from theme_images i where i.org_id = $1 and not exists (
      select from themes t where t.org_id = $1 and i.digest in (t.logo, t.favicon, t.background_image))`;
  await run(tx, text, [orgId]);
}
