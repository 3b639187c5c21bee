import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The invitations that customers of portals sent by mail in the last day, which are limited. */
export const portalInviteMails: Migration = {
  name: "0271-portal-invite-mails",
  statements: ({ seq, integer }) => [
    `CREATE TABLE portal_invite_mails (
      seq ${seq},
      portal_id text NOT NULL,
      consumer_seq ${integer} NOT NULL,
      mailbox text NOT NULL,
      created_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL
    )`,
    "CREATE INDEX portal_invite_mails_of_consumer ON portal_invite_mails (consumer_seq, created_on)",
    "CREATE INDEX portal_invite_mails_of_mailbox ON portal_invite_mails (portal_id, mailbox, created_on)",
    "CREATE INDEX portal_invite_mails_by_expiry ON portal_invite_mails (expires_on)",
  ],
};
