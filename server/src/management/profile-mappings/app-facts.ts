import type { OrgId } from '../../kernel/words/ids.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { findApp } from '../apps/index.ts';
import { findProvider } from '../identity-providers/index.ts';
import type { AppFacts } from '../schemas/index.ts';

const providerName = (type: string): string => (type === 'SAML2' ? 'saml_idp' : `${type.toLowerCase()}_idp`);

export async function readAppFacts(db: Db, orgId: OrgId, id: string): Promise<AppFacts | null> {
  const app = await findApp(db, orgId, id);
  if (app !== undefined) {
    const kind = app.signOnMode === 'OPENID_CONNECT' ? 'OIDC' : 'PLAIN';
    return { id, name: app.document.name, label: app.label, kind, createdAt: app.createdAt };
  }
  const provider = await findProvider(db, orgId, id);
  if (provider === undefined) return null;
  const { createdAt, name: label, type } = provider;
  return { id, name: providerName(type), label, kind: 'PROVIDER', createdAt };
}
