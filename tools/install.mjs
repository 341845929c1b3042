// Installs the tools of a developer where they are missing: `npm start` leaves them out.
import { checkNode, ensureInstalled } from './setup.mjs';

checkNode();
await ensureInstalled();
