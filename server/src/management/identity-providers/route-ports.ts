import type { Foundation } from '../../system-log/index.ts';
import type { ProvidersPorts } from './changes/create-provider.ts';
import type { ProviderUsedBy } from './changes/delete-provider.ts';

export interface IdentityProviderRoutesPorts extends ProvidersPorts, Pick<Foundation, 'db' | 'cursors'> {
  readonly providerUsedBy: ProviderUsedBy;
}
