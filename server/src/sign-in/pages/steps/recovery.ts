import { ApiError } from '../../../kernel/errors/errors.ts';
import type { Answer } from '../../../platform/http/index.ts';
import { markup, problemPage } from '../../../platform/pages/index.ts';
import { startRecovery } from '../../authn/recovery/start-recovery.ts';
import { field } from '../form-parts.ts';
import { openPageSession, type PageRequest, refuseForeignForm, show, tokenField } from '../page-session.ts';
import type { PagesPorts } from '../ports.ts';
import { continueSignIn, signInAddress, stepAddress } from './continue-sign-in.ts';
import { readFromUri } from './from-uri-rules.ts';

export const RECOVERIES = {
  forgot: { path: '/signin/forgot-password', type: 'PASSWORD' },
  unlock: { path: '/signin/unlock', type: 'UNLOCK' },
} as const;
export type Recovery = keyof typeof RECOVERIES;

export interface RecoveryQuery {
  readonly fromURI: string | undefined;
}

const fromUriOf = ({ context: { baseUrl } }: PageRequest, { fromURI }: RecoveryQuery): string =>
  readFromUri(fromURI, baseUrl);

export async function showRecovery(
  ports: PagesPorts,
  request: PageRequest,
  recovery: Recovery,
  query: RecoveryQuery,
): Promise<Answer> {
  const pageSession = await openPageSession(ports, request);
  const { t } = pageSession.view;
  const fromUri = fromUriOf(request, query);
  const { path } = RECOVERIES[recovery];
  const title = t(`recovery.${recovery}.title`);
  const username = { name: 'username', label: t('field.username'), type: 'text', autocomplete: 'username' } as const;
  const body = markup`<h1>${title}</h1><p class="lead">${t(`recovery.${recovery}`)}</p>
<form method="post" action="${stepAddress(path, fromUri)}">${tokenField(ports, pageSession, path)}
${field({ ...username, isFirst: true })}
<button type="submit">${t('recovery.send')}</button></form>
<p class="links"><a href="${signInAddress(fromUri)}">${t('recovery.back')}</a></p>`;
  return show(pageSession, { title, body });
}

export interface RecoveryForm {
  readonly formToken?: string;
  readonly username?: string;
}

/** Starts a recovery by email. The response does not reveal whether the user exists. */
export async function submitRecovery(
  ports: PagesPorts,
  request: PageRequest,
  recovery: Recovery,
  query: RecoveryQuery,
  form: RecoveryForm,
): Promise<Answer> {
  const pageSession = await openPageSession(ports, request);
  const { path, type } = RECOVERIES[recovery];
  const fromUri = fromUriOf(request, query);
  const foreign = refuseForeignForm(ports, pageSession, {
    purpose: path,
    token: form.formToken,
    again: stepAddress(path, fromUri),
  });
  if (foreign !== null) return foreign;
  const username = (form.username ?? '').trim();
  if (username === '') return showRecovery(ports, request, recovery, query);
  const asked = { username, factorType: 'EMAIL', relayState: fromUri };
  try {
    return await continueSignIn(ports, pageSession, await startRecovery(ports, pageSession.context, type, asked));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'E0000047') throw error;
    return problemPage(pageSession.view, { status: 429, headers: error.headers });
  }
}

/** The page is the same for every username, so that it does not reveal who exists. */
export async function showMailSent(ports: PagesPorts, request: PageRequest, query: RecoveryQuery): Promise<Answer> {
  const pageSession = await openPageSession(ports, request);
  const fromUri = fromUriOf(request, query);
  const { t } = pageSession.view;
  const title = t('recovery.sent.title');
  const body = markup`<h1>${title}</h1><p role="status">${t('recovery.sent')}</p>
<p class="links"><a href="${signInAddress(fromUri)}">${t('recovery.back')}</a></p>`;
  return show(pageSession, { title, body });
}
