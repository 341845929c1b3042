import { resource, statusChange } from '../resource/index.ts';
import { trustedOriginLifecycle } from './lifecycle.ts';
import { TRUSTED_ORIGINS, type TrustedOrigin } from './store.ts';
import { trustedOriginChange, trustedOriginVersion } from './wire.ts';

export const MAXIMUM_TRUSTED_ORIGINS = 1_000;

export const trustedOrigins = resource<TrustedOrigin>({
  noun: 'TrustedOrigin',
  store: TRUSTED_ORIGINS,
  version: trustedOriginVersion,
  target: trustedOriginChange,
  events: {
    create: 'security.trusted_origin.create',
    update: 'security.trusted_origin.update',
    delete: 'security.trusted_origin.delete',
  },
  limit: { maximum: MAXIMUM_TRUSTED_ORIGINS, field: 'origin', plural: 'trusted origins' },
});

export const { delete: deleteTrustedOrigin, get: getTrustedOrigin } = trustedOrigins;

export const changeTrustedOriginStatus = statusChange(trustedOrigins, trustedOriginLifecycle, ({ actor }) => ({
  lastUpdatedBy: actor.id,
}));
