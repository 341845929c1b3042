import type { Context } from '../../../kernel/context.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { type App, findAppsByIds, findLogosOf, launchLinksOf, logoAddress } from '../../apps/index.ts';
import { getUser } from '../../users/index.ts';
import type { AppAssignmentsPorts } from '../ports.ts';
import { assignmentIdOf } from '../users/app-user.ts';
import { appLinks, type LinkedApp } from '../users/link-rules.ts';
import { findOwnAssignmentsOfUser } from '../users/user-store.ts';
import { appsOfUser } from './effective-store.ts';

const schemeOf = ({ credentials }: App['document']): string | null =>
  'scheme' in credentials ? (credentials.scheme ?? null) : null;

async function linkedApps(
  { db }: Pick<AppAssignmentsPorts, 'db'>,
  context: Context,
  userId: string,
): Promise<LinkedApp[]> {
  const { baseUrl, orgId } = context;
  const appIds = await appsOfUser(db, orgId, userId);
  if (appIds.length === 0) return [];
  const apps = await findAppsByIds(db, orgId, appIds);
  const logos = await findLogosOf(db, orgId, appIds);
  const owns = await findOwnAssignmentsOfUser(db, orgId, userId, appIds);
  const withPassword = new Set(owns.flatMap((own) => (own.sealedPassword === null ? [] : [own.appId])));
  return apps
    .filter(({ status }) => status === 'ACTIVE')
    .map((app) => ({
      id: app.id,
      label: app.label,
      name: app.document.name,
      signOnMode: app.signOnMode,
      scheme: schemeOf(app.document),
      isHidden: app.document.visibility.hide.web,
      hasPassword: withPassword.has(app.id),
      logoUrl: logoAddress(logos.get(app.id) ?? null, baseUrl).href,
      links: launchLinksOf(app, context),
    }));
}

/** Lists links to the active apps that are assigned to a user or to the user's groups. */
export async function listAppLinks(
  ports: Pick<AppAssignmentsPorts, 'db' | 'users'>,
  context: Context,
  grant: Grant,
  idOrLogin: string,
): Promise<Record<string, unknown>[]> {
  const { id } = await getUser(ports.users, context, grant, idOrLogin);
  const links = appLinks(await linkedApps(ports, context, id));
  return links.map(({ app, hasCredentials, href, label, sortOrder }) => ({
    id,
    label,
    linkUrl: href,
    logoUrl: app.logoUrl,
    appName: app.name,
    appInstanceId: app.id,
    appAssignmentId: assignmentIdOf(context.orgId, app.id, id),
    credentialsSetup: hasCredentials,
    hidden: app.isHidden,
    sortOrder,
  }));
}
