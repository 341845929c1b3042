import { cursor, limit } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { ProvidersPorts } from './changes/create-provider.ts';
import type { ProviderUsedBy } from './changes/delete-provider.ts';

export interface IdentityProviderRoutesPorts extends ProvidersPorts, Pick<Foundation, 'db' | 'cursors'> {
  readonly providerUsedBy: ProviderUsedBy;
}

const common = { access: 'authenticated', bucket: 'management', cors: false } as const;
export const reading = { ...common, scopes: ['idps.read'], permission: 'idps.read' } as const;
export const managing = { ...common, scopes: ['idps.manage'], permission: 'idps.manage' } as const;

export const COLLECTION = '/api/v1/idps';

export const pageQuery = {
  limit: limit({ default: 20, maximum: 200 }),
  after: cursor('Cursor of the next page.'),
  before: cursor('Cursor of the previous page.'),
};
