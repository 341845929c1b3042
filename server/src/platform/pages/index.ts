export type { MessageKey } from './catalogues/en.ts';
export { languageOf } from './language.ts';
export { type MailLook, mailLookOf } from './look.ts';
export { type Markup, markup } from './markup.ts';
export { newNonce } from './page-headers.ts';
export { createPages, type PageAnswer, type Pages, pageAnswer, seeOther, type View } from './pages.ts';
export { plainProblemPage, problemPage } from './problem-page.ts';
export {
  type Brand,
  isColour,
  NO_THEME,
  OUR_COLOURS,
  type Theme,
  type ThemeColours,
  type ThemeImages,
  TOUCH_POINTS,
  type TouchPoint,
  type TouchPoints,
  textOn,
} from './theme.ts';
export { listed, type Translate, translatorOf } from './translate.ts';
