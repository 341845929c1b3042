import { type Static, Type } from '@sinclair/typebox';

export const ThemeParams = Type.Object({ brandId: Type.String(), themeId: Type.String() });
export const ThemeImageParams = Type.Object({ digest: Type.String() });

const colour = (description: string) => Type.String({ description: `${description} As #rrggbb.` });
const contrast = (description: string) =>
  Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: `${description} As #rrggbb; used if its contrast is 4.5:1, otherwise black or white is used.`,
    }),
  );
const variant = (description: string) => Type.String({ description });

export const ThemeBody = Type.Object({
  primaryColorHex: colour('Buttons and marks.'),
  primaryColorContrastHex: contrast('Text on it.'),
  secondaryColorHex: colour('Behind the pages.'),
  secondaryColorContrastHex: contrast('Text on it.'),
  signInPageTouchPointVariant: variant('What sign-in pages show.'),
  endUserDashboardTouchPointVariant: variant('What account pages show.'),
  errorPageTouchPointVariant: variant('What refusals show.'),
  emailTemplateTouchPointVariant: variant('What mails show.'),
  loadingPageTouchPointVariant: Type.Optional(variant('Whether a page that leads on by itself moves.')),
});
export type ThemeInput = Static<typeof ThemeBody>;

const address = Type.Union([Type.String(), Type.Null()]);
export const ThemeSchema = Type.Object({
  id: Type.String(),
  logo: address,
  favicon: address,
  backgroundImage: address,
  primaryColorHex: Type.String(),
  primaryColorContrastHex: Type.String(),
  secondaryColorHex: Type.String(),
  secondaryColorContrastHex: Type.String(),
  signInPageTouchPointVariant: Type.String(),
  endUserDashboardTouchPointVariant: Type.String(),
  errorPageTouchPointVariant: Type.String(),
  emailTemplateTouchPointVariant: Type.String(),
  loadingPageTouchPointVariant: Type.String(),
  _links: Type.Record(Type.String(), Type.Unknown()),
});
export const ThemeListSchema = Type.Array(ThemeSchema);

export const ImageUploadSchema = Type.Object({ url: Type.String() });
