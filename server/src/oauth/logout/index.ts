export { type LogoutJobPorts, logoutJobs } from './notify-client.ts';
export { tellClientsOfEnding, tellClientsOfVoid } from './tell-clients.ts';
