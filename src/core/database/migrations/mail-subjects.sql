-- Each renewal asks whether a mail about its invoice was queued before.
CREATE INDEX mails_of_subject ON mails (subject_id, kind);
CREATE INDEX test_mails_of_subject ON test_mails (bucket_seq, subject_id);
