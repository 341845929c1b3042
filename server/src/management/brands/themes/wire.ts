import type { Context } from '../../../kernel/context.ts';
import { linkTo } from '../../../kernel/errors/hints.ts';
import type { Version } from '../../../kernel/version.ts';
import { derivedId, type OrgId } from '../../../kernel/words/ids.ts';
import { OUR_COLOURS, type Theme, textOn } from '../../../platform/pages/index.ts';
import { changeTarget, type Target } from '../../../system-log/index.ts';
import { brandAddress } from '../wire.ts';
import { THEME_IMAGE_NAMES, THEME_IMAGES, type ThemeImageName } from './image-rules.ts';
import { COLOUR_NAMES, TOUCH_POINT_NAMES, wordsOf } from './read-theme.ts';
import type { StoredTheme } from './theme-store.ts';

type Wire = Record<string, unknown>;

/** The images of themes are public under this path. */
export const THEME_FILES = '/fs/bco/7';

const THEME = '/api/v1/brands/:brandId/themes/:themeId';

export const themeIdOf = (orgId: OrgId): string => derivedId('theme', orgId, 'default theme');

const themeAddress = (context: Context): string => `${brandAddress(context)}/themes/${themeIdOf(context.orgId)}`;

const pathOf = (digest: string | null): string | null => (digest === null ? null : `${THEME_FILES}/${digest}`);

export const shownTheme = (theme: StoredTheme): Theme => ({
  ...theme,
  ...Object.fromEntries(THEME_IMAGE_NAMES.map((name) => [name, pathOf(theme[name])])),
});

export function imageAddress({ baseUrl }: Context, theme: StoredTheme, name: ThemeImageName): string | null {
  const path = pathOf(theme[name]);
  return path === null ? null : baseUrl + path;
}

export function wireTheme(theme: StoredTheme, context: Context): Wire {
  const address = themeAddress(context);
  const primaryColorHex = theme.primaryColorHex ?? OUR_COLOURS.primaryColorHex;
  const secondaryColorHex = theme.secondaryColorHex ?? OUR_COLOURS.secondaryColorHex;
  const images = THEME_IMAGE_NAMES.map((name) => [name, imageAddress(context, theme, name)]);
  const uploads = THEME_IMAGE_NAMES.map((name) => {
    const { path } = THEME_IMAGES[name];
    return [path, linkTo(`${address}/${path}`, `${THEME}/${path}`)];
  });
  return {
    id: themeIdOf(context.orgId),
    ...Object.fromEntries(images),
    ...wordsOf(theme, context.namespace.upper),
    primaryColorHex,
    primaryColorContrastHex: theme.primaryColorContrastHex ?? textOn(primaryColorHex, null),
    secondaryColorHex,
    secondaryColorContrastHex: theme.secondaryColorContrastHex ?? textOn(secondaryColorHex, null),
    _links: { self: linkTo(address, THEME), ...Object.fromEntries(uploads) },
  };
}

export const themeVersion = ({ orgId }: Context, { revision }: StoredTheme): Version => ({
  kind: 'theme',
  id: themeIdOf(orgId),
  revision,
});

const TOLD = [...COLOUR_NAMES, ...THEME_IMAGE_NAMES, ...TOUCH_POINT_NAMES];

const themeTarget = (_: StoredTheme, { orgId }: Context): Target => ({
  id: themeIdOf(orgId),
  type: 'Theme',
  alternateId: null,
  displayName: 'Default theme',
});

export const themeChange = changeTarget(themeTarget, (theme) =>
  Object.fromEntries(TOLD.map((name) => [name, theme[name]])),
);
