import { Coins } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { PortalCreditOverview, PortalSession } from "../../../../client/transport/portal-schema.gen.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { EmptyState, Notice, NotLoaded } from "../../../components/notice.tsx";
import { Table } from "../../../components/table.tsx";
import { toast } from "../../../components/toasts.ts";
import { formatDays, formatMoney, formatUtcDay } from "../../../lib/format.ts";
import { Link } from "../../../lib/router.tsx";
import { useCredit } from "../../queries/plans.ts";
import { PageHead } from "../../shell/page-head.tsx";
import { isBackFromCheckout, useCheckout } from "../checkout.tsx";
import { type TaxBehavior, TaxNote } from "../plan-offer.tsx";
import { BuyPack } from "./buy-pack.tsx";
import { History } from "./history.tsx";
import { TopUpCard } from "./top-up.tsx";
import { formatUnits, type OpenPurchase, type Pack } from "./units.ts";

/** What is left of the customer's credit, buying more, and its history. */
export default function Credit({ session }: { session: PortalSession }) {
  const [isWaiting, setWaiting] = useState(isBackFromCheckout);
  const [bought, setBought] = useState<Pack>();
  const credit = useCredit(isWaiting);
  const mayBuy = session.scopes.includes("plans:write");
  const { payButton, methodButton } = useCheckout("credit", mayBuy && credit.data?.paysOnline === true);
  if (credit.error || !credit.data) return <NotLoaded of={credit} />;
  const { packs, purchases, paysOnline, paymentMethod, left, credits } = credit.data;
  const isEmpty = packs.length === 0 && purchases.length === 0 && (credits ?? []).length === 0;
  return (
    <>
      <PageHead title="Credit" action={methodButton(paymentMethod !== undefined)}>
        Prepaid credit pays for usage beyond your plan.
      </PageHead>
      <div className="stack">
        <OpenPurchases purchases={purchases} isBack={isWaiting} paysOnline={paysOnline} payButton={payButton} />
        {!credit.data.hasPlan && !isEmpty && (
          <Notice kind="warning">
            <p>Credit needs a plan, and you have none.</p>
            {mayBuy && (
              <Link className="button" href="/plans">
                Choose a plan
              </Link>
            )}
          </Notice>
        )}
        {left && credits && credits.length > 0 && <Left left={left} credits={credits} meters={credit.data.meters} />}
        {isEmpty && (
          <EmptyState icon={Coins} title="No credit">
            There is no credit to buy, and you have none.
          </EmptyState>
        )}
        {packs.length > 0 && <Packs credit={credit.data} onBuy={mayBuy ? setBought : undefined} />}
        {(packs.length > 0 || credit.data.topUp) && paysOnline && (
          <TopUpCard credit={credit.data} mayChange={mayBuy} payButton={payButton} />
        )}
        {session.scopes.includes("usage:read") && <History meters={credit.data.meters} />}
      </div>
      {bought && (
        <BuyPack
          pack={bought}
          credit={credit.data}
          onClose={() => setBought(undefined)}
          onBought={(state) => {
            setBought(undefined);
            // A provider that charges the payment method takes a moment.
            setWaiting(state === "open" && paysOnline);
            if (state === "paid") toast(`${bought.label} bought`);
          }}
        />
      )}
    </>
  );
}

function Packs({ credit, onBuy }: { credit: PortalCreditOverview; onBuy: ((pack: Pack) => void) | undefined }) {
  const { packs, isAvailable, taxBehavior, meters } = credit;
  return (
    <section className="stack" aria-label="Buy credit">
      <h2>Buy credit</h2>
      {!isAvailable && (
        <Notice kind="info">
          <p>Buying is not available yet; contact the business.</p>
        </Notice>
      )}
      <ul className="plan-cards" aria-label="Credit to buy">
        {packs.map((pack) => (
          <PackCard
            key={pack.packExternalId}
            pack={pack}
            meters={meters}
            tax={taxBehavior}
            onBuy={isAvailable && onBuy ? () => onBuy(pack) : undefined}
          />
        ))}
      </ul>
      {!onBuy && <p className="muted small">You can see credit. A person who may choose plans can buy it.</p>}
    </section>
  );
}

interface PackCardProps {
  pack: Pack;
  meters: Record<string, string>;
  tax: TaxBehavior | undefined;
  onBuy: (() => void) | undefined;
}

/** Credit to buy: its price first, then what it is and until when. */
function PackCard({ pack: { label, price, grant }, meters, tax, onBuy }: PackCardProps) {
  return (
    <li className="plan-card">
      <h3>{label}</h3>
      <p className="plan-price">
        <strong>{formatMoney(price.amount, price.currency)}</strong>
        <TaxNote tax={tax} />
      </p>
      <ul className="plan-includes">
        <li>
          <span>{formatUnits(grant, grant.amount, meters)}</span>
        </li>
        <li>
          <span>
            {grant.expiresInDays === undefined
              ? "Does not expire"
              : `Expires ${formatDays(grant.expiresInDays)} after the payment`}
          </span>
        </li>
      </ul>
      {onBuy && (
        <Button kind="primary" onClick={onBuy} aria-label={`Buy ${label}`}>
          Buy
        </Button>
      )}
    </li>
  );
}

type Credit = NonNullable<PortalCreditOverview["credits"]>[number];

interface LeftProps {
  left: NonNullable<PortalCreditOverview["left"]>;
  credits: Credit[];
  meters: Record<string, string>;
}

/** What can be used now, by meter and currency, and what of it runs out when. */
function Left({ left, credits, meters }: LeftProps) {
  const next = credits.find(({ expiresOn, status }) => expiresOn !== undefined && status === "active");
  return (
    <section className="card stack" aria-label="What is left">
      <h2>What is left</h2>
      <ul className="credit-left">
        {left.length === 0 && <li>Nothing yet</li>}
        {left.map((each) => (
          <li key={each.meter ?? each.currency}>{formatUnits(each, each.amount, meters)}</li>
        ))}
      </ul>
      <p className="muted">
        {next
          ? `The next to expire: ${formatUnits(next, next.balance, meters)} on ${formatUtcDay(next.expiresOn!)}.`
          : "It does not expire."}
      </p>
      <Table
        caption="Credits"
        rows={credits}
        columns={[
          { label: "From", render: (credit) => <Source credit={credit} meters={meters} /> },
          {
            label: "Left",
            isNumber: true,
            isLead: true,
            render: (credit) => formatUnits(credit, credit.balance, meters),
          },
          { label: "Of", isNumber: true, render: (credit) => formatUnits(credit, credit.amount, meters) },
          { label: "Expires", render: ({ expiresOn }) => (expiresOn ? formatUtcDay(expiresOn) : "Never") },
        ]}
      />
    </section>
  );
}

function Source({ credit, meters }: { credit: Credit; meters: Record<string, string> }) {
  const { reason, meter, status, effectiveOn } = credit;
  return (
    <span className="row">
      {reason ?? (meter === undefined ? "Money" : (meters[meter] ?? meter))}
      {status === "scheduled" && <Badge tone="amber">from {formatUtcDay(effectiveOn)}</Badge>}
    </span>
  );
}

interface OpenPurchasesProps {
  purchases: OpenPurchase[];
  isBack: boolean;
  paysOnline: boolean;
  payButton: (label: string) => ReactNode;
}

/** Credit that was ordered and is not paid yet. `isBack`: the customer has just paid, or entered a payment method. */
function OpenPurchases({ purchases, isBack, paysOnline, payButton }: OpenPurchasesProps) {
  return purchases.map((purchase) => {
    const { id, label, isTopUp, total, needsAction, hasFailed, url, expiresOn } = purchase;
    const price = formatMoney(total.amount, total.currency);
    const until = expiresOn === undefined ? "" : ` It is canceled on ${formatUtcDay(expiresOn)} if it is not paid.`;
    if (needsAction)
      return (
        <Notice kind="warning" key={id}>
          <p>
            Your bank asks you to confirm the payment of {price} for {label}
            {isTopUp && ", an automatic top-up"}.{until}
          </p>
          {url === undefined ? (
            payButton("Confirm the payment")
          ) : (
            <a className="button" href={url} target="_blank" rel="noreferrer">
              Confirm the payment
            </a>
          )}
        </Notice>
      );
    if (hasFailed)
      return (
        <Notice kind="error" key={id}>
          <p>
            The payment of {price} for {label} failed.
            {isBack && " If you have just paid with another method, this page shows it as soon as it has arrived."}
            {until}
          </p>
          {payButton("Pay with another method")}
        </Notice>
      );
    return (
      <Notice kind="warning" key={id}>
        <p>
          {!paysOnline
            ? `${label} is added once its invoice of ${price} is paid.`
            : isBack || isTopUp
              ? `Waiting for the payment of ${price} for ${label}. This page shows it as soon as it has arrived.`
              : `${label} is not paid yet.${until}`}
        </p>
        {!isTopUp && payButton("Pay now")}
      </Notice>
    );
  });
}
