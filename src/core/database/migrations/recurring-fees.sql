-- The fees of subscriptions at the end of each month. They outlive subscriptions, which take their segments with them.
CREATE TABLE recurring_fees (
  bucket_seq INTEGER NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
  -- When it begins.
  month INTEGER NOT NULL,
  subscription_seq INTEGER NOT NULL,
  plan_id text NOT NULL,
  customer_key text NOT NULL,
  currency text NOT NULL,
  -- In minor units.
  yearly text NOT NULL,
  PRIMARY KEY (bucket_seq, month, subscription_seq, plan_id)
) WITHOUT_ROWID;

-- When the recurring fees of the next month are stored. Null: they were never, as in test buckets.
ALTER TABLE metering_buckets ADD COLUMN recurring_on INTEGER;
