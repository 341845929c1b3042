import { admits } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import type { AppId } from '../../kernel/words/ids.ts';
import {
  type App,
  findApp,
  isClientApp,
  type LaunchTarget,
  launchLinksOf,
  launchTargetOf,
  loginAddress,
} from '../../management/apps/index.ts';
import { groupsOfUser } from '../../management/groups/index.ts';
import { findSessionForAuthorization, type SignedInUser } from '../../sign-in/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { type AppPoliciesPorts, decideAppSignOn, findAppPolicies, findHoldingFacts } from '../app-sign-on/index.ts';
import { appSignOnDenied, signedOnEvent } from '../authorization/events.ts';
import { isRecent } from '../authorization/requests/request-rules.ts';

export interface LaunchPorts extends AppPoliciesPorts, Pick<Foundation, 'db' | 'work'> {}

export interface LaunchParams {
  readonly appName: string;
  readonly appId: AppId;
  readonly linkId: string;
}

export type Launch =
  | { readonly to: 'address'; readonly address: string }
  /** `address` is where the app itself asks for a password; null if there is no such address. */
  | { readonly to: 'missing'; readonly label: string; readonly address: string | null }
  | { readonly to: 'signIn'; readonly reauthenticate: boolean }
  /** `notHeld` means that there is no such app or that the user cannot use it. `denied` is the policy's decision. */
  | { readonly to: 'refusal'; readonly because: 'notHeld' | 'denied' };

const NOT_HELD: Launch = { to: 'refusal', because: 'notHeld' };

/**
 * The launch link does not record that the user has just signed in for it. A sign-in that is at most this many seconds
 * old therefore counts as made for the launch.
 */
const RECENT_SECONDS = 60;

function leadingTo(app: App, target: LaunchTarget, { baseUrl }: Context): Launch {
  if (target.to === 'federation') return { to: 'missing', label: app.label, address: null };
  if (target.to === 'byHand') return { to: 'missing', label: app.label, address: target.address };
  const address = target.to === 'login' ? loginAddress(target.address, baseUrl) : target.address;
  return { to: 'address', address };
}

async function findLaunched(
  { db }: LaunchPorts,
  context: Context,
  { appId, appName, linkId }: LaunchParams,
): Promise<{ readonly app: App; readonly target: LaunchTarget } | null> {
  const app = await findApp(db, context.orgId, appId);
  if (app === undefined || app.document.name !== appName) return null;
  const target = launchTargetOf(app);
  const isLinked = launchLinksOf(app, context).some(({ id }) => id === linkId);
  return target === null || !isLinked ? null : { app, target };
}

/** Starts an app that the user has, and records the sign-on. For OAuth clients, `/authorize` records sign-ons. */
export async function launchApp(
  ports: LaunchPorts,
  { context, sessionId, user }: SignedInUser,
  params: LaunchParams,
): Promise<Launch> {
  const { orgId } = context;
  const launched = await findLaunched(ports, context, params);
  if (launched === null) return NOT_HELD;
  const { app, target } = launched;
  const [session, facts, groupIds, policies] = await Promise.all([
    findSessionForAuthorization(ports.db, orgId, sessionId, context.now),
    findHoldingFacts(ports.db, orgId, app.clientId, user.id),
    groupsOfUser(ports.db, orgId, user.id),
    findAppPolicies(ports, context),
  ]);
  if (session === undefined) return { to: 'signIn', reauthenticate: false };
  const { accessPolicyId, since, userTypeId } = facts;
  if (since === null || userTypeId === null) return NOT_HELD;
  const decision = decideAppSignOn(policies, {
    path: 'launchApp',
    isPublicClient: false,
    accessPolicyId,
    user: { id: user.id, typeId: userTypeId },
    groupIds,
  });
  const refusal = admits('launchApp', {
    user: { status: session.userStatus },
    client: { status: app.status, applicationType: app.applicationType },
    app: decision,
    presence: 'PRESENT',
  });
  const named = { appId: app.id, clientId: app.clientId, label: app.label };
  if (refusal === 'APP_POLICY') {
    await ports.work(context, async (_tx, record) => record(appSignOnDenied(named, decision, session)));
    return { to: 'refusal', because: 'denied' };
  }
  if (refusal !== null) return NOT_HELD;
  const launch = leadingTo(app, target, context);
  if (isClientApp(app) || launch.to !== 'address') return launch;
  const { signInAgeSeconds } = decision;
  if (signInAgeSeconds !== null) {
    const age = Math.max(signInAgeSeconds, RECENT_SECONDS);
    if (!isRecent(session.authTime, age, context.now)) return { to: 'signIn', reauthenticate: true };
  }
  await ports.work(context, async (_tx, record) => record(signedOnEvent(session, named)));
  return launch;
}
