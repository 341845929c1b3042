import { rowSecrets } from '../../resource/index.ts';

export const { open: openStreamSecret, seal: sealStreamSecret } = rowSecrets('log_streams');
