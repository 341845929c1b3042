export { type ListedMail, linksIn, listMails, type NewMail, queueMail } from './mail-outbox.ts';
export { createMailJobs, type MailJobs } from './smtp-sender.ts';
export { renderMail } from './templates.ts';
