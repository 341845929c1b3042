import { assertReadsAsStored } from '../../kernel/stored.ts';
import { type Members, readChoice } from '../../kernel/words/members.ts';
import { proxiesOf, readName } from './change-zones.ts';
import { ZONE_TYPES, ZONE_USAGES } from './contract.ts';
import { readZoneDocument, type ZoneDocument } from './matching/zone-document.ts';

export function checkStoredZone(row: Members): void {
  const type = readChoice('type', row['type'], ZONE_TYPES, null);
  const usage = readChoice('usage', row['usage'], ZONE_USAGES, null);
  const name = String(row['name']);
  readName(name, name);
  const document = row['document'] as ZoneDocument;
  assertReadsAsStored('document', document, readZoneDocument({ ...document, type, name, usage }, usage));
}

export const proxiesIn = (row: Members): number => proxiesOf(row['document'] as ZoneDocument);
