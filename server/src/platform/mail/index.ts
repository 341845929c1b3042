export { isMailAddress } from './address.ts';
export { type ListedMail, listMails, type MailOutbox, type NewMail, queueMail } from './mail-outbox.ts';
export { createMailJobs, type MailJobs, type MailJobsOptions } from './smtp-sender.ts';
export { type MailContent, type MailFacts, type MailKind, renderMail } from './templates.ts';
