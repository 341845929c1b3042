import { notFound } from '../../kernel/errors/errors.ts';
import { findProvider } from '../../management/identity-providers/index.ts';
import type { Answer } from '../../platform/http/index.ts';
import { problemPage, seeOther } from '../../platform/pages/index.ts';
import { openPageSession, type PageRequest } from '../pages/page-session.ts';
import type { AccountPorts } from '../pages/ports.ts';

export type FederationPorts = AccountPorts;

export async function showMissing(
  ports: FederationPorts,
  request: PageRequest,
  missing: 'certificate' | 'provider' | 'saml',
): Promise<Answer> {
  const { view } = await openPageSession(ports, request);
  return problemPage(view, { status: 501, title: view.t('missing.title'), text: view.t(`missing.${missing}`) });
}

/** Handles the targets of WebFinger links. */
export async function startAtProvider(ports: FederationPorts, request: PageRequest, idpId: string): Promise<Answer> {
  const { namespace, orgId } = request.context;
  if (idpId === namespace.upper) return seeOther('/signin');
  const provider = await findProvider(ports.users.db, orgId, idpId);
  if (provider === undefined) throw notFound(idpId, 'IdentityProvider');
  const { view } = await openPageSession(ports, request);
  const title = view.t('signIn.federated.title', { provider: provider.name });
  return problemPage(view, { status: 501, title, text: view.t('missing.provider') });
}
