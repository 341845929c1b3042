export { compileAddresses } from './address-ranges.ts';
export { checkStoredZone } from './check-stored.ts';
export { createDefaultZones } from './create-default-zones.ts';
export { holdZone } from './store.ts';
export { createZones, type Zones } from './zones.ts';
