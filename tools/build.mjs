// `npm run build` builds the server if its sources have changed.
import { checkNode, ensureBuilt } from './setup.mjs';

checkNode();
await ensureBuilt();
