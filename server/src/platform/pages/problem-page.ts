import type { Answer } from '../http/index.ts';
import { languageOf } from './language.ts';
import { type Page, renderDocument } from './layout.ts';
import { type Markup, markup } from './markup.ts';
import { newNonce, pageHeaders } from './page-headers.ts';
import { pageAnswer, type View } from './pages.ts';
import { type Translate, translatorOf } from './translate.ts';

/** A refusal as a page tells it. */
export interface Problem {
  readonly status: number;
  /** Plain text; without it the status says what there is to say. */
  readonly text?: string;
  readonly title?: string;
  /** By which operators find it. */
  readonly errorId?: string;
  /** What a protocol calls it, for whoever runs the app that asked; in English. */
  readonly technical?: { readonly error: string; readonly description: string };
  /** The address of the page says what no Referer may. */
  readonly hasSecretAddress?: boolean;
  /** Where to go on instead of the start page. */
  readonly link?: { readonly href: string; readonly text: string };
  readonly headers?: Readonly<Record<string, string>>;
}

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
  const heading = title ?? t(status === 429 ? 'error.tooMany.title' : 'error.title');
  const onward = link ?? { href: '/', text: t('error.back') };
  const number: Markup | null =
    errorId === undefined ? null : markup`<p class="lead">${t('error.id', { id: errorId })}</p>`;
  const details = technical === undefined ? null : technicalOf(technical, t);
  const body = markup`<h1>${heading}</h1><p role="alert">${text ?? textOf(status, t)}</p>${number}${details}
<p><a class="button" href="${onward.href}">${onward.text}</a></p>`;
  return { title: heading, body };
}

/** The page of a refusal, in the look of the org. */
export function problemPage(view: View, problem: Problem): Answer {
  const { hasSecretAddress = false, headers = {}, status } = problem;
  return pageAnswer(view, { ...problemOf(problem, view.t), status, headers, hasSecretAddress });
}

export interface PlainProblem {
  readonly status: number;
  readonly errorId: string;
  readonly acceptLanguage: string | null;
}

/** The page of a refusal that comes before, or instead of, all that is known of the org. */
export function plainProblemPage({ acceptLanguage, errorId, status }: PlainProblem): {
  readonly content: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const language = languageOf({ acceptLanguage });
  const t = translatorOf(language);
  const nonce = newNonce();
  const brand = { name: '', colour: null, logo: null };
  const content = renderDocument(problemOf({ status, errorId }, t), { brand, language, t, nonce, addressIn: null });
  return { content, headers: pageHeaders(nonce) };
}
