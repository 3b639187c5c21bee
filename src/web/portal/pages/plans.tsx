import { Package } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import type { PortalPlans, PortalSession } from "../../../client/transport/portal-schema.gen.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState, Notice, NotLoaded } from "../../components/notice.tsx";
import { formatMoney } from "../../lib/format.ts";
import { call, useAction } from "../queries/api.ts";
import { useFirstKey } from "../queries/kept-keys.ts";
import { usePlans } from "../queries/plans.ts";
import { PageHead } from "../shell/page-head.tsx";
import { isBackFromCheckout, useCheckout } from "./checkout.tsx";
import { CurrentPlan } from "./current-plan.tsx";
import { wantedPlan } from "./enter/sign-in-from.ts";
import { LeaveAccount } from "./leave-account.tsx";
import { CancelPlan, ChoosePlan } from "./plan-dialogs.tsx";
import { type Offer, PlanOffer, type TaxBehavior, usePlansAt } from "./plan-offer.tsx";

type Action = { kind: "choose"; plan: Offer } | { kind: "cancel" };

/** The customer's plan, and those to choose from. */
export default function Plans({ session }: { session: PortalSession }) {
  const [isBack] = useState(isBackFromCheckout);
  const [action, setAction] = useState<Action>();
  const plans = usePlans(isBack);
  const close = () => setAction(undefined);
  const choose = (plan: Offer) => setAction({ kind: "choose", plan });
  const mayChange = session.scopes.includes("plans:write");
  useWantedPlan(plans.data?.data, mayChange ? choose : undefined);
  const { payButton, methodButton } = useCheckout("plans", mayChange && plans.data?.paysOnline === true);
  const undo = useAction(() => call("resumePortalPlan"));
  const offered = usePlansAt(plans.data?.data ?? []);
  if (plans.error || !plans.data) return <NotLoaded of={plans} />;
  const { data, subscription, purchase, paysOnline, paymentMethod, secondStep, taxBehavior } = plans.data;
  return (
    <>
      <PageHead title="Plans" action={methodButton(paymentMethod !== undefined)}>
        What your account may use, and what it costs.
      </PageHead>
      <div className="stack">
        {secondStep && (
          <Notice kind="warning">
            <p>Your bank asks you to confirm a payment of {formatMoney(secondStep.amountDue, secondStep.currency)}.</p>
            <a className="button" href={secondStep.url} target="_blank" rel="noreferrer">
              Confirm the payment
            </a>
          </Notice>
        )}
        {purchase && (
          <PendingPurchase purchase={purchase} isBack={isBack} paysOnline={paysOnline} payButton={payButton} />
        )}
        {subscription?.payment?.state === "failed" && (
          <Notice kind="error">
            <p>
              {/* A known payment method is charged at once. Without one, no payment was tried. */}
              {paysOnline && paymentMethod ? "A payment failed." : "An invoice is not paid."}{" "}
              {subscription.status === "unpaid"
                ? "Requests are rejected until it is paid."
                : "Requests will be rejected if it is not paid soon."}
            </p>
            {payButton("Pay with another method")}
          </Notice>
        )}
        {subscription && (
          <CurrentPlan
            subscription={subscription}
            paymentMethod={paymentMethod?.label}
            mayChange={mayChange}
            isUndoing={undo.isPending}
            onUndo={() => undo.mutate()}
            onCancel={() => setAction({ kind: "cancel" })}
          />
        )}
        {data.some(({ isAvailable }) => !isAvailable) && (
          <Notice kind="info">
            <p>Buying is not available yet; contact the business.</p>
          </Notice>
        )}
        {data.length > 0 ? (
          <>
            {offered.choice}
            <ul className="plan-cards" aria-label="Plans">
              {offered.plans.map((plan) => (
                <PlanCard
                  key={plan.planExternalId}
                  plan={plan}
                  tax={taxBehavior}
                  hasPlan={data.some(({ isCurrent }) => isCurrent)}
                  onChoose={mayChange ? () => choose(plan) : undefined}
                />
              ))}
            </ul>
          </>
        ) : (
          !subscription && (
            <EmptyState icon={Package} title="No plans to choose">
              Your plan is shown here once your account has one.
            </EmptyState>
          )
        )}
        <LeaveAccount session={session} />
      </div>
      {action?.kind === "choose" && (
        <ChoosePlan
          plan={action.plan}
          current={data.find(({ isCurrent }) => isCurrent)}
          tax={taxBehavior}
          paysOnline={paysOnline}
          onClose={close}
        />
      )}
      {action?.kind === "cancel" && subscription && <CancelPlan subscription={subscription} onClose={close} />}
    </>
  );
}

interface PlanCardProps {
  plan: Offer;
  tax: TaxBehavior | undefined;
  /** To change it is one of several choices. */
  hasPlan: boolean;
  onChoose: (() => void) | undefined;
}

/** A plan: its price first, then what it includes. */
function PlanCard({ plan, tax, hasPlan, onChoose }: PlanCardProps) {
  const { label, isCurrent, isAvailable, isRecommended } = plan;
  return (
    <li className="plan-card" data-current={isCurrent || isRecommended}>
      <div className="row">
        <h2>{label}</h2>
        {isCurrent && <Badge tone="accent">Your plan</Badge>}
        {isRecommended && !isCurrent && <Badge tone="green">Recommended</Badge>}
      </div>
      <PlanOffer plan={plan} tax={tax} />
      {!isAvailable && <p className="muted">Not available yet</p>}
      {onChoose && isAvailable && !isCurrent && (
        <Button kind={hasPlan && !isRecommended ? "secondary" : "primary"} onClick={onChoose}>
          Choose {label}
        </Button>
      )}
    </li>
  );
}

/** Opens the dialog of the plan in the address, which was chosen on the landing page, once a first key is stored. */
function useWantedPlan(plans: Offer[] | undefined, choose: ((plan: Offer) => void) | undefined): void {
  const firstKey = useFirstKey();
  useEffect(() => {
    const wanted = wantedPlan();
    if (wanted === undefined || !plans || firstKey !== undefined) return;
    window.history.replaceState(null, "", window.location.pathname);
    const plan = plans.find(({ planExternalId }) => planExternalId === wanted);
    if (plan?.isAvailable && !plan.isCurrent) choose?.(plan);
  });
}

type Purchase = NonNullable<PortalPlans["purchase"]>;

interface PendingPurchaseProps {
  purchase: Purchase;
  isBack: boolean;
  paysOnline: boolean;
  payButton: (label: string) => ReactNode;
}

/** A plan that was chosen and is not paid yet. `isBack`: the customer has just entered a payment method. */
function PendingPurchase({ purchase, isBack, paysOnline, payButton }: PendingPurchaseProps) {
  const names = purchase.plans.map(({ label }) => label).join(", ");
  if (purchase.payment?.state === "failed")
    return (
      <Notice kind="error">
        <p>
          The payment of {names} failed. {names} is active once it is paid.
          {isBack && " If you have just paid with another method, this page shows it as soon as it has arrived."}
        </p>
        {payButton("Pay with another method")}
      </Notice>
    );
  return (
    <Notice kind="warning">
      <p>
        {isBack
          ? `Waiting for the payment of ${names}. This page shows it as soon as it has arrived.`
          : paysOnline
            ? `${names} is not paid yet. It is active once it is paid, and expires after 24 hours.`
            : `${names} is active once its invoice is paid.`}
      </p>
      {payButton("Pay now")}
    </Notice>
  );
}
