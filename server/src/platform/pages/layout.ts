import { LANGUAGES, type Language } from './language.ts';
import { type Look, lookOf, type PageKind } from './look.ts';
import { type Markup, markup, trusted } from './markup.ts';
import { STYLE } from './style.ts';
import type { Brand } from './theme.ts';
import type { Translate } from './translate.ts';

export interface NavigationLink {
  readonly href: string;
  readonly text: string;
  readonly isCurrent: boolean;
}

export interface Page {
  /** The title of the tab. The heading is part of the body. */
  readonly title: string;
  readonly body: Markup;
  /** The links of the navigation. A page with navigation is wide; a page without it is a card. */
  readonly navigation?: readonly NavigationLink[];
  readonly aside?: Markup;
  /** Whether the page has a single form, which a script submits without a click. */
  readonly sendsItself?: boolean;
  /** Whether the page is a refusal, for which a theme may have a variant of its own. */
  readonly isProblem?: boolean;
  readonly footnote?: string;
}

export interface Setting {
  readonly brand: Brand;
  readonly language: Language;
  readonly t: Translate;
  readonly nonce: string;
  /** Returns the address of the page in a language. Null means that the page offers no other languages. */
  readonly addressIn: ((language: Language) => string) | null;
}

const logoOf = ({ logo }: Look, name: string): Markup => {
  if (logo !== null) return markup`<img src="${logo}" alt="">`;
  const [letter = ''] = Array.from(name.trim());
  return markup`<span class="mark" aria-hidden="true">${letter.toUpperCase()}</span>`;
};

const brandOf = ({ name }: Brand, look: Look): Markup | null =>
  name === '' ? null : markup`<div class="brand">${logoOf(look, name)}<span>${name}</span></div>`;

function languagesOf({ addressIn, language, t }: Setting): Markup | null {
  if (addressIn === null) return null;
  const items = Object.entries(LANGUAGES).map(([tag, name]) =>
    tag === language
      ? markup`<li><span lang="${tag}" aria-current="true">${name}</span></li>`
      : markup`<li><a lang="${tag}" hreflang="${tag}" href="${addressIn(tag as Language)}">${name}</a></li>`,
  );
  return markup`<ul aria-label="${t('language.label')}">${items}</ul>`;
}

const navigationOf = (links: readonly NavigationLink[], t: Translate): Markup => {
  const items = links.map(({ href, isCurrent, text }) =>
    isCurrent
      ? markup`<li><a href="${href}" aria-current="page">${text}</a></li>`
      : markup`<li><a href="${href}">${text}</a></li>`,
  );
  return markup`<nav aria-label="${t('account.nav')}"><ul>${items}</ul></nav>`;
};

const footnoteOf = (text: string | undefined): Markup | null => (text === undefined ? null : markup`<p>${text}</p>`);

function cardOf({ body, footnote, sendsItself = false }: Page, setting: Setting, look: Look): Markup {
  const { brand } = setting;
  const isAnimated = sendsItself && brand.theme.loadingPageTouchPointVariant === 'DEFAULT';
  const loading = isAnimated ? markup`<div class="loading" aria-hidden="true"></div>` : null;
  return markup`<body><main class="card">${brandOf(brand, look)}<section>${body}${loading}</section></main>
<footer><div>${footnoteOf(footnote)}${languagesOf(setting)}</div></footer></body>`;
}

function wideOf({ aside, body, footnote, navigation = [] }: Page, setting: Setting, look: Look): Markup {
  const { brand, t } = setting;
  return markup`<body class="wide"><a class="skip" href="#content">${t('skip.content')}</a>
<header><div>${brandOf(brand, look)}${aside ?? null}</div></header>
${navigation.length === 0 ? null : navigationOf(navigation, t)}
<main id="content" tabindex="-1">${body}</main>
<footer><div>${footnoteOf(footnote)}${languagesOf(setting)}</div></footer></body>`;
}

const scriptOf = ({ sendsItself = false }: Page, nonce: string): Markup | null =>
  sendsItself ? markup`<script nonce="${nonce}">document.forms[0].submit();</script>` : null;

function kindOf({ isProblem = false, navigation }: Page): PageKind {
  if (navigation !== undefined) return 'wide';
  return isProblem ? 'problem' : 'card';
}

/** Renders the document. It loads nothing from other hosts, and its only possible script submits a form. */
export function renderDocument(page: Page, setting: Setting): string {
  const { brand, language, nonce } = setting;
  const title = [page.title, brand.name].filter((part) => part !== '').join(' - ');
  const look = lookOf(brand.theme, kindOf(page));
  const style = trusted(STYLE + look.style);
  return markup`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${look.favicon ?? 'data:,'}">
<style nonce="${nonce}">${style}</style>
</head>
${page.navigation === undefined ? cardOf(page, setting, look) : wideOf(page, setting, look)}
${scriptOf(page, nonce)}
</html>
`.html;
}
