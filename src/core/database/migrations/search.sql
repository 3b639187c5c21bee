-- The beginnings ("^" before the word) and the ends of words in names of consumers: a word is found by its middle, and
-- with typos. A word is there once, however many consumers have it.
CREATE TABLE consumer_word_parts (
  bucket_seq INTEGER NOT NULL,
  part SORTED_TEXT NOT NULL,
  word SORTED_TEXT NOT NULL,
  PRIMARY KEY (bucket_seq, part, word)
) WITHOUT_ROWID;

-- Words of present consumers. Those with digits are names of machines, which nobody types with a typo.
INSERT INTO consumer_word_parts (bucket_seq, part, word)
  WITH RECURSIVE words AS (
    SELECT DISTINCT bucket_seq, word FROM consumer_words
      WHERE length(word) BETWEEN 2 AND 24
        AND length(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
          word, '0', ''), '1', ''), '2', ''), '3', ''), '4', ''), '5', ''), '6', ''), '7', ''), '8', ''), '9', '')) = length(word)
  ), ends AS (
    SELECT bucket_seq, word, 2 AS start FROM words WHERE length(word) >= 4
    UNION ALL SELECT bucket_seq, word, start + 1 FROM ends WHERE start + 1 < length(word)
  )
  SELECT bucket_seq, '^' || word, word FROM words UNION ALL SELECT bucket_seq, substr(word, start), word FROM ends;

-- The domains of managers' addresses.
CREATE INDEX managers_by_domain ON managers
  (bucket_seq, (replace(email_key, rtrim(email_key, replace(email_key, '@', '')), '')));
CREATE INDEX subscriptions_by_customer_external_id ON subscriptions (bucket_seq, customer_external_id);
