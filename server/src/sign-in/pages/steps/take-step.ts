import { ApiError } from '../../../kernel/errors/errors.ts';
import type { Answer } from '../../../platform/http/index.ts';
import { problemPage, seeOther } from '../../../platform/pages/index.ts';
import { activateFactorAtSignIn, enrollFactorAtSignIn } from '../../authn/factors/enroll-factor.ts';
import { verifyFactorAtSignIn } from '../../authn/factors/verify-factor.ts';
import { changeExpiredPassword } from '../../authn/passwords/change-expired-password.ts';
import { skipWarning } from '../../authn/passwords/skip-warning.ts';
import { answerRecoveryQuestion } from '../../authn/recovery/answer-recovery-question.ts';
import { resetPassword } from '../../authn/recovery/reset-password.ts';
import type { AuthnAnswer, UnderWay } from '../../authn/transactions/authn-answer.ts';
import { cancelTransaction, showTransaction } from '../../authn/transactions/show-transaction.ts';
import { clearedStateCookie, readStateCookie } from '../page-cookies.ts';
import { openPageSession, type PageRequest, type PageSession, refuseForeignForm } from '../page-session.ts';
import type { PagesPorts } from '../ports.ts';
import { continueSignIn, redirectToSignIn, signInAddress } from './continue-sign-in.ts';
import { asksForCode } from './factor-forms.ts';
import { readFromUri } from './from-uri-rules.ts';
import { stepPage } from './step-page.ts';
import { STEP_PURPOSE, type StepAction, type StepFault } from './step-parts.ts';

export interface StepForm {
  readonly formToken?: string;
  readonly action?: StepAction;
  readonly newPassword?: string;
  readonly repeatPassword?: string;
  readonly answer?: string;
  readonly factorId?: string;
  readonly passCode?: string;
}

/** The factor of a form may be gone, too, because somebody has removed it meanwhile. */
const OVER = ['E0000007', 'E0000011', 'E0000079'];

const isOver = (error: unknown): boolean => error instanceof ApiError && OVER.includes(error.code);

/** Returns null if this browser has no valid sign-in in progress. */
async function underWayIn(ports: PagesPorts, { context, headers }: PageSession): Promise<UnderWay | null> {
  const stateToken = readStateCookie(headers);
  if (stateToken === null) return null;
  try {
    return await showTransaction(ports, context, stateToken, { slide: false });
  } catch (error) {
    if (isOver(error)) return null;
    throw error;
  }
}

/** `GET /signin/step` shows the current step and changes nothing. */
export async function showStep(ports: PagesPorts, request: PageRequest): Promise<Answer> {
  const pageSession = await openPageSession(ports, request);
  const underWay = await underWayIn(ports, pageSession);
  return underWay === null
    ? redirectToSignIn('/', 'over')
    : stepPage(ports, pageSession, underWay, { fault: null, status: 200 });
}

function take(ports: PagesPorts, { context }: PageSession, stateToken: string, form: StepForm): Promise<AuthnAnswer> {
  const { answer = '', newPassword = '' } = form;
  if (form.action === 'skip') return skipWarning(ports, context, stateToken);
  if (form.action === 'answer') return answerRecoveryQuestion(ports, context, { stateToken, answer });
  if (takesFactor(form)) return takeFactorStep(ports, context, stateToken, form);
  if (form.action === 'reset') return resetPassword(ports, context, { stateToken, newPassword });
  return changeExpiredPassword(ports, context, { stateToken, oldPassword: null, newPassword });
}

/** People type codes in groups, as apps show them. */
const codeOf = ({ passCode = '' }: StepForm): string => passCode.replaceAll(/\s/g, '');

const takesFactor = ({ action }: StepForm): boolean =>
  action === 'activate' || action === 'enroll' || action === 'send' || action === 'verify';

/** The page offers only our own kind of app: the apps read the codes of both kinds alike. */
function takeFactorStep(
  ports: PagesPorts,
  context: PageSession['context'],
  stateToken: string,
  form: StepForm,
): Promise<AuthnAnswer> {
  const { action, answer, factorId = '' } = form;
  if (action === 'enroll') {
    const named = { factorType: 'token:software:totp', provider: context.namespace.upper };
    return enrollFactorAtSignIn(ports, context, { stateToken, ...named });
  }
  if (action === 'activate')
    return activateFactorAtSignIn(ports, context, { stateToken, factorId, passCode: codeOf(form) });
  if (action === 'send') return verifyFactorAtSignIn(ports, context, { stateToken, factorId });
  const proof = answer === undefined ? { passCode: codeOf(form) } : { answer };
  return verifyFactorAtSignIn(ports, context, { stateToken, factorId, ...proof });
}

const setsPassword = ({ action }: StepForm): boolean => action === 'change' || action === 'reset';

/** Returns null if the form did not cause the refusal. */
function faultOf(error: ApiError, { factors }: UnderWay, { factorId }: StepForm): StepFault | null {
  if (error.code === 'E0000068' || error.code === 'E0000082') {
    if (factors?.kind === 'challenge') return { kind: 'mailedCode' };
    const isAnswer = factors?.kind === 'choice' && !asksForCode(factors.factors);
    return isAnswer ? { kind: 'answer' } : { kind: 'code', factorId: factorId ?? null };
  }
  if (error.code === 'E0000087') return { kind: 'answer' };
  if (error.code !== 'E0000080') return null;
  // A cause that covers all rules has no reason. An empty list would mean that the two passwords differ.
  const reasons = error.causes.map(({ reason }) => reason ?? 'ANY');
  return { kind: 'newPassword', fault: { reasons } };
}

const WRONG_PROOFS = ['E0000068', 'E0000082', 'E0000087'];

const MINUTE_MILLISECONDS = 60_000;

/** Says how long to wait, as far as the error tells the end of the wait. */
function waitPage({ context, view }: PageSession, { headers }: ApiError, link: { href: string; text: string }): Answer {
  // The header is rounded up to a whole second, which must not become another minute.
  const endsAt = (Number(headers['x-rate-limit-reset'] ?? Number.NaN) - 1) * 1_000;
  const minutes = Math.ceil((endsAt - context.now.getTime()) / MINUTE_MILLISECONDS);
  const text = minutes > 1 ? { text: view.t('error.tooManyFor', { minutes }) } : {};
  return problemPage(view, { status: 429, headers, link, ...text });
}

async function refusedStep(
  ports: PagesPorts,
  pageSession: PageSession,
  form: StepForm,
  error: unknown,
): Promise<Answer> {
  if (!(error instanceof ApiError)) throw error;
  // The form came twice: the step that is due now is another one.
  if (error.code === 'E0000079') return seeOther('/signin/step');
  if (isOver(error)) return redirectToSignIn('/', 'over');
  const { t } = pageSession.view;
  const link = { href: '/signin', text: t('recovery.back') };
  if (error.code === 'E0000004') return problemPage(pageSession.view, { status: 401, text: t('signIn.failed'), link });
  if (error.code === 'E0000035') {
    return problemPage(pageSession.view, { status: 403, text: t('account.password.notAllowed'), link });
  }
  if (error.code === 'E0000047') return waitPage(pageSession, error, link);
  const underWay = await underWayIn(ports, pageSession);
  // The last allowed proof ends the sign-in.
  if (underWay === null) return redirectToSignIn('/', WRONG_PROOFS.includes(error.code) ? 'tries' : 'over');
  const fault = faultOf(error, underWay, form);
  if (fault === null) throw error;
  return stepPage(ports, pageSession, underWay, { fault, status: error.status });
}

export async function submitStep(ports: PagesPorts, request: PageRequest, form: StepForm): Promise<Answer> {
  const pageSession = await openPageSession(ports, request);
  const { context, headers } = pageSession;
  const foreign = refuseForeignForm(ports, pageSession, {
    purpose: STEP_PURPOSE,
    token: form.formToken,
    again: '/signin/step',
  });
  if (foreign !== null) return foreign;
  const stateToken = readStateCookie(headers);
  if (stateToken === null) return redirectToSignIn('/', 'over');
  try {
    if (form.action === 'cancel') {
      const { relayState } = await cancelTransaction(ports, context, stateToken);
      return seeOther(signInAddress(readFromUri(relayState, context.baseUrl)), [clearedStateCookie()]);
    }
    if (setsPassword(form) && form.newPassword !== form.repeatPassword) {
      const underWay = await showTransaction(ports, context, stateToken, { slide: false });
      return stepPage(ports, pageSession, underWay, {
        fault: { kind: 'newPassword', fault: { reasons: [] } },
        status: 400,
      });
    }
    return await continueSignIn(ports, pageSession, await take(ports, pageSession, stateToken, form));
  } catch (error) {
    return refusedStep(ports, pageSession, form, error);
  }
}
