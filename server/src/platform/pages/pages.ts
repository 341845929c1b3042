import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { type Answer, type CookieHeaders, html, valuesOfCookie } from '../http/index.ts';
import { isLanguage, type Language, languageOf } from './language.ts';
import { type Page, renderDocument } from './layout.ts';
import { newNonce, type PageHeaderOptions, pageHeaders } from './page-headers.ts';
import type { Brand } from './theme.ts';
import { type Translate, translatorOf } from './translate.ts';

const LANGUAGE_COOKIE = '__Host-language';
const LANGUAGE_COOKIE_SECONDS = 365 * 24 * 60 * 60;
export const UI_LOCALES = 'ui_locales';

export interface Viewer {
  readonly context: Context;
  readonly headers: CookieHeaders;
  /** The decoded parameters of the request, from its query or its form. Only `ui_locales` is read. */
  readonly rawQuery: readonly (readonly [name: string, value: string])[];
  readonly userLocale?: string | null;
}

export interface View {
  readonly context: Context;
  readonly brand: Brand;
  readonly language: Language;
  readonly t: Translate;
  /** The cookies to set, such as the one that remembers `ui_locales` if that is exactly a supported language. */
  readonly cookies: readonly string[];
}

export interface PageAnswer extends Page, PageHeaderOptions {
  readonly status?: number;
  readonly cookies?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Pages {
  viewOf(viewer: Viewer): Promise<View>;
}

export const chosenIn = (headers: CookieHeaders): string | null => {
  const [value, ...others] = valuesOfCookie(headers, LANGUAGE_COOKIE);
  return value !== undefined && others.length === 0 ? value : null;
};

const languageCookie = (language: Language): string =>
  `${LANGUAGE_COOKIE}=${language}; Max-Age=${LANGUAGE_COOKIE_SECONDS}; Path=/; Secure; HttpOnly; SameSite=Lax`;

export const createPages = ({ brandOf }: { readonly brandOf: (orgId: OrgId) => Promise<Brand> }): Pages => ({
  viewOf: async ({ context, headers, rawQuery, userLocale = null }) => {
    const uiLocales = rawQuery.find(([name]) => name === UI_LOCALES)?.[1];
    const { acceptLanguage } = context.client;
    const language = languageOf({ uiLocales, chosen: chosenIn(headers), userLocale, acceptLanguage });
    return {
      context,
      brand: await brandOf(context.orgId),
      language,
      t: translatorOf(language),
      cookies: uiLocales === undefined || !isLanguage(uiLocales) ? [] : [languageCookie(language)],
    };
  },
});

function addressesOf({ baseUrl, url }: Context): ((language: Language) => string) | null {
  if (url === null) return null;
  return (language) => {
    const address = new URL(url, baseUrl);
    address.searchParams.set(UI_LOCALES, language);
    return address.pathname + address.search;
  };
}

const withCookies = (cookies: readonly string[]): Record<string, string[]> =>
  cookies.length === 0 ? {} : { 'Set-Cookie': [...cookies] };

export function pageAnswer(view: View, { cookies = [], headers, status = 200, ...page }: PageAnswer): Answer {
  const { brand, context, language, t } = view;
  const nonce = newNonce();
  const content = renderDocument(page, { brand, language, t, nonce, addressIn: addressesOf(context) });
  return html(
    content,
    { ...headers, ...pageHeaders(nonce, page), ...withCookies([...view.cookies, ...cookies]) },
    status,
  );
}

/** Redirects to another page, which the browser requests with GET (RFC 9110 15.4.4). */
export const seeOther = (location: string, cookies: readonly string[] = []): Answer => ({
  status: 303,
  body: null,
  headers: {
    Location: location,
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    ...withCookies(cookies),
  },
});
