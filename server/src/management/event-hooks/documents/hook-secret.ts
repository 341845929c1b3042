import { rowSecrets } from '../../resource/index.ts';

export const { open: openHookSecret, seal: sealHookSecret } = rowSecrets('event_hooks');
