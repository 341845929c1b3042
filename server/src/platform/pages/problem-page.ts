import type { Answer, CookieHeaders } from '../http/index.ts';
import type { MessageKey } from './catalogues/en.ts';
import { languageOf } from './language.ts';
import { type Page, renderDocument } from './layout.ts';
import { type Markup, markup } from './markup.ts';
import { newNonce, pageHeaders } from './page-headers.ts';
import { chosenIn, pageAnswer, type View } from './pages.ts';
import { type Brand, NO_THEME } from './theme.ts';
import { type Translate, translatorOf } from './translate.ts';

export interface Problem {
  readonly status: number;
  /** Plain text. If it is absent, the status decides the text of the page. */
  readonly text?: string;
  readonly title?: string;
  readonly errorId?: string;
  /** The protocol's error code and description, in English, for the app's developer. */
  readonly technical?: { readonly error: string; readonly description: string };
  readonly hasSecretAddress?: boolean;
  /** The link with which the user continues. It replaces the link to the start page. */
  readonly link?: { readonly href: string; readonly text: string };
  readonly headers?: Readonly<Record<string, string>>;
}

const TITLES: Readonly<Record<number, MessageKey>> = {
  404: 'error.notFound.title',
  405: 'error.notFound.title',
  429: 'error.tooMany.title',
};

function textOf(status: number, t: Translate): string {
  if (status === 403) return t('error.forbidden');
  if (status === 404 || status === 405) return t('error.notFound');
  if (status === 429) return t('error.tooMany');
  return status === 503 ? t('error.unavailable') : t('error.general');
}

const technicalOf = ({ description, error }: NonNullable<Problem['technical']>, t: Translate): Markup =>
  markup`<div class="lead"><p>${t('request.technical')}</p>
<p lang="en"><code>${error}</code>: ${description}</p></div>`;

function problemOf({ errorId, link, status, technical, text, title }: Problem, t: Translate): Page {
  const heading = title ?? t(TITLES[status] ?? 'error.title');
  const onward = link ?? { href: '/', text: t('error.back') };
  const number: Markup | null =
    errorId === undefined ? null : markup`<p class="lead">${t('error.id', { id: errorId })}</p>`;
  const details = technical === undefined ? null : technicalOf(technical, t);
  const body = markup`<h1>${heading}</h1><p role="alert">${text ?? textOf(status, t)}</p>${number}${details}
<p><a class="button" href="${onward.href}">${onward.text}</a></p>`;
  return { title: heading, body, isProblem: true };
}

export function problemPage(view: View, problem: Problem): Answer {
  const { hasSecretAddress = false, headers = {}, status } = problem;
  return pageAnswer(view, { ...problemOf(problem, view.t), status, headers, hasSecretAddress });
}

export interface PlainProblem {
  readonly status: number;
  readonly errorId: string;
  readonly brand: Brand | null;
  readonly headers: CookieHeaders;
}

const NO_BRAND: Brand = { name: '', theme: NO_THEME };

/** Renders a problem without a view, because a request can be refused before the parts of a view are known. */
export function plainProblemPage({ brand, errorId, headers, status }: PlainProblem): {
  readonly content: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const acceptLanguage = String(headers['accept-language'] ?? '').slice(0, 256);
  const language = languageOf({ chosen: chosenIn(headers), acceptLanguage });
  const t = translatorOf(language);
  const nonce = newNonce();
  const setting = { brand: brand ?? NO_BRAND, language, t, nonce, addressIn: null };
  return { content: renderDocument(problemOf({ status, errorId }, t), setting), headers: pageHeaders(nonce) };
}
