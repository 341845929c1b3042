export { type Brand, isBrandColour, isBrandLogo, MAXIMUM_LOGO_CHARACTERS } from './brand.ts';
export type { MessageKey } from './catalogues/en.ts';
export { languageOf } from './language.ts';
export { type Markup, markup } from './markup.ts';
export { createPages, type PageAnswer, type Pages, pageAnswer, seeOther, type View } from './pages.ts';
export { plainProblemPage, problemPage } from './problem-page.ts';
export { type Translate, translatorOf } from './translate.ts';
