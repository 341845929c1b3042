import { assertReadsAsStored, storedText } from '../../kernel/stored.ts';
import type { Members } from '../../kernel/words/members.ts';
import { readTokenName } from './changes/read-token-name.ts';
import { readNetwork, type TokenNetwork } from './use/network-rules.ts';

export function checkStoredToken(row: Members): void {
  const name = storedText(row, 'name');
  readTokenName(name, name);
  const network = row['network'] as TokenNetwork;
  assertReadsAsStored('network', network, readNetwork(network));
}
