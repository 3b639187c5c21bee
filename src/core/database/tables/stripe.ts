declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /** Money that a customer owes and that is too little to be collected, in minor units. The next invoice has it. */
    carried_amounts: {
      bucket_seq: number;
      customer_key: string;
      currency: string;
      amount: string;
    };
    /** The customers at Stripe. */
    stripe_customers: {
      bucket_seq: number;
      customer_key: string;
      /** Null until it is known that it was created. */
      stripe_id: string | null;
      began_on: number;
      generation: number;
      /** The id of the default payment method. */
      payment_method: string | null;
      /** The checkout whose payment method became the default one. */
      session_id: string | null;
      /** When to compare it with the customer at Stripe. */
      sync_on: number | null;
      /** Until when a page of Stripe may be used. */
      sync_until: number | null;
      /** Raised when there is a reason to compare, such as an event, also during a comparison. */
      wakes: number;
      lease: string | null;
      lease_until: number | null;
    };
    /** How far the collection of an invoice by Stripe has come. */
    stripe_invoices: {
      invoice_seq: number;
      account_seq: number;
      /** `live` or `test`. */
      mode: string;
      customer_id: string | null;
      /** When the invoice was first requested from Stripe: from then on it may exist there. */
      began_on: number | null;
      stripe_id: string | null;
      stripe_status: string | null;
      /** What is due at Stripe, in its minor units. */
      amount: string | null;
      /** The number of payment attempts that were processed. */
      attempts: number;
      /** Part of idempotency keys: another one after a response that would be repeated. */
      generation: number;
      failures: number;
      error: string | null;
      /** When to continue. Null if nothing remains to do. */
      next_on: number | null;
      lease: string | null;
      lease_until: number | null;
      /** Raised when there is a reason to continue, such as an event, also during an attempt. */
      wakes: number;
      /** The payment method of the last attempt. */
      paid_with: string | null;
      /** 1 from before a charge until its outcome is known. Bank debits take days. */
      charging: number;
      /** When it was decided to void the invoice at Stripe. Ours is void once Stripe confirms it. */
      void_on: number | null;
      /** How often a payment was requested. */
      requested: number;
      /** The request of the last attempt. */
      performed: number;
      /** The money that Stripe took and our books have, as the payment of the invoice or as a grant. */
      recorded: string;
      /** The payment that Stripe took. */
      payment_intent: string | null;
      /** How many events about refunds or credit notes arrived, and after how many they were read. */
      refund_events: number;
      refunds_read: number;
      /** What credit notes had taken off our invoice before the one at Stripe was finalized. */
      credited_before: string;
      created_on: number;
      updated_on: number;
    };
    /** The events of Stripe that were processed. */
    stripe_events: {
      account_seq: number;
      mode: string;
      event_id: string;
      received_on: number;
    };
  }
}

export {};
