import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /** The usage of a period before a segment, which begins at a time. Late events raise it. */
    segment_marks: {
      subscription_seq: number;
      period_start: number;
      segment_seq: number;
      time: number;
      meter: string;
      whole: number;
      billionths: number;
      /** The part of it without events. */
      consumed_whole: number;
      consumed_billionths: number;
    };
    billing_profiles: {
      account_seq: number;
      /** JSON. */
      profile: string;
      version: number;
      created_on: number;
      updated_on: number;
    };
    payment_providers: {
      account_seq: number;
      /** `live` or `test`. */
      mode: string;
      type: string;
      /** Of Stripe, encrypted. */
      secret_key: Uint8Array | null;
      webhook_secret: Uint8Array | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** The last number of each series of an account. */
    number_series: {
      account_seq: number;
      series: string;
      last: number;
    };
    customers: {
      seq: Generated<number>;
      bucket_seq: number;
      customer_key: string;
      email: string | null;
      legal_name: string | null;
      /** JSON. */
      address: string | null;
      tax_ids: string | null;
      currency: string | null;
      payment_method: string | null;
      /** JSON. */
      spend_cap: Generated<string | null>;
      credit_limit: Generated<string | null>;
      /** `taxable`, `reverse-charge` or `exempt`. Null: taxable. */
      tax_status: Generated<string | null>;
      /** JSON. */
      top_up: Generated<string | null>;
      /** In a metering bucket with a key bucket: the id of its consumer, which may have been deleted. */
      consumer_id: Generated<string | null>;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** A part of a quota period in which a subscription has the same terms. */
    billing_segments: {
      seq: Generated<number>;
      subscription_seq: number;
      /** `billed`, `trial` or `idle`. */
      kind: string;
      period_start: number;
      period_end: number;
      starts_on: number;
      /** Null while it is the current one. */
      ends_on: number | null;
      /** JSON. */
      terms: string;
      /** JSON: the billed overage of each meter in minor units. */
      billed: string;
    };
    /** Invoices, and credit notes, which have `corrects_id`. Amounts are in minor units. */
    invoices: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      customer_key: string;
      /** Not a reference: invoices outlive subscriptions. */
      subscription_id: string | null;
      /** The purchase of a credit pack that it sells. Such an invoice, and its credit notes, have no subscription. */
      purchase_id: Generated<string | null>;
      corrects_id: string | null;
      status: string;
      number: string | null;
      currency: string;
      /** JSON copies of the billing profile and the customer. Null for a draft. */
      seller: string | null;
      buyer: string | null;
      /** `exclusive` or `inclusive`. Null: that of the profile when it is finalized; of older invoices, exclusive. */
      tax_behavior: Generated<string | null>;
      /** JSON. */
      lines: string;
      subtotal: string;
      tax: string;
      total: string;
      amount_due: string;
      /** The sum of its credit notes. */
      credited: string;
      /** What later invoices credit of its fees, with tax. It is not a part of `credited`. */
      netted: Generated<string>;
      /** What the customer's bank demands back of its payment. It is not a part of `credited`. */
      disputed: Generated<string>;
      /** JSON: what was credited of each line, with tax. What is missing of `credited` and `netted` concerns all lines. */
      line_credits: Generated<string>;
      /** What paid grants pay of it; of a draft, what they paid as usage occurred. */
      from_credits: string;
      /** What a cap removes from its overage. */
      written_off: string;
      /**
       * What was paid with the payment method or outside of Tollgate. Null until it is paid, and of older rows. Of a
       * credit note, what it returns of that.
       */
      collected: Generated<string | null>;
      /** What is returned to the payment method; of a credit note, its part of that. */
      refunded: Generated<string>;
      /** Of a credit note that is refunded: `pending`, `succeeded` or `failed`. */
      refund_state: Generated<string | null>;
      /** When a draft is finalized. Null if it is not a draft. */
      finalizes_on: number | null;
      finalized_on: number | null;
      /** The server's time when it was finalized: that may be later than it was due. Null of older rows. */
      recorded_on: Generated<number | null>;
      due_on: number | null;
      /** When its payment failed and was announced. */
      failed_on: number | null;
      paid_on: number | null;
      payment_reference: string | null;
      /** How far a provider has come that collects it. Null if none does. */
      collection_state: string | null;
      /** Where the customer pays at the provider. */
      collection_url: string | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** Addresses where a customer enters a payment method and pays. */
    checkouts: {
      /** Of the token in the address. */
      hash: Uint8Array;
      bucket_seq: number;
      customer_key: string;
      return_url: string;
      /** Without a payment. Null if it is the same address. */
      cancel_url: string | null;
      expires_on: number;
    };
    /** What a customer may use or pay with. Amounts are billionths of a meter's unit or minor units of a currency. */
    grants: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      customer_key: string;
      /** Either a meter or a currency. */
      meter: string | null;
      currency: string | null;
      /** `promotional`, `prepaid` or `paid`. */
      funding: string;
      priority: number;
      amount: string;
      balance: string;
      effective_on: number;
      expires_on: number | null;
      /** When it expired or was voided. */
      ended_on: number | null;
      voided_on: number | null;
      reason: string | null;
      /** The invoice that it is the rest of. */
      invoice_id: string | null;
      /** The purchase of the credit pack that it comes from. */
      purchase_id: Generated<string | null>;
      /** The rollover whose units it has. */
      rollover_seq: Generated<number | null>;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /**
     * What a plan carries over of a meter's unused units at the end of a period. Amounts are billionths. Rows outlive
     * subscriptions, because invoices do.
     */
    rollovers: {
      seq: Generated<number>;
      bucket_seq: number;
      customer_key: string;
      subscription_id: string;
      period_start: number;
      period_end: number;
      plan_id: string;
      /** That of the plan. */
      label: string;
      meter: string;
      /** The most that this plan carries over. */
      maximum: string;
      /** The allowance of the period, of all plans. */
      allowance: string;
      /** Where the fee of the period was invoiced. Null if there was nothing to pay. */
      invoice_id: string | null;
      line: number | null;
      expires_on: number;
      /** The grant that it became. */
      grant_id: string | null;
      /** How much was granted, with later changes. Null before. */
      granted: string | null;
      /** When it expired, or its fee was returned. */
      ended_on: number | null;
    };
    /** The ledger of grants. Rows never change. */
    grant_entries: {
      seq: Generated<number>;
      id: string;
      grant_seq: number;
      /** `granted`, `consumed`, `expired`, `voided`, `refunded`, `restored` or `adjusted`. */
      kind: string;
      amount: string;
      balance: string;
      /** The start of the hour in which usage was paid. */
      hour: number | null;
      subscription_id: string | null;
      meter: string | null;
      invoice_id: string | null;
      created_on: number;
    };
    /**
     * What grants pay of a meter's usage: in a segment if it is billed, otherwise, with segment 0, in a period. Usage up
     * to `seen` and cost up to `cost` are decided.
     */
    credit_uses: {
      subscription_seq: number;
      period_start: number;
      segment_seq: number;
      meter: string;
      seen: string;
      covered: string;
      cost: string;
      /** Money that reduces the cost before tax: of promotional and prepaid grants. */
      promotional: string;
      paid: string;
      /** The cost under a prepaid rate that no money covered. */
      written_off: string;
      /** The parts that invoices show already. */
      applied_promotional: string;
      applied_paid: string;
      applied_written_off: string;
      /** The parts of `promotional` and `applied_promotional` that come from prepaid grants. */
      prepaid: Generated<string>;
      applied_prepaid: Generated<string>;
      /** The part of `written_off` that was written off since money last paid. */
      written_off_last: Generated<string>;
    };
    /** What customers with caps owe for the overage of a period. */
    spend_periods: {
      subscription_seq: number;
      period_start: number;
      owed: string;
      written_off: string;
      applied: string;
      threshold: number;
      is_over: number;
      cap: string | null;
    };
    /** Customers with grants or caps. */
    customer_credits: {
      bucket_seq: number;
      customer_key: string;
      /** Raised by each change of grants and of what they pay. */
      revision: number;
      /** When usage is next compared with credits. Null if there are none. */
      checks_on: number | null;
    };
    /** Credit that is offered for a price. Amounts are minor units, and for a meter billionths of its unit. */
    credit_packs: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      external_id: string;
      label: string;
      currency: string;
      price: string;
      /** Either a meter or a currency. */
      grant_meter: string | null;
      grant_currency: string | null;
      grant_amount: string;
      expires_in_days: number | null;
      is_public: number;
      position: number;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** Sales of credit packs, with the pack as it was. */
    pack_purchases: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      customer_key: string;
      pack_external_id: string;
      label: string;
      is_top_up: number;
      /** `open`, `paid`, `failed` or `canceled`. */
      state: string;
      currency: string;
      price: string;
      /** The price with tax. */
      total: string;
      grant_meter: string | null;
      grant_currency: string | null;
      grant_amount: string;
      expires_in_days: number | null;
      invoice_id: string;
      /** Null until it is paid. */
      grant_id: string | null;
      paid_on: number | null;
      /** Until when an open one can be paid. Null without a limit. */
      expires_on: number | null;
      /** When the provider was asked to stop its payment. It may be paid until the provider confirms that. */
      stopped_on: number | null;
      /** When the payment was refunded or disputed at the provider, and how much of the credit was used by then. */
      reversed_on: number | null;
      reversed_used: string | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** The sum of the open invoices of a customer. Customers who owe nothing may have no row. */
    customer_dues: {
      bucket_seq: number;
      customer_key: string;
      /** In ten-thousandths, whatever the currencies are. */
      due: number;
    };
    /** Mail of test buckets, which is never sent. */
    test_mails: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      kind: string;
      recipient: string;
      /** The bucket, and the invoice, or the subscription and the end of its access. */
      subject_id: string;
      due_on: number;
      /** 0 until it is due: then the texts are written. */
      is_written: number;
      subject: string | null;
      body_text: string | null;
      body_html: string | null;
    };
  }
}
