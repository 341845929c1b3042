import { rowSecrets } from '../../resource/index.ts';

export const { open: openProviderSecret, seal: sealProviderSecret } = rowSecrets('identity_providers');
