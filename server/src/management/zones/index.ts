export { MAXIMUM_PROXIES } from './change-zones.ts';
export { checkStoredZone, proxiesIn } from './check-stored.ts';
export { createDefaultZones } from './create-default-zones.ts';
export { compileProxies } from './matching/address-ranges.ts';
export { MAXIMUM_ZONES } from './resource.ts';
export { lockZoneForKeyShare } from './store.ts';
export { createZones, type Zones } from './zones.ts';
