import { type Static, Type } from '@sinclair/typebox';

export const ThemeParams = Type.Object({ brandId: Type.String(), themeId: Type.String() });
export const ThemeImageParams = Type.Object({ digest: Type.String() });

const colour = (of: string) => Type.String({ description: `The colour of ${of}, as \`#rrggbb\`.` });
const contrast = (of: string) =>
  Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: `The colour of text on ${of}, as \`#rrggbb\`. Below a contrast of 4.5:1, it is black or white.`,
    }),
  );
const variant = (description: string) => Type.String({ description });

export const ThemeBody = Type.Object({
  primaryColorHex: colour('buttons and highlights'),
  primaryColorContrastHex: contrast('buttons and highlights'),
  secondaryColorHex: colour('the background of the pages'),
  secondaryColorContrastHex: contrast('the background of the pages'),
  signInPageTouchPointVariant: variant('The variant of the sign-in pages.'),
  endUserDashboardTouchPointVariant: variant('The variant of the account pages.'),
  errorPageTouchPointVariant: variant('The variant of the pages of refusals.'),
  emailTemplateTouchPointVariant: variant('The variant of emails.'),
  loadingPageTouchPointVariant: Type.Optional(variant('Whether pages that lead to another page show an animation.')),
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
