import { SETTINGS } from '../../src/settings/settings.ts';

/** The former name that GATEHOUSE_DRAIN_SECONDS has between `renameSetting` and `restoreSetting`. */
export const FORMERLY = { name: 'GATEHOUSE_DRAIN_TIME', until: '99.0.0' } as const;

export const renameSetting = (): unknown => Object.assign(SETTINGS.drainSeconds, { formerly: FORMERLY });

export const restoreSetting = (): boolean => Reflect.deleteProperty(SETTINGS.drainSeconds, 'formerly');
