import type { Reads } from "../../../../platform/storage/storage.ts";
import { type Grant, listGrants } from "../../../commerce/billing/credit-grants/grants.ts";
import { presentAmount, presentGrant } from "../../../commerce/billing/credit-grants/present-grant.ts";
import { withCurrentBalances } from "../../../commerce/billing/periods/grant-actions.ts";
import type { CustomerAccount } from "../plans/offers.ts";

const pageSize = 1000;

async function allGrants(reads: Reads, { bucket, customerKey }: CustomerAccount): Promise<Grant[]> {
  const grants: Grant[] = [];
  for (;;) {
    const paging = { limit: pageSize, offset: grants.length };
    const { data, total } = await listGrants(reads, bucket, customerKey, paging);
    grants.push(...data);
    if (data.length === 0 || grants.length >= total) return grants;
  }
}

/** Credits that can be used now or later, the oldest first, and the sums of those that can be used now. */
export async function usableCredits(reads: Reads, account: CustomerAccount) {
  const { bucket, act, customerKey } = account;
  const grants = await withCurrentBalances(reads, bucket, customerKey, await allGrants(reads, account), act.now);
  const sums = new Map<string, { unit: Pick<Grant, "meter" | "currency">; sum: bigint }>();
  const credits: ReturnType<typeof presentGrant>[] = [];
  for (const grant of grants) {
    const credit = presentGrant(grant, act.now);
    if (credit.status !== "active" && credit.status !== "scheduled") continue;
    credits.push(credit);
    if (credit.status === "scheduled") continue;
    const unit = { meter: grant.meter, currency: grant.currency };
    const key = JSON.stringify(unit);
    sums.set(key, { unit, sum: (sums.get(key)?.sum ?? 0n) + BigInt(grant.balance) });
  }
  const left = [...sums.values()].map(({ unit, sum }) => ({
    ...(unit.meter === null ? {} : { meter: unit.meter }),
    ...(unit.currency === null ? {} : { currency: unit.currency }),
    amount: presentAmount(unit, String(sum)),
  }));
  return { credits, left };
}
