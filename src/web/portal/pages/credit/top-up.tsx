import { lazy, type ReactNode, Suspense, useState } from "react";
import type { PortalCreditOverview } from "../../../../client/transport/portal-schema.gen.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Notice } from "../../../components/notice.tsx";
import { formatMoney, formatUtcDay } from "../../../lib/format.ts";
import { call, useAction } from "../../queries/api.ts";
import { formatUnits, type TopUp } from "./units.ts";

const stops: Record<NonNullable<TopUp["stopped"]>["reason"], string> = {
  payment_failed: "a payment failed or was not confirmed in time",
  refunded: "credit was refunded",
  account_deleted: "the account was deleted",
  maximum_too_low: "the credit costs more with tax than your monthly limit",
};

const EditTopUp = lazy(() => import("./edit-top-up.tsx"));

interface TopUpCardProps {
  credit: PortalCreditOverview;
  mayChange: boolean;
  payButton: (label: string) => ReactNode;
}

/** The automatic top-up: what it buys and when, its limit, and why it is off. */
export function TopUpCard({ credit, mayChange, payButton }: TopUpCardProps) {
  const [isOpen, setOpen] = useState(false);
  const { topUp, paymentMethod } = credit;
  const turn = useAction(({ packExternalId, below, maximumPerMonth, isEnabled }: TopUp) =>
    call("updatePortalCredit", { body: { topUp: { packExternalId, below, maximumPerMonth, isEnabled: !isEnabled } } }),
  );
  const isGone = topUp !== undefined && topUp.currency === undefined;
  return (
    <section className="card stack" aria-label="Automatic top-up">
      <div className="row">
        <h2>Automatic top-up</h2>
        {topUp && <Badge tone={topUp.isEnabled ? "green" : "grey"}>{topUp.isEnabled ? "On" : "Off"}</Badge>}
      </div>
      <p>
        {topUp ? describe(topUp, credit) : "Buys credit automatically when little is left, up to a limit that you set."}
      </p>
      {topUp?.stopped && !topUp.isEnabled && (
        <Notice kind="error">
          <p>
            It was turned off on {formatUtcDay(topUp.stopped.on)}, because {stops[topUp.stopped.reason]}.
            {mayChange && " Turn it on again to continue."}
          </p>
          {topUp.stopped.reason === "payment_failed" && payButton("Change payment method")}
        </Notice>
      )}
      {isGone && (
        <Notice kind="warning">
          <p>This credit is no longer sold: nothing is bought any more.{mayChange && " Choose another pack."}</p>
        </Notice>
      )}
      {topUp?.isEnabled && !paymentMethod && (
        <Notice kind="warning">
          <p>There is no payment method: nothing is bought until you add one.</p>
          {payButton("Add payment method")}
        </Notice>
      )}
      {mayChange && (
        <div className="row">
          {topUp && !isGone && (
            <Button isBusy={turn.isPending} onClick={() => turn.mutate(topUp)}>
              {topUp.isEnabled ? "Turn off" : "Turn on"}
            </Button>
          )}
          <Button onClick={() => setOpen(true)}>{topUp ? "Change top-up" : "Set up automatic top-up"}</Button>
        </div>
      )}
      {isOpen && (
        <Suspense>
          <EditTopUp credit={credit} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </section>
  );
}

function describe(topUp: TopUp, { packs, meters }: PortalCreditOverview): string {
  const { packExternalId, below, maximumPerMonth, currency, spent } = topUp;
  const pack = packs.find((each) => each.packExternalId === packExternalId);
  const name = pack?.label ?? packExternalId;
  if (currency === undefined || spent === undefined) return `Buys ${name}.`;
  const when = pack
    ? `when less than ${formatUnits(pack.grant, below, meters)} is left`
    : `when less than ${below} is left`;
  const limit = `for at most ${formatMoney(maximumPerMonth, currency)} in a calendar month, with tax`;
  const isReached = pack !== undefined && Number(spent) + Number(pack.price.amount) > Number(maximumPerMonth);
  const month = `${formatMoney(spent, currency)} this month so far`;
  return `Buys ${name} ${when}, ${limit}. ${month}${isReached ? ": the limit is reached, nothing more is bought until next month." : "."}`;
}
