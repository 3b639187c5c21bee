-- Mail is removed some time after it ended or expired.
CREATE INDEX mails_by_end ON mails (ended_on);
CREATE INDEX mails_by_expiry ON mails (expires_on);
