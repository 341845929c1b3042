import { SETTINGS } from '../../src/settings/settings.ts';

/** Between `renameSetting` and `restoreSetting`, the setting GATEHOUSE_DRAIN_SECONDS has this former name. */
export const FORMERLY = { name: 'GATEHOUSE_DRAIN_TIME', until: '99.0.0' } as const;

export const renameSetting = (): unknown => Object.assign(SETTINGS.drainSeconds, { formerly: FORMERLY });

export const restoreSetting = (): boolean => Reflect.deleteProperty(SETTINGS.drainSeconds, 'formerly');
