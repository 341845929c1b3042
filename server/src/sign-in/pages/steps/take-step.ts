import { ApiError } from '../../../kernel/errors/errors.ts';
import type { Answer } from '../../../platform/http/index.ts';
import { problemPage, seeOther } from '../../../platform/pages/index.ts';
import { changeExpiredPassword } from '../../authn/passwords/change-expired-password.ts';
import { skipWarning } from '../../authn/passwords/skip-warning.ts';
import { answerRecoveryQuestion } from '../../authn/recovery/answer-recovery-question.ts';
import { resetPassword } from '../../authn/recovery/reset-password.ts';
import type { AuthnAnswer, UnderWay } from '../../authn/transactions/answers.ts';
import { cancelTransaction, showTransaction } from '../../authn/transactions/show-transaction.ts';
import { clearedStateCookie, readStateCookie } from '../page-cookies.ts';
import type { PagesPorts } from '../ports.ts';
import { openVisit, type PageRequest, refuseForeignForm, type Visit } from '../visit.ts';
import { readFromUri } from './from-uri-rules.ts';
import { leadOn, signInAddress, signInAgain } from './lead-on.ts';
import { STEP_PURPOSE, type StepAction, type StepFault, stepPage } from './step-page.ts';

export interface StepForm {
  readonly formToken?: string;
  readonly action?: StepAction;
  readonly newPassword?: string;
  readonly repeatPassword?: string;
  readonly answer?: string;
}

const isOver = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'E0000011' || error.code === 'E0000079');

/** Where the sign-in of this browser stands; null: there is none, or none any more. */
async function underWayIn(ports: PagesPorts, { context, headers }: Visit): Promise<UnderWay | null> {
  const stateToken = readStateCookie(headers);
  if (stateToken === null) return null;
  try {
    return await showTransaction(ports, context, stateToken, { slide: false });
  } catch (error) {
    if (isOver(error)) return null;
    throw error;
  }
}

/** `GET /signin/step`: shows the step that is due, and changes nothing. */
export async function showStep(ports: PagesPorts, request: PageRequest): Promise<Answer> {
  const visit = await openVisit(ports, request);
  const underWay = await underWayIn(ports, visit);
  return underWay === null ? signInAgain('/', 'over') : stepPage(ports, visit, underWay, { fault: null, status: 200 });
}

/** Runs the use case of the sign-in's state machine that the form asks for. */
function take(ports: PagesPorts, { context }: Visit, stateToken: string, form: StepForm): Promise<AuthnAnswer> {
  const { answer = '', newPassword = '' } = form;
  if (form.action === 'skip') return skipWarning(ports, context, stateToken);
  if (form.action === 'answer') return answerRecoveryQuestion(ports, context, { stateToken, answer });
  if (form.action === 'reset') return resetPassword(ports, context, { stateToken, newPassword });
  return changeExpiredPassword(ports, context, { stateToken, oldPassword: null, newPassword });
}

const setsPassword = ({ action }: StepForm): boolean => action === 'change' || action === 'reset';

/** Returns the fault that a refusal reports about the form; null means none. */
function faultOf(error: ApiError): StepFault | null {
  if (error.code === 'E0000087') return { kind: 'answer' };
  if (error.code !== 'E0000080') return null;
  // One cause for all rules bears no reason; it must not read as two passwords that differ.
  const reasons = error.causes.map(({ reason }) => reason ?? 'ANY');
  return { kind: 'newPassword', fault: { reasons } };
}

async function refusedStep(ports: PagesPorts, visit: Visit, error: unknown): Promise<Answer> {
  if (!(error instanceof ApiError)) throw error;
  if (isOver(error)) return signInAgain('/', 'over');
  const { t } = visit.view;
  const link = { href: '/signin', text: t('recovery.back') };
  if (error.code === 'E0000004') return problemPage(visit.view, { status: 401, text: t('signIn.failed'), link });
  if (error.code === 'E0000035') {
    return problemPage(visit.view, { status: 403, text: t('account.password.notAllowed'), link });
  }
  if (error.code === 'E0000047') return problemPage(visit.view, { status: 429, headers: error.headers, link });
  const fault = faultOf(error);
  if (fault === null) throw error;
  const underWay = await underWayIn(ports, visit);
  if (underWay === null) return signInAgain('/', 'over');
  return stepPage(ports, visit, underWay, { fault, status: error.status });
}

/** `POST /signin/step`: takes the step, and leads on. */
export async function sendStep(ports: PagesPorts, request: PageRequest, form: StepForm): Promise<Answer> {
  const visit = await openVisit(ports, request);
  const { context, headers } = visit;
  const foreign = refuseForeignForm(ports, visit, {
    purpose: STEP_PURPOSE,
    token: form.formToken,
    again: '/signin/step',
  });
  if (foreign !== null) return foreign;
  const stateToken = readStateCookie(headers);
  if (stateToken === null) return signInAgain('/', 'over');
  try {
    if (form.action === 'cancel') {
      const { relayState } = await cancelTransaction(ports, context, stateToken);
      return seeOther(signInAddress(readFromUri(relayState, context.baseUrl)), [clearedStateCookie()]);
    }
    if (setsPassword(form) && form.newPassword !== form.repeatPassword) {
      const underWay = await showTransaction(ports, context, stateToken, { slide: false });
      return stepPage(ports, visit, underWay, { fault: { kind: 'newPassword', fault: { reasons: [] } }, status: 400 });
    }
    return await leadOn(ports, visit, await take(ports, visit, stateToken, form));
  } catch (error) {
    return refusedStep(ports, visit, error);
  }
}
