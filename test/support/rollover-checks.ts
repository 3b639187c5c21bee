import { expect } from "bun:test";
import { invoicesOf, ok } from "./billing.ts";
import { cents } from "./billing-checks.ts";
import type { Renewal } from "./billing-model.ts";
import { iso, type Run } from "./billing-run.ts";
import type { Client, ClientResponse } from "./client.ts";

type Body = ClientResponse["body"];

const hour = 60 * 60 * 1000;
const isFirst = ({ reason }: Body) => reason?.startsWith("Carried over") ?? false;
const sum = (amounts: number[]) => amounts.reduce((all, amount) => all + amount, 0);

/** Compares what each period carried over with the model, from what the interface shows after each step. */
export class RolloverBook {
  /** What was used of each grant after the last step, by its id, and the amounts that grants began with. */
  #used = new Map<string, number>();
  readonly #begun = new Map<string, number>();

  private constructor(
    private readonly client: Client,
    private readonly run: Run,
    /** The ids of the plans, as invoices have them. */
    private readonly planIds: string[],
  ) {}

  static async open(client: Client, run: Run): Promise<RolloverBook> {
    const { data } = await ok(client.get(`${run.bucket}/plans`));
    const idOf = (externalId: string) => data.find((each: Body) => each.planExternalId === externalId).id;
    return new RolloverBook(client, run, run.planIds.map(idOf));
  }

  /** @param time of an event that the last step recorded */
  async expectCarried(time?: number): Promise<void> {
    const renewals = this.run.model.renewals().filter(({ expiresOn }) => expiresOn > this.run.now);
    if (renewals.length === 0) return;
    const path = `${this.run.bucket}/customers/acme/grants`;
    const { data } = await ok(this.client.get(`${path}?limit=1000`));
    const invoices = await invoicesOf(this.client, this.run.bucket, "?limit=1000");
    const used = new Map<string, number>();
    for (const renewal of renewals) {
      const grants = data.filter(
        ({ meter, purchaseId, expiresOn }: Body) =>
          meter !== undefined && purchaseId === undefined && expiresOn === iso(renewal.expiresOn),
      );
      for (const { id } of grants)
        if (!this.#begun.has(id))
          this.#begun.set(id, (await ok(this.client.get(`${path}/${id}/entries?limit=1`))).data[0].amount);
      this.#expectOf(renewal, grants, invoices);
      for (const { id, amount, balance, status } of grants)
        if (status === "active" || status === "depleted") used.set(id, amount - balance);
      // Late usage of the period does not use what the period left unused.
      if (time !== undefined && time < renewal.end)
        for (const { id } of grants)
          if (this.#used.has(id) && used.has(id))
            expect({ id, used: used.get(id) }).toEqual({ id, used: this.#used.get(id) });
    }
    this.#used = used;
  }

  #expectOf({ plan, end, unused, isFree }: Renewal, grants: Body[], invoices: Body[]): void {
    const firsts = grants.filter(isFirst);
    const isFee = (line: Body) => isFeeUntil(line, this.planIds[plan]!, end);
    const fee = isFree ? undefined : invoices.findLast(({ type, lines }) => type === "invoice" && lines.some(isFee));
    const left = sum(grants.map(({ balance }) => balance));
    const paid = fee === undefined || fee.status === "paid";
    expect({ end: iso(end), count: firsts.length > 1 }).toEqual({ end: iso(end), count: false });
    for (const { funding, effectiveOn } of firsts) {
      expect({ funding, isLater: Date.parse(effectiveOn) >= end + hour }).toEqual({
        funding: "promotional",
        isLater: true,
      });
    }
    const returned = fee === undefined ? 0n : cents(fee.credited ?? "0.00") + cents(fee.netted ?? "0.00");
    const isReturned = fee?.status === "void" || (returned > 0n && returned >= cents(fee.total));
    if (!paid || isReturned || this.run.now < end + hour) {
      expect({ end: iso(end), left, fee }).toEqual({ end: iso(end), left: 0, fee });
      return;
    }
    if (returned > 0n && firsts.every(({ status }) => status === "voided")) return;
    const begun = sum(grants.filter((each) => !isFirst(each)).map(({ id }) => this.#begun.get(id)!));
    const used = sum(grants.map(({ amount, balance }) => amount - balance)) - begun;
    expect({ end: iso(end), grants, left }).toEqual({ end: iso(end), grants, left: Math.max(unused - used, 0) });
  }
}

/** A line with the fee of a plan for a period that ends at a time. */
function isFeeUntil({ kind, planId, amount, periodEnd, meter }: Body, itsPlan: string, end: number): boolean {
  const isFee = (kind === "plan" || kind === "proration") && meter === undefined && planId === itsPlan;
  return isFee && cents(amount) > 0n && Date.parse(periodEnd) === end;
}
